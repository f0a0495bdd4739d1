// Recognizes batches of speech segments with a given model. Segments of a batch that fails are tried one by one.

import { AppError } from "../contract/errors.ts";
import type { InstalledModel } from "../contract/models.ts";
import type { FailedRange, TranscriptSegment, TranscriptionJob } from "../contract/speech.ts";
import type { SpeechSegmentSpan } from "../audio/dsp/vad-segmenter.ts";
import type { CorrectSegments } from "./vocabulary-correction.ts";
import type { TranscribeOptions } from "../engines/engine.ts";
import type { PoolJob } from "../engines/pool/pool.ts";
import { isSinglePass } from "./segment-batches.ts";

/** Segments of one file that are recognized in one task. */
export type SegmentBatch = {
  readonly pcmPath: string;
  readonly speechSegments: readonly SpeechSegmentSpan[];
};

/** Result of one segment: its transcript segments, or the range that failed. */
export type SegmentResult = {
  untilSec: number;
  segments: TranscriptSegment[];
  failed?: FailedRange;
};

/**
 * Returns one result per segment. If a batch fails twice, its segments are tried one by one, and those that fail are
 * reported. A model that cannot be loaded fails the whole file.
 */
export type RecognizeSegments = (
  model: InstalledModel,
  hints: Pick<TranscribeOptions, "language" | "likelyLanguage">,
  batch: SegmentBatch,
) => Promise<SegmentResult[]>;

export function createSegmentRecognizer(
  { task, prompt, vocabulary = [], temperature, wordTimes }: TranscriptionJob,
  poolJob: PoolJob,
  correct: CorrectSegments | undefined,
): RecognizeSegments {
  const recognize: RecognizeSegments = async (model, hints, { pcmPath, speechSegments }) => {
    // English speech is its own translation.
    const translates =
      task === "translate" &&
      hints.language !== "en" &&
      model.capabilities.translatesTo.includes("en");
    try {
      const segments = await poolJob.run("transcribe", {
        model,
        pcmPath,
        speechSegments: [...speechSegments],
        options: {
          task: translates ? "translate" : "transcribe",
          // When translating, the model's own timestamps assign text to segments.
          timestamps: translates,
          temperature,
          wordTimes: wordTimes && model.capabilities.wordTimes,
          isExcerpt: !isSinglePass(speechSegments, model.singlePassMaxSec ?? 0),
          ...hints,
          ...(prompt === undefined ? {} : { prompt }),
          ...(vocabulary.length === 0 ? {} : { terms: vocabulary }),
        },
      });
      return await Promise.all(
        speechSegments.map(async ({ endSec }, index) => {
          const found = segments[index] ?? [];
          return {
            untilSec: endSec,
            segments: correct === undefined ? found : await correct(found, model),
          };
        }),
      );
    } catch (error) {
      if (!(error instanceof AppError) || error.key !== "engine_failed") throw error;
      const [speechSegment] = speechSegments;
      if (speechSegments.length === 1 && speechSegment !== undefined) {
        const { startSec, endSec } = speechSegment;
        return [{ untilSec: endSec, segments: [], failed: { startSec, endSec, ...error.sent } }];
      }
      const results = speechSegments.map((one) =>
        recognize(model, hints, { pcmPath, speechSegments: [one] }),
      );
      return (await Promise.all(results)).flat();
    }
  };
  return recognize;
}

/** Nothing, if the model fails: for a second opinion, without which the file is transcribed all the same. */
export async function orNothing<Answer>(attempt: Promise<Answer[]>): Promise<Answer[]> {
  try {
    return await attempt;
  } catch (error) {
    if (
      error instanceof AppError &&
      (error.key === "engine_failed" || error.key === "model_unusable")
    )
      return [];
    throw error;
  }
}

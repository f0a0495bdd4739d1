// Transcribes the segments of one file, each with the model for its language. If no language is given, it is detected
// once, from the first speech. If there is an English model that tells English from other languages, it transcribes
// first, because it is faster; where its confidence is low, another model detects the language.

import { AppError } from "../contract/errors.ts";
import type { InstalledModel } from "../contract/models.ts";
import type { FailedRange, TranscriptSegment, TranscriptionJob } from "../contract/speech.ts";
import type { TranscribeOptions } from "../engines/engine.ts";
import type { SpeechSegmentSpan } from "../audio/dsp/vad-segmenter.ts";
import type { PoolJob } from "../engines/pool/pool.ts";
import type { TranscriptionModels } from "../models/defaults.ts";
import { meanLogprob } from "./mean-logprob.ts";
import { groupByLength, groupAdjacent } from "./segment-batches.ts";

/** Result of one segment: its transcript segments, or the range that failed. */
export type SegmentResult = {
  untilSec: number;
  segments: TranscriptSegment[];
  failed?: FailedRange;
};

export type SegmentTranscriber = {
  /** Waits while the file's language is being detected. */
  waitForLanguage(): Promise<void>;
  /** Groups segments that the chosen model should transcribe together, in time order of their first segment. */
  groupIntoBatches(speechSegments: readonly SpeechSegmentSpan[]): SpeechSegmentSpan[][];
  /** Returns one result per segment. */
  transcribe(
    pcmPath: string,
    speechSegments: readonly SpeechSegmentSpan[],
  ): Promise<SegmentResult[]>;
  /** No more segments follow, or not before results of the present ones: the language is decided from these. */
  endInput(): void;
  /** Language of the file; `undefined` while unknown. */
  language(): string | undefined;
  /** A file up to this length should be transcribed in a single pass, as far as known now. */
  singlePassMaxSec(): number;
};

/**
 * Mean log-probability of English text by the English model. Measured with Moonshine base: English clips, also over the
 * telephone and with noise, −0.05 to −0.20; German, French, Spanish and Portuguese ones −0.30 to −1.44.
 */
const minEnglishLogprob = -0.15;
/**
 * In an English file, a segment with lower confidence than this, and at least this much voice, is checked for another
 * language.
 */
const maxForeignLogprob = -0.35;
const minForeignSpeechSec = 2;
/** This much voice, or this many segments, are enough to decide the file's language. */
const minDecisionSpeechSec = 8;
const minDecisionSegments = 8;
/** Maximum audio used for the decision. */
const maxDetectionSec = 30;
/**
 * A less probable language does not replace English: on two seconds of audio such a result is wrong half of the time.
 */
const minLanguageProbability = 0.5;

type Hints = Pick<TranscribeOptions, "language" | "likelyLanguage">;
/** Segments received before the language was known, and the English model's results, if there is one. */
type EarlyBatch = {
  pcmPath: string;
  speechSegments: readonly SpeechSegmentSpan[];
  results: Promise<SegmentResult[]> | undefined;
};

export function createSegmentTranscriber(
  { languages, detector, englishFirst, modelFor }: TranscriptionModels,
  job: TranscriptionJob,
  poolJob: PoolJob,
  poolSize: number,
): SegmentTranscriber {
  const { task, prompt, temperature, wordTimes } = job;
  const languageDetector = job.language === undefined ? detector : undefined;
  let language = job.language;
  /** Without evidence for a language. */
  const defaultLanguage = languages.includes("en") ? "en" : (languages[0] ?? "en");
  const earlyBatches: EarlyBatch[] = [];
  let isDecisionStarted = false;
  const languageDecision = Promise.withResolvers<string>();
  languageDecision.promise.catch(() => {});
  let regroupedResults: Map<SpeechSegmentSpan, Promise<SegmentResult>> | undefined;

  /** The model for the next segments. */
  const currentModel = (): InstalledModel =>
    (language === undefined ? englishFirst : undefined) ?? modelFor(language);

  function optionsFor(model: InstalledModel, hints: Hints): TranscribeOptions {
    // English speech is its own translation. When translating, the model's own timestamps assign text to segments.
    const translates =
      task === "translate" &&
      hints.language !== "en" &&
      model.capabilities.translatesTo.includes("en");
    return {
      task: translates ? "translate" : "transcribe",
      timestamps: translates,
      temperature,
      wordTimes,
      ...hints,
      ...(prompt === undefined ? {} : { prompt }),
    };
  }

  /**
   * If a batch fails twice, its segments are tried one by one, and those that fail are reported. A model that cannot be
   * loaded fails the whole file.
   */
  async function transcribeWith(
    model: InstalledModel,
    hints: Hints,
    pcmPath: string,
    speechSegments: readonly SpeechSegmentSpan[],
  ): Promise<SegmentResult[]> {
    try {
      const segments = await poolJob.run("transcribe", {
        model,
        pcmPath,
        speechSegments: [...speechSegments],
        options: optionsFor(model, hints),
      });
      return speechSegments.map(({ endSec }, index) => ({
        untilSec: endSec,
        segments: segments[index] ?? [],
      }));
    } catch (error) {
      if (!(error instanceof AppError) || error.key !== "engine_failed") throw error;
      const [speechSegment] = speechSegments;
      if (speechSegments.length === 1 && speechSegment !== undefined) {
        const { startSec, endSec } = speechSegment;
        return [{ untilSec: endSec, segments: [], failed: { startSec, endSec, ...error.sent } }];
      }
      return (
        await Promise.all(speechSegments.map((one) => transcribeWith(model, hints, pcmPath, [one])))
      ).flat();
    }
  }

  async function transcribeBeforeDecision(
    pcmPath: string,
    speechSegments: readonly SpeechSegmentSpan[],
  ): Promise<SegmentResult[]> {
    const results =
      englishFirst === undefined
        ? undefined
        : transcribeWith(englishFirst, { language: "en" }, pcmPath, speechSegments);
    results?.catch(languageDecision.reject);
    earlyBatches.push({ pcmPath, speechSegments, results });
    const earlySegments = earlyBatches.flatMap((group) => group.speechSegments);
    if (
      earlySegments.length >= minDecisionSegments ||
      voicedSec(earlySegments) >= minDecisionSpeechSec
    )
      decideLanguage();
    const detectedLanguage = await languageDecision.promise;
    if (results !== undefined && detectedLanguage === "en")
      return replaceForeignSegments(await results, pcmPath, speechSegments);
    regroupedResults ??= transcribeRegrouped();
    return Promise.all(
      speechSegments.map(
        (speechSegment) => regroupedResults?.get(speechSegment) as Promise<SegmentResult>,
      ),
    );
  }

  /** The early segments, grouped and transcribed as if the language had been known. */
  function transcribeRegrouped(): Map<SpeechSegmentSpan, Promise<SegmentResult>> {
    const results = new Map<SpeechSegmentSpan, Promise<SegmentResult>>();
    for (const [pcmPath, groups] of Map.groupBy(earlyBatches, (group) => group.pcmPath)) {
      const speechSegments = groups
        .flatMap((group) => group.speechSegments)
        .sort((one, other) => one.fromSec - other.fromSec);
      for (const [index, result] of transcribeBatches(
        transcriber,
        pcmPath,
        speechSegments,
      ).entries())
        results.set(speechSegments[index] as SpeechSegmentSpan, result);
    }
    return results;
  }

  async function transcribeInLanguage(
    detectedLanguage: string,
    pcmPath: string,
    speechSegments: readonly SpeechSegmentSpan[],
  ): Promise<SegmentResult[]> {
    if (englishFirst === undefined || detectedLanguage !== "en") {
      const model = modelFor(detectedLanguage);
      const hints = model.capabilities.languageDetection
        ? { likelyLanguage: detectedLanguage }
        : { language: detectedLanguage };
      return transcribeWith(model, hints, pcmPath, speechSegments);
    }
    return replaceForeignSegments(
      await transcribeWith(englishFirst, { language: "en" }, pcmPath, speechSegments),
      pcmPath,
      speechSegments,
    );
  }

  /**
   * Retranscribes segments of an English file with low confidence; keeps the new result if it is certainly not English.
   */
  async function replaceForeignSegments(
    results: SegmentResult[],
    pcmPath: string,
    speechSegments: readonly SpeechSegmentSpan[],
  ): Promise<SegmentResult[]> {
    if (detector === undefined) return results;
    const lowConfidence = speechSegments.filter(
      (speechSegment, index) =>
        speechSegment.voicedSec >= minForeignSpeechSec &&
        meanLogprob(results[index]?.segments ?? []) < maxForeignLogprob,
    );
    if (lowConfidence.length === 0) return results;
    const retranscribed = await withModelFallback(
      transcribeWith(detector, { likelyLanguage: "en" }, pcmPath, lowConfidence),
      [],
    );
    return results.map((initialResult, index) => {
      const alternative =
        retranscribed[lowConfidence.indexOf(speechSegments[index] as SpeechSegmentSpan)];
      return alternative?.segments.some((segment) => segment.language !== "en") === true
        ? alternative
        : initialResult;
    });
  }

  function decideLanguage(): void {
    if (isDecisionStarted || languageDetector === undefined) return;
    isDecisionStarted = true;
    const detection = detectLanguage(languageDetector);
    // If transcription failed before, no caller waits for this promise.
    detection.catch(() => {});
    languageDecision.resolve(detection);
  }

  async function detectLanguage(model: InstalledModel): Promise<string> {
    language = await estimateLanguage(model);
    return language;
  }

  async function estimateLanguage(model: InstalledModel): Promise<string> {
    const [firstBatch] = earlyBatches;
    if (firstBatch === undefined) return defaultLanguage;
    if (englishFirst !== undefined) {
      const results = await Promise.all(earlyBatches.map((group) => group.results ?? []));
      if (meanLogprob(results.flat().flatMap(({ segments }) => segments)) >= minEnglishLogprob)
        return "en";
    }
    const speechSegments: SpeechSegmentSpan[] = [];
    for (const speechSegment of earlyBatches
      .filter(({ pcmPath }) => pcmPath === firstBatch.pcmPath)
      .flatMap((group) => group.speechSegments)
      .toSorted((one, other) => one.fromSec - other.fromSec)) {
      if (
        speechSegments.reduce((sum, taken) => sum + lengthSec(taken), lengthSec(speechSegment)) <=
        maxDetectionSec
      )
        speechSegments.push(speechSegment);
    }
    const guesses = await withModelFallback(
      poolJob.run("detect-language", { model, pcmPath: firstBatch.pcmPath, speechSegments }),
      [],
    );
    const bestGuess = guesses.find((guess) => languages.includes(guess.language));
    return bestGuess === undefined ||
      (englishFirst !== undefined && bestGuess.probability < minLanguageProbability)
      ? defaultLanguage
      : bestGuess.language;
  }

  const transcriber: SegmentTranscriber = {
    async waitForLanguage() {
      if (isDecisionStarted) await languageDecision.promise;
    },
    groupIntoBatches(speechSegments) {
      const { batchMaxSec, singlePassMaxSec = 0 } = currentModel();
      return batchMaxSec === undefined
        ? groupByLength(speechSegments, poolSize)
        : groupAdjacent(speechSegments, batchMaxSec, singlePassMaxSec, poolSize);
    },
    transcribe(pcmPath, speechSegments) {
      if (languageDetector === undefined)
        return transcribeWith(
          currentModel(),
          language === undefined ? {} : { language },
          pcmPath,
          speechSegments,
        );
      return language === undefined
        ? transcribeBeforeDecision(pcmPath, speechSegments)
        : transcribeInLanguage(language, pcmPath, speechSegments);
    },
    endInput: decideLanguage,
    language: () => language,
    singlePassMaxSec: () =>
      languageDetector !== undefined && language === undefined
        ? 0
        : (currentModel().singlePassMaxSec ?? 0),
  };
  return transcriber;
}

/** An error of a model that is only used for a second opinion is ignored. */
async function withModelFallback<Answer>(
  attempt: Promise<Answer>,
  fallback: Answer,
): Promise<Answer> {
  try {
    return await attempt;
  } catch (error) {
    if (
      error instanceof AppError &&
      (error.key === "engine_failed" || error.key === "model_unusable")
    )
      return fallback;
    throw error;
  }
}

/** Result of each segment, in order, all from the local engines. */
export function transcribeBatches(
  transcriber: SegmentTranscriber,
  pcmPath: string,
  speechSegments: readonly SpeechSegmentSpan[],
): Promise<SegmentResult>[] {
  const deferredResults = new Map(
    speechSegments.map((speechSegment) => [speechSegment, createDeferredResult()]),
  );
  for (const group of transcriber.groupIntoBatches(speechSegments)) {
    transcriber.transcribe(pcmPath, group).then(
      (results) =>
        group.forEach((speechSegment, index) =>
          deferredResults.get(speechSegment)?.resolve(results[index] as SegmentResult),
        ),
      (error: unknown) =>
        group.forEach((speechSegment) => deferredResults.get(speechSegment)?.reject(error)),
    );
  }
  return [...deferredResults.values()].map(({ promise }) => promise);
}

function createDeferredResult(): PromiseWithResolvers<SegmentResult> {
  const deferred = Promise.withResolvers<SegmentResult>();
  // A rejection is reported when its turn comes, which may be never.
  deferred.promise.catch(() => {});
  return deferred;
}

const lengthSec = ({ fromSec, toSec }: SpeechSegmentSpan): number => toSec - fromSec;
const voicedSec = (speechSegments: readonly SpeechSegmentSpan[]): number =>
  speechSegments.reduce((sum, speechSegment) => sum + speechSegment.voicedSec, 0);

// Hears the pieces of one file with the model, or the two models, that are right for them. Where no language was
// given, it is found out once, from the first of the speech. An English model, where there is one, hears first, since
// it is the faster one: what it is not sure of decides whether the multilingual one is asked what language it is.

import { AppError } from "../contract/errors.ts";
import type {
  FailedRange,
  ModelBundle,
  TranscriptSegment,
  TranscriptionJob,
} from "../contract/speech.ts";
import type { TranscribeOptions } from "../engines/engine.ts";
import type { SpeechSegmentSpan } from "../audio/dsp/vad-segmenter.ts";
import type { PoolJob } from "../engines/pool/pool.ts";
import { meanLogprob } from "./mean-logprob.ts";
import { groupByLength, groupAdjacent } from "./segment-batches.ts";

export type TranscriptionModels = {
  bundle: ModelBundle;
  /** Hears what `bundle`, which then knows English only, does not. */
  multilingual: ModelBundle | undefined;
  /** What they know, together. */
  languages: readonly string[];
};

/** What came of one piece: its segments, or the stretch that could not be heard. */
export type SegmentResult = {
  untilSec: number;
  segments: TranscriptSegment[];
  failed?: FailedRange;
};

export type SegmentTranscriber = {
  /** Waits while the language of the file is being found out. */
  waitForLanguage(): Promise<void>;
  /** It is not known yet, and more pieces are needed to find it out. */
  isDetectingLanguage(): boolean;
  /** Pieces that are best heard in one go by the model that will hear them, in time order by their first. */
  groupIntoBatches(speechSegments: readonly SpeechSegmentSpan[]): SpeechSegmentSpan[][];
  /** One answer a piece. */
  transcribe(
    pcmPath: string,
    speechSegments: readonly SpeechSegmentSpan[],
  ): Promise<SegmentResult[]>;
  /** No more pieces will come, or not before some of these are heard: the language is told by what there is. */
  endInput(): void;
  /** The language of the whole, as far as it is known; `undefined` before. */
  language(): string | undefined;
  /** A file no longer than this is best heard in one go, as far as it is known now. */
  singlePassMaxSec(): number;
};

/**
 * Mean log-probabilities of English text by the English model. Measured with Moonshine base: English clips, over
 * the telephone and with noise too, −0.05 to −0.20; German, French, Spanish and Portuguese ones −0.30 to −1.44.
 */
const minEnglishLogprob = -0.15;
/** In a file that is English a piece must be this bad to be asked about, and this long. */
const maxForeignLogprob = -0.35;
const minForeignSpeechSec = 2;
/** So much voice, or so many pieces, decide on the language of a file. */
const minDecisionSpeechSec = 8;
const minDecisionSegments = 8;
/** The most that is listened to for it. */
const maxDetectionSec = 30;
/** What is less probable than this is no language to leave the English model for: of two seconds it is as often wrong. */
const minLanguageProbability = 0.5;

type Hints = Pick<TranscribeOptions, "language" | "likelyLanguage">;
/** Pieces given before the language was known, and what the English model makes of them, where there is one. */
type EarlyBatch = {
  pcmPath: string;
  speechSegments: readonly SpeechSegmentSpan[];
  results: Promise<SegmentResult[]> | undefined;
};

export function createSegmentTranscriber(
  { bundle, multilingual, languages }: TranscriptionModels,
  job: TranscriptionJob,
  poolJob: PoolJob,
  poolSize: number,
): SegmentTranscriber {
  const { task, prompt, temperature, wordTimes } = job;
  /** Tells languages apart, where there is something to tell. */
  const languageDetector =
    job.language === undefined && languages.length > 1 ? (multilingual ?? bundle) : undefined;
  let language = job.language;
  const earlyBatches: EarlyBatch[] = [];
  let isDecisionStarted = false;
  const languageDecision = Promise.withResolvers<string>();
  languageDecision.promise.catch(() => {});
  let regroupedResults: Map<SpeechSegmentSpan, Promise<SegmentResult>> | undefined;

  /** The English model, except where the speech is, or may be, of another language. */
  const modelFor = (spokenLanguage: string | undefined): ModelBundle =>
    multilingual !== undefined && spokenLanguage !== undefined && spokenLanguage !== "en"
      ? multilingual
      : bundle;

  function optionsFor(model: ModelBundle, hints: Hints): TranscribeOptions {
    // English speech is its own translation; where the model must translate, its own timestamps tell what belongs where.
    const translates = task === "translate" && hints.language !== "en";
    const isEnglishModel = multilingual !== undefined && model === bundle;
    return {
      task: translates && !isEnglishModel ? "translate" : "transcribe",
      timestamps: translates && !isEnglishModel,
      temperature,
      wordTimes,
      ...hints,
      ...(prompt === undefined ? {} : { prompt }),
    };
  }

  /** What fails twice is tried piece by piece, and named where it fails then. A model that cannot be loaded hears nothing at all. */
  async function transcribeWith(
    model: ModelBundle,
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
        return [
          { untilSec: endSec, segments: [], failed: { startSec, endSec, message: error.message } },
        ];
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
      multilingual === undefined
        ? undefined
        : transcribeWith(bundle, { language: "en" }, pcmPath, speechSegments);
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

  /** The early pieces as they would have been heard, had the language been known. */
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
    if (multilingual === undefined || detectedLanguage !== "en")
      return transcribeWith(
        modelFor(detectedLanguage),
        { likelyLanguage: detectedLanguage },
        pcmPath,
        speechSegments,
      );
    return replaceForeignSegments(
      await transcribeWith(bundle, { language: "en" }, pcmPath, speechSegments),
      pcmPath,
      speechSegments,
    );
  }

  /** Pieces of an English file that do not sound like it: heard again, and kept where they surely are no English. */
  async function replaceForeignSegments(
    results: SegmentResult[],
    pcmPath: string,
    speechSegments: readonly SpeechSegmentSpan[],
  ): Promise<SegmentResult[]> {
    if (multilingual === undefined) return results;
    const lowConfidence = speechSegments.filter(
      (speechSegment, index) =>
        speechSegment.voicedSec >= minForeignSpeechSec &&
        meanLogprob(results[index]?.segments ?? []) < maxForeignLogprob,
    );
    if (lowConfidence.length === 0) return results;
    const retranscribed = await withModelFallback(
      transcribeWith(multilingual, { likelyLanguage: "en" }, pcmPath, lowConfidence),
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
    // Where hearing failed before, nobody waits for it.
    detection.catch(() => {});
    languageDecision.resolve(detection);
  }

  async function detectLanguage(model: ModelBundle): Promise<string> {
    language = await estimateLanguage(model);
    return language;
  }

  /** English where nothing tells otherwise. */
  async function estimateLanguage(model: ModelBundle): Promise<string> {
    const [firstBatch] = earlyBatches;
    if (firstBatch === undefined) return "en";
    if (multilingual !== undefined) {
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
    const [bestGuess] = await withModelFallback(
      poolJob.run("detect-language", { model, pcmPath: firstBatch.pcmPath, speechSegments }),
      [],
    );
    return bestGuess === undefined ||
      (multilingual !== undefined && bestGuess.probability < minLanguageProbability)
      ? "en"
      : bestGuess.language;
  }

  const transcriber: SegmentTranscriber = {
    async waitForLanguage() {
      if (isDecisionStarted) await languageDecision.promise;
    },
    isDetectingLanguage: () => languageDetector !== undefined && language === undefined,
    groupIntoBatches(speechSegments) {
      const { batchMaxSec, singlePassMaxSec = 0 } = modelFor(language);
      return batchMaxSec === undefined
        ? groupByLength(speechSegments, poolSize)
        : groupAdjacent(speechSegments, batchMaxSec, singlePassMaxSec, poolSize);
    },
    transcribe(pcmPath, speechSegments) {
      if (languageDetector === undefined)
        return transcribeWith(
          modelFor(language),
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
      transcriber.isDetectingLanguage() ? 0 : (modelFor(language).singlePassMaxSec ?? 0),
  };
  return transcriber;
}

/** What a model that is only asked for a second opinion fails at is done without it. */
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

/** Each piece's own answer, in their order, all from the engines here. */
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

export function createDeferredResult(): PromiseWithResolvers<SegmentResult> {
  const deferred = Promise.withResolvers<SegmentResult>();
  // Its failure is reported when its turn comes, which may be never.
  deferred.promise.catch(() => {});
  return deferred;
}

const lengthSec = ({ fromSec, toSec }: SpeechSegmentSpan): number => toSec - fromSec;
const voicedSec = (speechSegments: readonly SpeechSegmentSpan[]): number =>
  speechSegments.reduce((sum, speechSegment) => sum + speechSegment.voicedSec, 0);

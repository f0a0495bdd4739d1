// Decides the language of a file once, from its first speech. If an English model tells English from other
// languages, it transcribes that speech meanwhile, because it is faster; where its confidence is low, another model
// detects the language.

import type { InstalledModel } from "../contract/models.ts";
import type { SpeechSegmentSpan } from "../audio/dsp/vad-segmenter.ts";
import type { PoolJob } from "../engines/pool/pool.ts";
import { meanLogprob } from "./mean-logprob.ts";
import { orNothing, type SegmentBatch, type SegmentResult } from "./segment-recognizer.ts";

/** Segments received before the language was known, and the English model's results, if there is one. */
export type EarlyBatch = SegmentBatch & { results: Promise<SegmentResult[]> | undefined };

export type LanguageDecision = {
  /** `undefined` while it is not decided. */
  language(): string | undefined;
  /** Rejects if an early batch or the detection fails. */
  readonly decided: Promise<string>;
  /** Enough speech was added, or no more follows for now. */
  isStarted(): boolean;
  /** Decides from the speech that was added. */
  start(): void;
  /** Adds speech, and starts the decision if that is enough. */
  add(batch: EarlyBatch): void;
  batches(): readonly EarlyBatch[];
};

/**
 * Mean log-probability of English text by the English model. Measured with Moonshine base: English clips, also over the
 * telephone and with noise, −0.05 to −0.20; German, French, Spanish and Portuguese ones −0.30 to −1.44.
 */
const minEnglishLogprob = -0.15;
/** This much voice, or this many segments, are enough to decide the file's language. */
const minDecisionSpeechSec = 8;
const minDecisionSegments = 8;
/** Maximum audio used for the decision. */
const maxDetectionSec = 30;
/**
 * A less probable language does not replace English: on two seconds of audio such a result is wrong half of the time.
 */
const minLanguageProbability = 0.5;

export type LanguageDecisionOptions = {
  detector: InstalledModel;
  /** One of these is decided for; any, if there are none. */
  languages: readonly string[];
  /** The batches carry results of an English model. */
  hasEnglishModel: boolean;
};

export function createLanguageDecision(
  { detector, languages, hasEnglishModel }: LanguageDecisionOptions,
  poolJob: PoolJob,
): LanguageDecision {
  /** Without evidence for a language. */
  const defaultLanguage = languages.includes("en") ? "en" : (languages[0] ?? "en");
  const batches: EarlyBatch[] = [];
  const decision = Promise.withResolvers<string>();
  decision.promise.catch(() => {});
  let language: string | undefined;
  let isStarted = false;

  function start(): void {
    if (isStarted) return;
    isStarted = true;
    const detection = estimateLanguage().then((estimate) => (language = estimate));
    // If transcription failed before, no caller waits for this promise.
    detection.catch(() => {});
    decision.resolve(detection);
  }

  async function estimateLanguage(): Promise<string> {
    const [firstBatch] = batches;
    if (firstBatch === undefined) return defaultLanguage;
    if (hasEnglishModel) {
      const results = await Promise.all(batches.map((batch) => batch.results ?? []));
      if (meanLogprob(results.flat().flatMap(({ segments }) => segments)) >= minEnglishLogprob)
        return "en";
    }
    const { pcmPath } = firstBatch;
    const guesses = await orNothing(
      poolJob.run("detect-language", {
        model: detector,
        pcmPath,
        speechSegments: firstSpeech(batches.filter((batch) => batch.pcmPath === pcmPath)),
      }),
    );
    const bestGuess = guesses.find(
      (guess) => languages.length === 0 || languages.includes(guess.language),
    );
    return bestGuess === undefined ||
      (hasEnglishModel && bestGuess.probability < minLanguageProbability)
      ? defaultLanguage
      : bestGuess.language;
  }

  return {
    language: () => language,
    decided: decision.promise,
    isStarted: () => isStarted,
    start,
    add(batch) {
      batch.results?.catch(decision.reject);
      batches.push(batch);
      const speechSegments = batches.flatMap((early) => early.speechSegments);
      const voicedSec = speechSegments.reduce((sum, segment) => sum + segment.voicedSec, 0);
      if (speechSegments.length >= minDecisionSegments || voicedSec >= minDecisionSpeechSec)
        start();
    },
    batches: () => batches,
  };
}

/** In time order, as much as is used for the decision. */
function firstSpeech(batches: readonly SegmentBatch[]): SpeechSegmentSpan[] {
  const taken: SpeechSegmentSpan[] = [];
  let takenSec = 0;
  for (const speechSegment of batches
    .flatMap(({ speechSegments }) => speechSegments)
    .toSorted((one, other) => one.fromSec - other.fromSec)) {
    const lengthSec = speechSegment.toSec - speechSegment.fromSec;
    if (takenSec + lengthSec > maxDetectionSec) continue;
    taken.push(speechSegment);
    takenSec += lengthSec;
  }
  return taken;
}

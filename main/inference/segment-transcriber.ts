// Transcribes the segments of one file, each with the model for its language: segments → batches → recognition → one
// result per segment. Until the language of the file is decided, batches wait for it.

import type { InstalledModel } from "../contract/models.ts";
import type { TranscriptionJob } from "../contract/speech.ts";
import type { SpeechSegmentSpan } from "../audio/dsp/vad-segmenter.ts";
import type { PoolJob } from "../engines/pool/pool.ts";
import { tellsLanguage, type TranscriptionModels } from "../models/defaults.ts";
import { replaceForeignSegments } from "./foreign-segments.ts";
import { createLanguageDecision, type LanguageDecision } from "./language-decision.ts";
import { groupByLength, groupAdjacent } from "./segment-batches.ts";
import {
  createSegmentRecognizer,
  type SegmentBatch,
  type SegmentResult,
} from "./segment-recognizer.ts";
import type { CorrectSegments } from "./vocabulary-correction.ts";

export type SegmentTranscriber = {
  /** Waits while the file's language is being detected. */
  waitForLanguage(): Promise<void>;
  /** Returns the result of each segment, in order. */
  transcribe(
    pcmPath: string,
    speechSegments: readonly SpeechSegmentSpan[],
  ): Promise<SegmentResult>[];
  /** No more segments follow, or not before results of the present ones: the language is decided from these. */
  endInput(): void;
  /** Language of the file; `undefined` while unknown. */
  language(): string | undefined;
  /** A file up to this length should be transcribed in a single pass, as far as known now. */
  singlePassMaxSec(): number;
};

export function createSegmentTranscriber(
  { languages, detector, englishFirst, modelFor }: TranscriptionModels,
  job: TranscriptionJob,
  poolJob: PoolJob,
  poolSize: number,
  correct?: CorrectSegments,
): SegmentTranscriber {
  const recognize = createSegmentRecognizer(job, poolJob, correct);
  const { likelyLanguage } = job.excerpt ?? {};
  /** Omitted if there is nothing to decide. */
  const decision =
    job.language === undefined && likelyLanguage === undefined && detector !== undefined
      ? createLanguageDecision(
          { detector, languages, hasEnglishModel: englishFirst !== undefined },
          poolJob,
        )
      : undefined;
  const languageNow = (): string | undefined =>
    job.language ?? likelyLanguage ?? decision?.language();
  let retranscribed: Map<SpeechSegmentSpan, Promise<SegmentResult>> | undefined;

  /** The model for the next segments. */
  const currentModel = (language: string | undefined): InstalledModel =>
    (language === undefined ? englishFirst : undefined) ?? modelFor(language);

  const transcribe: SegmentTranscriber["transcribe"] = (pcmPath, speechSegments) =>
    transcribeInBatches(speechSegments, groupIntoBatches(speechSegments), (batch) =>
      transcribeBatch({ pcmPath, speechSegments: batch }),
    );

  /** What the chosen model should transcribe together, in time order of their first segment. */
  function groupIntoBatches(speechSegments: readonly SpeechSegmentSpan[]): SpeechSegmentSpan[][] {
    const { batchMaxSec, singlePassMaxSec = 0 } = currentModel(languageNow());
    return batchMaxSec === undefined
      ? groupByLength(speechSegments, poolSize)
      : groupAdjacent(speechSegments, batchMaxSec, singlePassMaxSec, poolSize);
  }

  function transcribeBatch(batch: SegmentBatch): Promise<SegmentResult[]> {
    const { language: asked } = job;
    if (asked === undefined && likelyLanguage !== undefined)
      return transcribeInLanguage(likelyLanguage, batch);
    if (decision === undefined) {
      return recognize(currentModel(asked), asked === undefined ? {} : { language: asked }, batch);
    }
    const language = decision.language();
    return language === undefined
      ? transcribeBeforeDecision(decision, batch)
      : transcribeInLanguage(language, batch);
  }

  async function transcribeInLanguage(
    language: string,
    batch: SegmentBatch,
  ): Promise<SegmentResult[]> {
    if (englishFirst === undefined || detector === undefined || language !== "en") {
      const model = modelFor(language);
      return recognize(
        model,
        tellsLanguage(model) ? { likelyLanguage: language } : { language },
        batch,
      );
    }
    const results = await recognize(englishFirst, { language: "en" }, batch);
    return replaceForeignSegments(results, batch, detector, recognize);
  }

  /** The English model's results are kept if the file turns out to be English. */
  async function transcribeBeforeDecision(
    { add, decided, batches }: LanguageDecision,
    batch: SegmentBatch,
  ): Promise<SegmentResult[]> {
    const results =
      englishFirst === undefined ? undefined : recognize(englishFirst, { language: "en" }, batch);
    add({ ...batch, results });
    const language = await decided;
    if (detector !== undefined && results !== undefined && language === "en")
      return replaceForeignSegments(await results, batch, detector, recognize);
    retranscribed ??= retranscribe(batches(), transcribe);
    return Promise.all(
      batch.speechSegments.map((one) => retranscribed?.get(one) as Promise<SegmentResult>),
    );
  }

  return {
    async waitForLanguage() {
      if (decision?.isStarted() === true) await decision.decided;
    },
    transcribe,
    endInput: () => decision?.start(),
    language: languageNow,
    singlePassMaxSec: () =>
      decision !== undefined && decision.language() === undefined
        ? 0
        : (currentModel(languageNow()).singlePassMaxSec ?? 0),
  };
}

/** Transcribes early segments again, grouped as if the language had been known. */
function retranscribe(
  batches: readonly SegmentBatch[],
  transcribe: SegmentTranscriber["transcribe"],
): Map<SpeechSegmentSpan, Promise<SegmentResult>> {
  const results = new Map<SpeechSegmentSpan, Promise<SegmentResult>>();
  for (const [pcmPath, ofFile] of Map.groupBy(batches, (batch) => batch.pcmPath)) {
    const speechSegments = ofFile
      .flatMap((batch) => batch.speechSegments)
      .sort((one, other) => one.fromSec - other.fromSec);
    for (const [index, result] of transcribe(pcmPath, speechSegments).entries())
      results.set(speechSegments[index] as SpeechSegmentSpan, result);
  }
  return results;
}

/** Starts all batches at once. Returns the result of each segment, in the order of the segments. */
function transcribeInBatches(
  speechSegments: readonly SpeechSegmentSpan[],
  batches: readonly SpeechSegmentSpan[][],
  transcribeBatch: (batch: readonly SpeechSegmentSpan[]) => Promise<SegmentResult[]>,
): Promise<SegmentResult>[] {
  const results = new Map(speechSegments.map((one) => [one, createDeferredResult()]));
  for (const batch of batches) {
    transcribeBatch(batch).then(
      (batchResults) =>
        batch.forEach((one, index) =>
          results.get(one)?.resolve(batchResults[index] as SegmentResult),
        ),
      (error: unknown) => batch.forEach((one) => results.get(one)?.reject(error)),
    );
  }
  return Array.from(results.values(), ({ promise }) => promise);
}

function createDeferredResult(): PromiseWithResolvers<SegmentResult> {
  const deferred = Promise.withResolvers<SegmentResult>();
  // A rejection is reported when its turn comes, which may be never.
  deferred.promise.catch(() => {});
  return deferred;
}

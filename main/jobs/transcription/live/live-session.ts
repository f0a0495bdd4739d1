// Streaming recognition over any recognizer: the speech since the last pause is transcribed again and again as it grows
// (a draft), and once more when it has ended (settled), which replaces the draft. Nothing here knows models, files or
// clients: samples are read, and recognized, by functions.

import type { SpeechSegmentSpan } from "../../../audio/dsp/vad-segmenter.ts";
import type { LiveSpeechStep } from "../../../engines/pool/live-speech-segmentation.ts";
import type { TranscribedSegment } from "../../../library/transcript-rows.ts";
import { createPassPacing } from "./pass-pacing.ts";
import { createWordAgreement, type LiveText, type WordAgreement } from "./word-agreement.ts";

export const sampleRateHz = 16_000;

/** All samples are 16-bit, at 16 kHz. */
export type LiveRecognizer = {
  /** Takes the next samples; finds speech in them. With `endsSpeech`, open speech ends after them. */
  detectSpeech(pcm: Uint8Array, endsSpeech: boolean): Promise<LiveSpeechStep>;
  /** The text of speech that goes on; undefined where that cannot be had, and is not asked for again. */
  draft(pcm: Uint8Array, signal: AbortSignal): Promise<string | undefined>;
  /** What is final: the segments of speech that has ended. Their times count from the first sample of the session. */
  settle(
    pcm: Uint8Array,
    span: SpeechSegmentSpan,
    signal: AbortSignal,
  ): Promise<TranscribedSegment[]>;
  close(): void;
};

/** Speech without its last pass. Identified by its start. */
export type Draft = LiveText & { readonly startSec: number };

export type LiveSessionOptions = {
  recognizer: LiveRecognizer;
  /** Samples `from` to `to` (exclusive) of the session. Those before the start of open speech are never read again. */
  read(from: number, to: number): Promise<Uint8Array>;
  onDraft(draft: Draft): void;
  /** The last pass over speech; without segments, if nothing was said. In time order. */
  onSettled(startSec: number, segments: readonly TranscribedSegment[]): Promise<void> | void;
  /** After samples were searched for speech, up to `processedSec`. */
  onStep?(step: LiveSpeechStep, processedSec: number): void;
  /** Audio that is searched for speech at once; default: enough to catch up after an interruption. */
  maxStepSec?: number;
  /** A draft failed, and there are no more; or the session did, and is over. */
  onFailure(error: unknown, what: "draft" | "session"): void;
  /** Milliseconds of a monotonic clock. */
  now?(): number;
};

export type LiveSession = {
  /** `samples`: number of samples that can be read. */
  onSamples(samples: number): void;
  /**
   * Ends open speech after the last sample, or after those that were searched so far. Resolves when everything until
   * there is settled, or the session is over.
   */
  endSpeech(after?: "last" | "searched"): Promise<void>;
  /** Seconds of audio that wait to be searched for speech. */
  backlogSec(): number;
  /** Samples before this one are not read again. */
  neededFrom(): number;
  close(): Promise<void>;
};

/** Bounds memory after an interruption. */
const defaultMaxStepSec = 10;
/** Less speech is rarely a word. */
const minDraftSec = 0.4;
/** Silence after the voice that a draft gets. */
const draftTailSec = 0.3;
/** A word ends with that much silence. */
const wordGapSec = 0.1;
/** Kept before open speech is known to have begun. */
const leadSec = 2;

/** Speech since the last pause. */
type Utterance = { startSec: number; draftedUntilSec: number; agreement: WordAgreement };

export function createLiveSession({
  recognizer,
  read,
  onDraft,
  onSettled,
  onStep,
  onFailure,
  maxStepSec = defaultMaxStepSec,
  now = () => performance.now(),
}: LiveSessionOptions): LiveSession {
  const stop = new AbortController();
  const maxStepSamples = Math.round(maxStepSec * sampleRateHz);
  const pacing = createPassPacing(now);
  let availableSamples = 0;
  let processedSamples = 0;
  let ending: { after: "last" | "searched"; done: PromiseWithResolvers<void> } | undefined;
  let stepping: Promise<void> | undefined;
  /** The spans to settle, one after the other. */
  let settling: Promise<void> = Promise.resolve();
  const unsettledSpans = new Set<SpeechSegmentSpan>();
  let utterance: Utterance | undefined;
  let drafting: Promise<void> | undefined;
  let hasDrafts = true;

  const readSec = (fromSec: number, toSec: number): Promise<Uint8Array> =>
    read(Math.round(fromSec * sampleRateHz), Math.round(toSec * sampleRateHz));

  function fail(error: unknown): void {
    if (!stop.signal.aborted) onFailure(error, "session");
    stop.abort();
  }

  async function processSamples(): Promise<void> {
    while ((processedSamples < availableSamples || ending !== undefined) && !stop.signal.aborted) {
      const toSample =
        ending?.after === "searched"
          ? processedSamples
          : Math.min(availableSamples, processedSamples + maxStepSamples);
      const end =
        ending?.after === "searched" || toSample === availableSamples ? ending : undefined;
      if (end !== undefined) ending = undefined;
      const pcm = await read(processedSamples, toSample);
      const step = await recognizer.detectSpeech(pcm, end !== undefined);
      processedSamples = toSample;
      for (const span of step.speechSegments) settle(span);
      end?.done.resolve();
      follow(step);
      onStep?.(step, processedSamples / sampleRateHz);
    }
  }

  function settle(span: SpeechSegmentSpan): void {
    unsettledSpans.add(span);
    settling = settleAfter(settling, span).catch(fail);
  }

  async function settleAfter(earlier: Promise<void>, span: SpeechSegmentSpan): Promise<void> {
    await earlier;
    if (stop.signal.aborted) return;
    const pcm = await readSec(span.fromSec, span.toSec);
    const segments = await recognizer.settle(pcm, span, stop.signal);
    await onSettled(span.startSec, segments);
    unsettledSpans.delete(span);
  }

  /** Starts a draft where it is time for one. */
  function follow({ openSpeech }: LiveSpeechStep): void {
    if (openSpeech === undefined) utterance = undefined;
    else if (utterance?.startSec !== openSpeech.startSec)
      utterance = {
        startSec: openSpeech.startSec,
        draftedUntilSec: openSpeech.startSec + minDraftSec,
        agreement: createWordAgreement(),
      };
    const current = utterance;
    if (current === undefined || openSpeech === undefined || !hasDrafts) return;
    const { fromSec, voicedUntilSec } = openSpeech;
    const isLate = processedSamples < availableSamples;
    if (drafting !== undefined || isLate || voicedUntilSec <= current.draftedUntilSec) return;
    if (!pacing.isDue()) return;
    const processedSec = processedSamples / sampleRateHz;
    const toSec = Math.min(processedSec, voicedUntilSec + draftTailSec);
    drafting = makeDraft(current, { fromSec, toSec, isCut: toSec < voicedUntilSec + wordGapSec })
      .catch((error: unknown) => {
        hasDrafts = false;
        if (!stop.signal.aborted) onFailure(error, "draft");
      })
      .finally(() => (drafting = undefined));
  }

  async function makeDraft(
    current: Utterance,
    { fromSec, toSec, isCut }: { fromSec: number; toSec: number; isCut: boolean },
  ): Promise<void> {
    current.draftedUntilSec = toSec;
    const endPass = pacing.startPass();
    const text = await recognizer.draft(await readSec(fromSec, toSec), stop.signal);
    endPass();
    if (text === undefined) hasDrafts = false;
    // Otherwise its last pass has begun.
    else if (utterance === current && !stop.signal.aborted)
      onDraft({ startSec: current.startSec, ...current.agreement.update(text, isCut) });
  }

  function processMore(): void {
    if (stop.signal.aborted || stepping !== undefined) return;
    stepping = processSamples()
      .catch(fail)
      .finally(() => {
        stepping = undefined;
        if (processedSamples < availableSamples || ending !== undefined) processMore();
      });
  }

  return {
    onSamples(samples) {
      availableSamples = Math.max(availableSamples, samples);
      processMore();
    },
    async endSpeech(after = "last") {
      if (stop.signal.aborted) return;
      const done = ending?.done ?? Promise.withResolvers<void>();
      ending = { after, done };
      stop.signal.addEventListener("abort", () => done.resolve(), { once: true });
      processMore();
      await done.promise;
      await settling;
    },
    backlogSec: () => (availableSamples - processedSamples) / sampleRateHz,
    neededFrom() {
      const openSec = Math.min(
        utterance?.startSec ?? Infinity,
        ...Array.from(unsettledSpans, ({ fromSec }) => fromSec),
        processedSamples / sampleRateHz,
      );
      return Math.max(0, Math.floor((openSec - leadSec) * sampleRateHz));
    },
    async close() {
      stop.abort();
      recognizer.close();
      await Promise.allSettled([stepping, drafting, settling]);
    },
  };
}

// Streaming recognition over any recognizer: the speech since the last pause is transcribed again and again as it grows
// (a draft), and once more when it has ended (settled), which replaces the draft. Nothing here knows models, files or
// clients: samples are read, and recognized, by functions.

import type { LiveSpeechStep } from "../../../audio/dsp/vad-segmenter.ts";
import type { TranscribedSegment } from "../../../library/transcript-rows.ts";
import { createDrafts } from "./drafts.ts";
import { createPassPacing } from "./pass-pacing.ts";
import { type Draft, type LiveRecognizer, sampleRateHz } from "./live-recognizer.ts";
import { createSettling } from "./settling.ts";

export type LiveSessionOptions = {
  recognizer: LiveRecognizer;
  /** Samples `from` to `to` (exclusive) of the session. Those before the start of open speech are never read again. */
  read(from: number, to: number): Promise<Uint8Array>;
  onDraft(draft: Draft): void;
  /** The last pass over a run of speech; without segments, if nothing was said. In time order. */
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
/** Kept before open speech is known to have begun. */
const leadSec = 2;

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
  const { signal } = stop;
  const maxStepSamples = Math.round(maxStepSec * sampleRateHz);
  let availableSamples = 0;
  let processedSamples = 0;
  let openSpeechStartSec = Infinity;
  let ending: { after: "last" | "searched"; done: PromiseWithResolvers<void> } | undefined;
  let stepping: Promise<void> | undefined;

  const readSec = (fromSec: number, toSec: number): Promise<Uint8Array> =>
    read(Math.round(fromSec * sampleRateHz), Math.round(toSec * sampleRateHz));

  function fail(error: unknown): void {
    if (!signal.aborted) onFailure(error, "session");
    stop.abort();
  }

  const drafts = createDrafts({
    recognizer,
    readSec,
    onDraft,
    onFailure: (error) => onFailure(error, "draft"),
    pacing: createPassPacing(now),
    signal,
  });
  const settling = createSettling({
    recognizer,
    readSec,
    onSettled,
    onPass: drafts.drop,
    onFailure: fail,
    signal,
  });

  async function processSamples(): Promise<void> {
    while ((processedSamples < availableSamples || ending !== undefined) && !signal.aborted) {
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
      follow(step, end !== undefined);
      end?.done.resolve();
      onStep?.(step, processedSamples / sampleRateHz);
    }
  }

  function follow({ speechSegments, openSpeech }: LiveSpeechStep, isEnd: boolean): void {
    const processedSec = processedSamples / sampleRateHz;
    for (const span of speechSegments) {
      drafts.endSpeech(span);
      settling.add(span, drafts.joinMaxSec());
    }
    if (isEnd) void settling.flush();
    else settling.follow(openSpeech, processedSec);
    drafts.follow(openSpeech, processedSec, processedSamples < availableSamples);
    openSpeechStartSec = openSpeech?.startSec ?? Infinity;
  }

  function processMore(): void {
    if (signal.aborted || stepping !== undefined) return;
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
      if (signal.aborted) return;
      const done = ending?.done ?? Promise.withResolvers<void>();
      ending = { after, done };
      signal.addEventListener("abort", () => done.resolve(), { once: true });
      processMore();
      await done.promise;
      await settling.flush();
    },
    backlogSec: () => (availableSamples - processedSamples) / sampleRateHz,
    neededFrom() {
      const openSec = Math.min(
        openSpeechStartSec,
        settling.neededFromSec(),
        processedSamples / sampleRateHz,
      );
      return Math.max(0, Math.floor((openSec - leadSec) * sampleRateHz));
    },
    async close() {
      stop.abort();
      recognizer.close();
      await Promise.allSettled([stepping, drafts.idle(), settling.flush()]);
    },
  };
}

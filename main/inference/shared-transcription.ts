// Distributes the segments of one long file to the local engines and to helpers. The engines take segments from the
// front, so that the first text comes first; helpers take runs of neighbours from the back while the engines are busy.
// Runs that a helper fails at, or has not finished when no other work is left, are transcribed locally.

import { join } from "node:path";
import type { SpeechSegmentSpan } from "../audio/dsp/vad-segmenter.ts";
import type { HelperShare, TranscriptionJob } from "../contract/speech.ts";
import { transcribeRemotely, type TranscriptionHelper } from "./transcription-helper.ts";
import { maxBatchSegments } from "./segment-batches.ts";
import {
  createDeferredResult,
  type SegmentResult,
  transcribeBatches,
  type SegmentTranscriber,
} from "./segment-transcriber.ts";

export type SharedTranscription = {
  /** One result per segment, in order; waits while the language is being detected. */
  transcribe(
    pcmPath: string,
    pieces: readonly SpeechSegmentSpan[],
  ): Promise<Promise<SegmentResult>[]>;
  /** Whether more segments will follow before those in progress are finished. */
  setMoreExpected(isExpected: boolean): void;
  /** The helpers with accepted results, and how much audio each transcribed. */
  usedHelpers(): HelperShare[];
  /** Settles once no file for a helper is being written or read. Call after `signal` was aborted. */
  waitUntilIdle(): Promise<void>;
};

export type SharedTranscriptionOptions = {
  transcriber: SegmentTranscriber;
  poolSize: number;
  helpers: readonly TranscriptionHelper[];
  job: TranscriptionJob;
  /** The file, as far as known now; `decodedSec` is how much of it was decoded. */
  file: { readonly durationSec: number | undefined; readonly decodedSec: number };
  /** `undefined` if unknown: helpers may detect it. */
  language(): string | undefined;
  /** For the files sent to helpers; the caller removes it. */
  folder: string;
  /** Aborts the transcription of this file. */
  signal: AbortSignal;
  nowMs?(): number;
};

/** Shorter files are not worth a network request. */
const minSharedFileSec = 60;
/** Maximum length sent to a helper at once: one window of Whisper, and of most models that providers offer. */
const maxRunSec = 30;

type QueuedSegment = {
  readonly position: number;
  readonly pcmPath: string;
  readonly speechSegment: SpeechSegmentSpan;
  readonly deferred: PromiseWithResolvers<SegmentResult>;
};
/** Transcribed audio and the time it took; zero before the first result. */
type Throughput = { audioMs: number; tookMs: number };
type HelperState = {
  readonly helper: TranscriptionHelper;
  running: number;
  hasFailed: boolean;
  readonly throughput: Throughput;
};
/** A run of neighbours sent to a helper. Stays in the set until it is transcribed, there or locally. */
type HelperBatch = {
  readonly helperState: HelperState;
  readonly items: readonly QueuedSegment[];
  readonly abort: AbortController;
  isReclaimed: boolean;
};

export function createSharedTranscription(
  options: SharedTranscriptionOptions,
): SharedTranscription {
  const {
    transcriber,
    poolSize,
    job,
    file,
    folder,
    signal,
    nowMs = () => performance.now(),
  } = options;
  const helpers = options.helpers.map((helper): HelperState => ({
    helper,
    running: 0,
    hasFailed: false,
    throughput: { audioMs: 0, tookMs: 0 },
  }));
  const local: { running: number; readonly throughput: Throughput } = {
    running: 0,
    throughput: { audioMs: 0, tookMs: 0 },
  };
  const helperBatches = new Set<HelperBatch>();
  const pendingRequests = new Set<Promise<void>>();
  const processedSecByHelper = new Map<string, number>();
  /** In time order. */
  let waiting: QueuedSegment[] = [];
  let queuedCount = 0;
  let requestCount = 0;
  let isMoreExpected = true;
  signal.addEventListener(
    "abort",
    () => {
      for (const { deferred } of [...waiting, ...[...helperBatches].flatMap(({ items }) => items)])
        deferred.reject(signal.reason);
    },
    { once: true },
  );

  function dispatch(): void {
    if (signal.aborted) return;
    while (local.running < poolSize && waiting.length > 0) void transcribeLocally(takeLocalBatch());
    for (const helperState of helpers) {
      for (
        let run = lastConsecutiveItems();
        shouldRequestHelp(helperState, run);
        run = lastConsecutiveItems()
      ) {
        removeFromQueue(run);
        const done: Promise<void> = requestHelp(helperState, run).finally(() =>
          pendingRequests.delete(done),
        );
        pendingRequests.add(done);
      }
    }
    for (
      let helperBatch = findReclaimable();
      helperBatch !== undefined;
      helperBatch = findReclaimable()
    )
      void reclaim(helperBatch);
  }

  /** Segments to transcribe together locally, including the first waiting one. */
  function takeLocalBatch(): QueuedSegment[] {
    const nearby = waiting
      .slice(0, 2 * maxBatchSegments * poolSize)
      .filter(({ pcmPath }) => pcmPath === waiting[0]?.pcmPath);
    const [group = []] = transcriber.groupIntoBatches(
      nearby.map(({ speechSegment }) => speechSegment),
    );
    return removeFromQueue(nearby.filter(({ speechSegment }) => group.includes(speechSegment)));
  }

  function removeFromQueue(items: QueuedSegment[]): QueuedSegment[] {
    waiting = waiting.filter((item) => !items.includes(item));
    return items;
  }

  /** The last waiting neighbours: they are needed last, so a helper has the most time for them. */
  function lastConsecutiveItems(): QueuedSegment[] {
    const run: QueuedSegment[] = [];
    for (const item of waiting.toReversed()) {
      const [next] = run;
      const isNeighbour =
        next === undefined ||
        (next.position === item.position + 1 && next.pcmPath === item.pcmPath);
      if (!isNeighbour || spanMs([item, ...run]) > maxRunSec * 1000) break;
      run.unshift(item);
    }
    return run;
  }

  /** A helper is not used if the local engines would finish everything that is left before its result. */
  function shouldRequestHelp(
    { helper, running, hasFailed, throughput }: HelperState,
    run: readonly QueuedSegment[],
  ): boolean {
    if (hasFailed || run.length === 0 || running >= helper.maxConcurrent) return false;
    // Speeds are unknown until each side has returned one result.
    if (throughput.audioMs === 0 || local.throughput.audioMs === 0) return running === 0;
    const helperMs = (spanMs(run) * throughput.tookMs) / throughput.audioMs;
    const undecodedMs = Math.max(0, (file.durationSec ?? 0) - file.decodedSec) * 1000;
    const remainingMs = waiting.reduce((sum, item) => sum + spanMs([item]), undecodedMs);
    return (
      helperMs <= (remainingMs * local.throughput.tookMs) / local.throughput.audioMs / poolSize
    );
  }

  /** On the local engines. */
  async function transcribe(items: readonly QueuedSegment[]): Promise<SegmentResult[]> {
    local.running += 1;
    const startedMs = nowMs();
    try {
      const heard = await transcriber.transcribe(
        items[0]?.pcmPath ?? "",
        items.map(({ speechSegment }) => speechSegment),
      );
      addThroughput(
        local.throughput,
        items.reduce((sum, item) => sum + spanMs([item]), 0),
        nowMs() - startedMs,
      );
      return heard;
    } finally {
      local.running -= 1;
    }
  }

  async function transcribeLocally(items: readonly QueuedSegment[]): Promise<void> {
    try {
      const results = await transcribe(items);
      for (const [index, { deferred }] of items.entries())
        deferred.resolve(results[index] as SegmentResult);
    } catch (error) {
      for (const { deferred } of items) deferred.reject(error);
    }
    dispatch();
  }

  async function requestHelp(
    helperState: HelperState,
    items: readonly QueuedSegment[],
  ): Promise<void> {
    const { helper } = helperState;
    const helperBatch: HelperBatch = {
      helperState,
      items,
      abort: new AbortController(),
      isReclaimed: false,
    };
    helperBatches.add(helperBatch);
    helperState.running += 1;
    const startedMs = nowMs();
    try {
      const wavPath = join(folder, `share-${(requestCount += 1)}.wav`);
      const requestSignal = AbortSignal.any([signal, helperBatch.abort.signal]);
      const segments = await transcribeRemotely(
        helper,
        jobFor(options.language()),
        items[0]?.pcmPath ?? "",
        items.map(({ speechSegment }) => speechSegment),
        wavPath,
        requestSignal,
      );
      // A local engine may have transcribed it meanwhile.
      if (helperBatches.delete(helperBatch)) {
        addThroughput(helperState.throughput, spanMs(items), nowMs() - startedMs);
        processedSecByHelper.set(
          helper.name,
          (processedSecByHelper.get(helper.name) ?? 0) + spanMs(items) / 1000,
        );
        for (const [index, { speechSegment, deferred }] of items.entries())
          deferred.resolve({
            untilSec: speechSegment.endSec,
            segments: index === 0 ? segments : [],
          });
      }
    } catch {
      helperState.hasFailed = true;
      if (!helperBatch.isReclaimed && helperBatches.delete(helperBatch))
        waiting = [...waiting, ...items].sort((one, other) => one.position - other.position);
    }
    helperState.running -= 1;
    dispatch();
  }

  /** English speech is its own translation, and more providers transcribe than translate. */
  function jobFor(language: string | undefined): TranscriptionJob {
    return language === undefined
      ? job
      : { ...job, language, task: language === "en" ? "transcribe" : job.task };
  }

  /** The earliest run that a helper has not finished, if a local engine has no other work. */
  function findReclaimable(): HelperBatch | undefined {
    if (local.running >= poolSize || isMoreExpected) return undefined;
    return [...helperBatches]
      .filter(({ isReclaimed }) => !isReclaimed)
      .sort((one, other) => (one.items[0]?.position ?? 0) - (other.items[0]?.position ?? 0))[0];
  }

  /**
   * Transcribes a helper's unfinished run locally. The first result counts; a helper that loses is not used again for
   * this file.
   */
  async function reclaim(helperBatch: HelperBatch): Promise<void> {
    helperBatch.isReclaimed = true;
    const results = new Map<QueuedSegment, SegmentResult>();
    try {
      await Promise.all(
        transcriber
          .groupIntoBatches(helperBatch.items.map(({ speechSegment }) => speechSegment))
          .map(async (group) => {
            const items = helperBatch.items.filter(({ speechSegment }) =>
              group.includes(speechSegment),
            );
            for (const [index, result] of (await transcribe(items)).entries())
              results.set(items[index] as QueuedSegment, result);
            dispatch();
          }),
      );
      if (!helperBatches.delete(helperBatch)) return;
      helperBatch.helperState.hasFailed = true;
      helperBatch.abort.abort();
      for (const item of helperBatch.items)
        item.deferred.resolve(results.get(item) as SegmentResult);
    } catch (error) {
      if (!helperBatches.delete(helperBatch)) return;
      helperBatch.abort.abort();
      for (const { deferred } of helperBatch.items) deferred.reject(error);
    }
  }

  return {
    async transcribe(pcmPath, found) {
      await transcriber.waitForLanguage();
      const isShared =
        helpers.length > 0 && Math.max(file.durationSec ?? 0, file.decodedSec) > minSharedFileSec;
      if (!isShared || transcriber.isDetectingLanguage())
        return transcribeBatches(transcriber, pcmPath, found);
      const items = found.map((speechSegment): QueuedSegment => ({
        position: (queuedCount += 1),
        pcmPath,
        speechSegment,
        deferred: createDeferredResult(),
      }));
      waiting.push(...items);
      dispatch();
      return items.map((item) => item.deferred.promise);
    },
    setMoreExpected(isExpected) {
      isMoreExpected = isExpected;
      dispatch();
    },
    usedHelpers: () =>
      Array.from(processedSecByHelper, ([channel, processedSec]) => ({ channel, processedSec })),
    async waitUntilIdle() {
      await Promise.all(pendingRequests);
    },
  };
}

/** From the start of the first segment to the end of the last. */
function spanMs(items: readonly QueuedSegment[]): number {
  const [first, last] = [items[0], items.at(-1)];
  return first === undefined || last === undefined
    ? 0
    : (last.speechSegment.toSec - first.speechSegment.fromSec) * 1000;
}

function addThroughput(throughput: Throughput, audioMs: number, tookMs: number): void {
  throughput.audioMs += audioMs;
  throughput.tookMs += tookMs;
}

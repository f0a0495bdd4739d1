// Queue of transcriptions: one file at a time, short ones in parallel. Segments are saved and published as they arrive.
// Interrupted work continues after the last saved segment, and failed ranges are retried.

import { AppError } from "../../contract/errors.ts";
import { createMessage } from "../../contract/messages/messages.ts";
import type { SentMessage } from "../../contract/messages/messages.ts";
import { parseLanguage } from "../../contract/languages.ts";
import { addSpeechSec, dominantLanguage } from "../../contract/transcript.ts";
import type { Documents } from "../../library/documents.ts";
import type { ItemPatch, Items } from "../../library/items.ts";
import type { Log } from "../../log.ts";
import type { RetriedWrites } from "../../storage/retried-writes.ts";
import type { AppEvents } from "../events.ts";
import {
  type TranscribeRangeDeps,
  type TranscriptionUpdate,
  transcribeRange,
} from "./transcribe-range.ts";
import { pendingLengthSec, listPendingRanges, type PendingRange } from "./pending-ranges.ts";
import type { Media } from "./media.ts";

export type TranscriptionQueueDeps = TranscribeRangeDeps & {
  items: Items;
  documents: Documents;
  events: AppEvents;
  media: Media;
  writes: RetriedWrites;
  log: Log;
};

export type TranscriptionQueue = {
  /** The item needs a source and a document. No effect if it is already queued or running. */
  add(itemId: string): void;
  has(itemId: string): boolean;
  isRunning(itemId: string): boolean;
  /** Stops the work on the item; its segments are kept. Resolves when the work has ended. */
  cancel(itemId: string): Promise<void>;
  /** Stops all work; it resumes at the next start. */
  close(): Promise<void>;
};

const maxShortSec = 60;
const maxConcurrentShort = 2;
const progressIntervalMs = 500;
/** Before this, the remaining time cannot be estimated. */
const minPaceMs = 2000;

const cancelReason = new Error("cancelled");
const itemRemovedReason = new Error("the item was removed");
const closeReason = new Error("the app closes");

type ActiveJob = { stop: AbortController; isShort: boolean; ended: Promise<void> };

export function createTranscriptionQueue(deps: TranscriptionQueueDeps): TranscriptionQueue {
  const { items, documents, events, media, writes, log } = deps;
  let waiting: string[] = [];
  const activeJobs = new Map<string, ActiveJob>();
  let isClosed = false;

  function schedule(): void {
    if (isClosed) return;
    for (const itemId of waiting) {
      const durationSec = storedDurationSec(itemId);
      const isShort = durationSec > 0 && durationSec <= maxShortSec;
      const others = [...activeJobs.values()];
      const isFree = isShort
        ? others.length <= maxConcurrentShort
        : others.every((other) => other.isShort);
      if (!isFree) continue;
      waiting = waiting.filter((other) => other !== itemId);
      const stop = new AbortController();
      activeJobs.set(itemId, {
        stop,
        isShort,
        ended: writes.withLabel(itemId, () => run(itemId, stop)),
      });
    }
  }

  /** Used for scheduling only, so errors are ignored. */
  function storedDurationSec(itemId: string): number {
    try {
      return items.find(itemId)?.durationSec ?? 0;
    } catch {
      return 0;
    }
  }

  /** Never rejects. */
  async function run(itemId: string, stop: AbortController): Promise<void> {
    try {
      const outcome = await runToOutcome(itemId, stop);
      if (outcome !== undefined) await writes.run(() => applyOutcome(itemId, outcome));
    } catch (error) {
      // The stored state is unchanged, so the next start continues from it.
      if (!isClosed)
        log.error({ itemId, err: error }, "how a transcription ended could not be kept");
    }
    activeJobs.delete(itemId);
    schedule();
  }

  /** The job is removed before subscribers are notified, since they may queue the item again at once. */
  function applyOutcome(itemId: string, outcome: ItemPatch): void {
    const job = activeJobs.get(itemId);
    activeJobs.delete(itemId);
    try {
      if (items.find(itemId) !== undefined) items.change(itemId, outcome);
    } catch (error) {
      if (job !== undefined) activeJobs.set(itemId, job);
      throw error;
    }
  }

  /** @returns the new state; undefined if none is to be stored */
  async function runToOutcome(
    itemId: string,
    stop: AbortController,
  ): Promise<ItemPatch | undefined> {
    // Lets the caller get its response before events are published.
    await Promise.resolve();
    try {
      // Waits while the disk is full, then continues after the last saved segment.
      return await writes.run(() => items.find(itemId) && transcribe(itemId, stop), stop.signal);
    } catch (error) {
      return await writes.run(() => toFailureOutcome(error, itemId, stop.signal));
    }
  }

  function toFailureOutcome(
    error: unknown,
    itemId: string,
    { reason }: AbortSignal,
  ): ItemPatch | undefined {
    if (isClosed || reason === closeReason || items.find(itemId) === undefined) return undefined;
    const isPartial = documents.readHeader(itemId).segmentCount > 0;
    if (reason === cancelReason) return { state: "cancelled", leftSec: undefined, isPartial };
    log.warn({ itemId, err: error }, "a transcription failed");
    return { state: "failed", leftSec: undefined, isPartial, error: toErrorMessage(error) };
  }

  async function transcribe(itemId: string, stop: AbortController): Promise<ItemPatch> {
    const document = documents.read(itemId);
    const { fromSec, toSec, ...options } = document.options;
    const item = await writes.run(
      () => items.change(itemId, { state: "running", error: undefined, leftSec: undefined }),
      stop.signal,
    );
    const mediaPath = await media.source(itemId);
    // Also used after cancellation, so that finished segments are kept.
    const writeWithRetry = <T>(write: () => T): Promise<T> => writes.run(write);
    let failed = [...document.failed];
    const secByLanguage = new Map<string, number>();
    let language = document.language;
    const ranges = listPendingRanges(document, item.durationSec || undefined);
    const reportProgress = createProgressReporter(items, itemId, ranges, { fromSec, toSec });

    addSpeechSec(secByLanguage, document.segments);

    /** Saves each update before reading the next one. While the disk rejects writes, only one update is in memory. */
    const handleUpdate = async (update: TranscriptionUpdate): Promise<void> => {
      if (items.find(itemId) === undefined) {
        stop.abort(itemRemovedReason);
        throw itemRemovedReason;
      }
      addSpeechSec(secByLanguage, update.segments);
      if (update.segments.length > 0) {
        const segments = await writeWithRetry(() =>
          documents.appendSegments(itemId, update.segments),
        );
        events.publish({ type: "segments", itemId, segments });
      }
      if (update.failed.length > 0) await setFailed([...failed, ...update.failed]);
      language = dominantLanguage(secByLanguage) ?? update.language ?? language;
      reportProgress(update.processedSec);
    };

    const onChannelSelected = (channel: string): void =>
      writes.runInBackground(() => items.recordSentTo(itemId, channel));

    function setFailed(failedRanges: typeof failed): Promise<void> {
      failed = failedRanges;
      return writeWithRetry(() => documents.setHeader(itemId, { failed }));
    }

    for (const range of ranges) {
      // The language of the whole recording is more reliable than one detected in a short range.
      const knownLanguage =
        range.failed === undefined ? undefined : parseLanguage(document.language);
      for await (const update of transcribeRange(
        deps,
        {
          mediaPath,
          options: { ...options, language: options.language ?? knownLanguage },
          fromSec: range.fromSec,
          toSec: range.toSec,
          onChannelSelected,
        },
        stop.signal,
      ))
        await handleUpdate(update);
      // A range that failed again was added to the list as a new entry.
      if (range.failed !== undefined)
        await setFailed(failed.filter((failedRange) => failedRange !== range.failed));
    }
    const { durationSec } = items.read(itemId);
    // Engines name a language even if there is no speech.
    if (secByLanguage.size === 0) language = "";
    await writeWithRetry(() => documents.setHeader(itemId, { language, durationSec }));
    return {
      state: "done",
      progress: 1,
      leftSec: undefined,
      language,
      isPartial: failed.length > 0,
    };
  }

  return {
    add(itemId) {
      if (waiting.includes(itemId) || activeJobs.has(itemId)) return;
      waiting.push(itemId);
      schedule();
    },
    has: (itemId) => waiting.includes(itemId) || activeJobs.has(itemId),
    isRunning: (itemId) => activeJobs.has(itemId),
    async cancel(itemId) {
      const job = activeJobs.get(itemId);
      job?.stop.abort(cancelReason);
      if (job !== undefined) await writes.orStorageFailure(itemId, job.ended);
      if (!waiting.includes(itemId)) return;
      items.change(itemId, { state: "cancelled", leftSec: undefined });
      waiting = waiting.filter((other) => other !== itemId);
    },
    async close() {
      isClosed = true;
      for (const { stop } of activeJobs.values()) stop.abort(closeReason);
      await Promise.all([...activeJobs.values()].map(({ ended }) => ended));
    },
  };
}

/** Reports progress at most twice a second, and the remaining time at the average pace so far. */
function createProgressReporter(
  items: Items,
  itemId: string,
  ranges: readonly PendingRange[],
  { fromSec = 0, toSec }: { fromSec: number | undefined; toSec: number | undefined },
): (processedSec: number) => void {
  const startedMs = performance.now();
  let reportedMs = -Infinity;
  return (processedSec) => {
    const nowMs = performance.now();
    const endSec = Math.min(toSec ?? Infinity, items.find(itemId)?.durationSec || Infinity);
    if (nowMs - reportedMs < progressIntervalMs || endSec === Infinity) return;
    reportedMs = nowMs;
    const pendingSec = pendingLengthSec(ranges, endSec);
    const doneSec = pendingLengthSec(ranges, endSec, processedSec);
    // If only failed ranges are retried, they are the whole work.
    const earlierSec = ranges.some(({ failed }) => failed === undefined)
      ? Math.max(0, endSec - fromSec - pendingSec)
      : 0;
    const progress = Math.min(1, Math.max(0, (earlierSec + doneSec) / (earlierSec + pendingSec)));
    const hasPace = nowMs - startedMs > minPaceMs && doneSec > 0;
    const leftSec = ((nowMs - startedMs) / 1000 / doneSec) * Math.max(0, pendingSec - doneSec);
    items.progress(itemId, progress, hasPace ? Math.round(leftSec) : undefined);
  };
}

/** Message for the user: what happened and what to do. */
const toErrorMessage = (error: unknown): SentMessage =>
  error instanceof AppError ? error.sent : createMessage("transcription.unexpected");

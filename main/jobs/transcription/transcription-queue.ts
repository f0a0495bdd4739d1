// Queue of transcriptions: one file at a time, short ones in parallel. The user may pause and reorder it.

import type {
  TranscriptionQueueChange,
  TranscriptionQueueState,
} from "../../contract/transcription-queue.ts";
import type { QueueStore } from "../../library/queue-state.ts";
import type { ItemPatch } from "../../library/item-table.ts";
import {
  cancelReason,
  closeReason,
  pauseReason,
  runTranscription,
  type TranscriptionRunDeps,
} from "./transcription-run.ts";

export type TranscriptionQueue = {
  /** The item needs a source and a document. No effect if it is already queued or running. */
  add(itemId: string): void;
  has(itemId: string): boolean;
  isRunning(itemId: string): boolean;
  /** Stops the work on the item; its segments are kept. Resolves when the work has ended. */
  cancel(itemId: string): Promise<void>;
  state(): TranscriptionQueueState;
  /** Pausing stops running work, which waits first in line then. Durable when it returns. */
  change(change: TranscriptionQueueChange): TranscriptionQueueState;
  /** Stops all work. It resumes at the next start, except for what was cancelled. */
  close(): Promise<void>;
};

const maxShortSec = 60;
const maxConcurrentShort = 2;

type ActiveJob = { stop: AbortController; isShort: boolean; ended: Promise<void> };

export type TranscriptionQueueDeps = TranscriptionRunDeps & {
  queueStore: QueueStore;
};

export function createTranscriptionQueue(deps: TranscriptionQueueDeps): TranscriptionQueue {
  const { items, writes, events, queueStore, log } = deps;
  let waiting: string[] = [];
  const activeJobs = new Map<string, ActiveJob>();
  let isClosed = false;
  const announce = oncePerTurn(() => events.publish({ type: "transcription-queue" }));

  const state = (): TranscriptionQueueState => ({
    isPaused: queueStore.read().isPaused,
    itemIds: [...waiting],
  });

  function setWaiting(itemIds: string[]): void {
    waiting = itemIds;
    announce();
  }

  const isPaused = (): boolean => readOr(() => queueStore.read().isPaused, false);
  const storedDurationSec = (itemId: string): number =>
    readOr(() => items.find(itemId)?.durationSec ?? 0, 0);
  const isStillWaiting = (itemId: string): boolean =>
    readOr(() => items.find(itemId)?.state === "waiting", true);

  function schedule(): void {
    if (isClosed || waiting.length === 0 || isPaused()) return;
    for (const itemId of waiting) {
      const durationSec = storedDurationSec(itemId);
      const isShort = durationSec > 0 && durationSec <= maxShortSec;
      const others = [...activeJobs.values()];
      const isFree = isShort
        ? others.length <= maxConcurrentShort
        : others.every((other) => other.isShort);
      if (!isFree) continue;
      setWaiting(waiting.filter((other) => other !== itemId));
      const stop = new AbortController();
      activeJobs.set(itemId, {
        stop,
        isShort,
        ended: writes.withLabel(itemId, () => run(itemId, stop)),
      });
    }
  }

  /** Never rejects. */
  async function run(itemId: string, stop: AbortController): Promise<void> {
    try {
      const outcome = await runTranscription(deps, itemId, stop);
      if (outcome !== undefined) await writes.run(() => applyOutcome(itemId, outcome));
    } catch (error) {
      // The stored state is unchanged, so the next start continues from it.
      if (!isClosed)
        log.error({ itemId, err: error }, "the outcome of a transcription could not be stored");
    }
    activeJobs.delete(itemId);
    if (stop.signal.reason === pauseReason && isStillWaiting(itemId))
      setWaiting([itemId, ...waiting.filter((other) => other !== itemId)]);
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

  return {
    add(itemId) {
      if (waiting.includes(itemId) || activeJobs.has(itemId)) return;
      setWaiting([...waiting, itemId]);
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
      setWaiting(waiting.filter((other) => other !== itemId));
    },
    state,
    change({ isPaused: pauses = isPaused(), itemIds = [] }) {
      const first = itemIds.filter(
        (id, index) => waiting.includes(id) && itemIds.indexOf(id) === index,
      );
      const next = [...first, ...waiting.filter((id) => !first.includes(id))];
      queueStore.save({ isPaused: pauses, itemIds: [...activeJobs.keys(), ...next] });
      setWaiting(next);
      if (pauses) for (const { stop } of activeJobs.values()) stop.abort(pauseReason);
      else schedule();
      return state();
    },
    async close() {
      isClosed = true;
      for (const { stop } of activeJobs.values()) stop.abort(closeReason);
      await Promise.all([...activeJobs.values()].map(({ ended }) => ended));
    },
  };
}

/** For scheduling, what cannot be read is no reason to fail. */
function readOr<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** Calls in a row take effect once, after them. */
function oncePerTurn(work: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      work();
    });
  };
}

// Requested work on narrations: stores it, then starts a run or adds it to the active one. Work that was interrupted by
// a shutdown is resumed.

import { AppError } from "../../contract/errors.ts";
import type { Item } from "../../contract/library-item.ts";
import type { Items } from "../../library/items.ts";
import type { AsyncLibraryTasks } from "../../library/library-tasks.ts";
import type { NarrationWork, SentenceTask } from "../../library/narration-work.ts";
import type { Log } from "../../log.ts";
import { retryWhileBusy } from "../../storage/retry-while-busy.ts";
import type { RetriedWrites } from "../../storage/retried-writes.ts";
import { type ActiveRuns, cancelReason } from "./active-runs.ts";

export type NarrationQueue = {
  /** Runs an operation that ends in `enqueue`. Stopping the work on the item aborts it as well and waits for it. */
  request<T>(itemId: string, prepare: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** @param signal the one that `request` passes */
  enqueue(request: SentenceRequest, signal: AbortSignal): Promise<Item>;
  /** Cancels the work, if any, and deletes its tasks; takes are kept. Resolves when nothing more is written. */
  cancel(itemId: string): Promise<void>;
  /** Resumes work that was interrupted by a shutdown. Stops if the app is closed meanwhile. */
  resume(): Promise<void>;
  /** Stops the work; it resumes at the next start. */
  close(): Promise<void>;
};

export type SentenceRequest = {
  itemId: string;
  task: SentenceTask;
  ids: readonly string[];
  /** Processed before all others. */
  priorityIds?: readonly string[];
  isFullRun?: boolean;
};

export type NarrationQueueDeps = {
  writes: RetriedWrites;
  items: Items;
  work: NarrationWork;
  tasks: Pick<AsyncLibraryTasks, "addWork" | "dropWork">;
  runs: ActiveRuns;
  /** Parses the script in time slices. */
  prepareNarration(itemId: string): Promise<void>;
  closing: AbortController;
  log: Log;
};

/** A request that is not stored yet. */
type PendingRequest = {
  readonly itemId: string;
  readonly stop: AbortController;
  readonly finished: Promise<unknown>;
};

const shutdownReason = new Error("the app stops");

export function createNarrationQueue(deps: NarrationQueueDeps): NarrationQueue {
  const { writes, items, work, tasks, runs, prepareNarration, closing, log } = deps;
  const pendingRequests = new Set<PendingRequest>();

  /** If this write fails, the work still continues, and later progress updates are stored. */
  const markRunning = (itemId: string, patch: { progress?: number } = {}): void =>
    writes.runInBackground(
      () =>
        runs.has(itemId) &&
        items.change(itemId, { state: "running", leftSec: undefined, error: undefined, ...patch }),
    );

  /** @returns when it has ended */
  function abort(itemId: string, reason: Error): Promise<unknown> {
    const run = runs.get(itemId);
    const requests = [...pendingRequests].filter((request) => request.itemId === itemId);
    const aborted = [...(run === undefined ? [] : [run]), ...requests];
    for (const { stop } of aborted) stop.abort(reason);
    return Promise.all(aborted.map(({ finished }) => finished));
  }

  async function resumeItem(itemId: string): Promise<void> {
    try {
      await prepareNarration(itemId);
    } catch (error) {
      log.error({ err: error, itemId }, "the work on a narration could not be resumed");
      return;
    }
    if (closing.signal.aborted || runs.has(itemId) || !work.has(itemId)) return;
    runs.start(itemId, false);
    // The app stopped right after the work was stored.
    if (items.find(itemId)?.state !== "running") markRunning(itemId);
  }

  return {
    async request(itemId, prepare) {
      if (closing.signal.aborted) throw new AppError("closing");
      const stop = new AbortController();
      const prepared = writes.withLabel(itemId, () => prepare(stop.signal));
      const pending: PendingRequest = { itemId, stop, finished: prepared.catch(() => {}) };
      pendingRequests.add(pending);
      try {
        return await prepared;
      } finally {
        pendingRequests.delete(pending);
      }
    },
    async enqueue({ itemId, task, ids, priorityIds = [], isFullRun = false }, signal) {
      if (closing.signal.aborted) throw new AppError("closing");
      if (signal.aborted) return items.read(itemId);
      if (ids.length === 0) return runs.has(itemId) ? items.read(itemId) : runs.updateItem(itemId);
      await retryWhileBusy(() => tasks.addWork(itemId, task, ids));
      if (signal.reason === cancelReason) {
        await writes.run(() => tasks.dropWork(itemId));
        await runs.storeOutcome(itemId, { state: "cancelled" });
        return items.read(itemId);
      }
      const item = items.read(itemId);
      // The work is stored: it starts at the next start of the app.
      if (closing.signal.aborted) return item;
      const current = runs.get(itemId);
      if (current === undefined) {
        runs.start(itemId, isFullRun);
        markRunning(itemId, { progress: 0 });
      } else {
        current.isFullRun ||= isFullRun;
        current.run.reload(priorityIds);
      }
      return items.read(itemId);
    },
    cancel: async (itemId) =>
      void (await writes.orStorageFailure(itemId, abort(itemId, cancelReason))),
    async resume() {
      const itemIds = new Set(work.itemIds());
      for (const itemId of itemIds) {
        await resumeItem(itemId);
        if (closing.signal.aborted) return;
      }
      for (const { id } of items.list({ kind: "narration", state: "running" }))
        if (!itemIds.has(id)) runs.updateItemLater(id);
    },
    async close() {
      closing.abort();
      const requested = [...pendingRequests].map(({ itemId }) => itemId);
      const itemIds = new Set([...runs.itemIds(), ...requested]);
      await Promise.all([...itemIds].map((itemId) => abort(itemId, shutdownReason)));
    },
  };
}

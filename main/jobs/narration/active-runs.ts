// The active runs, at most one per narration, and how they end: the outcome is stored with the item.

import { AppError } from "../../contract/errors.ts";
import type { Item } from "../../contract/library-item.ts";
import { createMessage, type SentMessage } from "../../contract/messages/messages.ts";
import type { Items } from "../../library/items.ts";
import type { AsyncLibraryTasks } from "../../library/library-tasks.ts";
import type { NarrationWork } from "../../library/narration-work.ts";
import type { Log } from "../../log.ts";
import { runInSlices } from "../../processes/time-slices.ts";
import type { RetriedWrites } from "../../storage/retried-writes.ts";
import { type LoadedNarration, measureGenerated } from "./loaded-narration.ts";
import type { NarrationRun } from "./narration-run.ts";

export type ActiveRun = {
  run: NarrationRun;
  stop: AbortController;
  finished: Promise<void>;
  /** All sentences are requested, including those added to the script later. */
  isFullRun: boolean;
};

/** State and error of the item after the work; without a state, what is generated decides. */
export type Outcome = { state?: Item["state"]; error?: SentMessage | undefined };

/** Why a run was aborted by a person. */
export const cancelReason = new Error("cancelled");

export type ActiveRuns = {
  start(itemId: string, isFullRun: boolean): void;
  get(itemId: string): ActiveRun | undefined;
  has(itemId: string): boolean;
  itemIds(): string[];
  /** Stores how the work on an item ended, unless it goes on. */
  storeOutcome(itemId: string, outcome: Outcome): Promise<void>;
  /** Updates state, progress and duration of the item from what is generated. */
  updateItem(itemId: string): Promise<Item>;
  /** The same in the background, if no run is active. */
  updateItemLater(itemId: string): void;
};

export type ActiveRunsDeps = {
  writes: RetriedWrites;
  items: Items;
  work: NarrationWork;
  tasks: Pick<AsyncLibraryTasks, "dropWork">;
  loadNarration(itemId: string): Promise<LoadedNarration>;
  startRun(itemId: string, signal: AbortSignal): NarrationRun;
  /** Aborted when the app closes. */
  closing: AbortSignal;
  log: Log;
};

export function createActiveRuns(deps: ActiveRunsDeps): ActiveRuns {
  const { writes, items, work, tasks, loadNarration, startRun, closing, log } = deps;
  const active = new Map<string, ActiveRun>();

  const start = (itemId: string, isFullRun: boolean): void =>
    writes.withLabel(itemId, () => {
      const stop = new AbortController();
      const run = startRun(itemId, stop.signal);
      const finished = handleEnd(itemId, run.done, stop.signal);
      active.set(itemId, { run, stop, isFullRun, finished });
    });

  /** Never rejects. */
  async function handleEnd(
    itemId: string,
    done: Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const outcome = await awaitOutcome(itemId, done, signal);
      active.delete(itemId);
      if (outcome !== undefined) await storeOutcome(itemId, outcome);
    } catch (error) {
      // The stored state is unchanged, so the next start continues from it.
      if (!closing.aborted)
        log.error({ err: error, itemId }, "the outcome of a narration could not be stored");
    } finally {
      if (active.get(itemId)?.run.done === done) active.delete(itemId);
    }
  }

  /** @returns undefined if the remaining work resumes at the next start */
  async function awaitOutcome(
    itemId: string,
    done: Promise<void>,
    signal: AbortSignal,
  ): Promise<Outcome | undefined> {
    try {
      await done;
      return {};
    } catch (error) {
      const known = error instanceof AppError ? error : undefined;
      const isCancelled = signal.reason === cancelReason;
      if (!isCancelled && (closing.aborted || known?.key === "closing")) return undefined;
      if (!isCancelled && known === undefined)
        log.error({ err: error, itemId }, "a narration failed");
      await writes.run(() => tasks.dropWork(itemId));
      if (isCancelled) return { state: "cancelled" };
      return { state: "failed", error: known?.sent ?? createMessage("narration.unexpected") };
    }
  }

  async function storeOutcome(itemId: string, outcome: Outcome): Promise<void> {
    await writes.run(async () => {
      if (items.find(itemId) === undefined || active.has(itemId)) return;
      // Work was added just when the last sentence was completed.
      if (outcome.state === undefined && work.has(itemId)) return start(itemId, false);
      const isComplete =
        outcome.state === "cancelled" &&
        (await runInSlices(measureGenerated(await loadNarration(itemId)))).progress === 1;
      if (!active.has(itemId)) await updateItem(itemId, isComplete ? {} : outcome);
    });
    await writes.run(() => items.updateSize(itemId));
  }

  async function updateItem(itemId: string, outcome: Outcome = {}): Promise<Item> {
    const narration = await loadNarration(itemId);
    const generated = await runInSlices(measureGenerated(narration));
    return items.change(itemId, {
      // A script that is too long has no sentences here, but takes on disk: progress and duration stay as they are.
      ...(narration.tooLongError === undefined ? generated : {}),
      state: outcome.state ?? (generated.progress === 1 ? "done" : "waiting"),
      leftSec: undefined,
      error: outcome.error,
    });
  }

  return {
    start,
    get: (itemId) => active.get(itemId),
    has: (itemId) => active.has(itemId),
    itemIds: () => [...active.keys()],
    storeOutcome,
    updateItem: (itemId) => updateItem(itemId),
    updateItemLater: (itemId) =>
      writes.runInBackground(async () => active.has(itemId) || updateItem(itemId)),
  };
}

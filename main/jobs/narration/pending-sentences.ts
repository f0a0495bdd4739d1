// The sentences that a run still has to process, in script order. A sentence is stored as completed before it is
// removed here, so an interrupted run can resume.

import type { NarrationWork, SentenceTask } from "../../library/narration-work.ts";
import { runInSlices } from "../../processes/time-slices.ts";
import type { RetriedWrites } from "../../storage/retried-writes.ts";
import type { LoadedNarration } from "./loaded-narration.ts";

export type PendingSentence = { id: string; task: SentenceTask };

export type PendingSentences = {
  /** Loads the stored tasks, those of `priorityIds` first. @throws AppError if the script is too long */
  reload(priorityIds: readonly string[]): Promise<void>;
  /** Waits for the last `reload`, and fails as it did. */
  reloaded(): Promise<void>;
  has(id: string): boolean;
  /** Number of sentences that no worker has claimed. */
  count(): number;
  /** The next sentence, which no other worker gets until it is released. */
  claim(): PendingSentence | undefined;
  release(id: string): void;
  complete(id: string): Promise<void>;
};

export type PendingSentencesDeps = {
  itemId: string;
  narration(): LoadedNarration;
  work: NarrationWork;
  writes: RetriedWrites;
  onProgress(done: number, total: number): void;
};

export function createPendingSentences({
  itemId,
  narration,
  work,
  writes,
  onProgress,
}: PendingSentencesDeps): PendingSentences {
  let pendingTasks = new Map<string, SentenceTask>();
  let queue: string[] = [];
  const claimed = new Set<string>();
  let completedWhileLoading = new Set<string>();
  let done = 0;
  let total = 0;
  let loading: Promise<void> = Promise.resolve();

  function* loadTasks(priorityIds: readonly string[]): Generator<undefined, void> {
    completedWhileLoading = new Set();
    const tasks = yield* work.loadPending(itemId);
    const prioritized = new Set(priorityIds);
    const [prioritizedIds, remainingIds]: [string[], string[]] = [[], []];
    const { tooLongError, sentences, byId } = narration();
    if (tooLongError !== undefined) throw tooLongError;
    for (const { id } of sentences) {
      yield;
      if (tasks.has(id)) (prioritized.has(id) ? prioritizedIds : remainingIds).push(id);
    }
    for (const id of tasks.keys()) {
      yield;
      // No longer in the script: only marked as completed.
      if (!byId.has(id)) remainingIds.push(id);
    }
    for (const id of completedWhileLoading) tasks.delete(id);
    pendingTasks = tasks;
    queue = [...prioritizedIds, ...remainingIds];
    total = done + tasks.size;
  }

  return {
    /** Loads run one after the other, also after a failed one. */
    reload: (priorityIds) =>
      (loading = loading.catch(() => {}).then(() => runInSlices(loadTasks(priorityIds)))),
    reloaded: () => loading,
    has: (id) => pendingTasks.has(id),
    count: () => queue.length,
    claim() {
      for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
        const task = pendingTasks.get(id);
        if (task === undefined || claimed.has(id)) continue;
        claimed.add(id);
        return { id, task };
      }
      return undefined;
    },
    release: (id) => void claimed.delete(id),
    async complete(id) {
      // Retried while the disk rejects writes, also after the run was cancelled.
      await writes.run(() => work.complete(itemId, id));
      completedWhileLoading.add(id);
      pendingTasks.delete(id);
      done += 1;
      onProgress(done, Math.max(total, done));
    },
  };
}

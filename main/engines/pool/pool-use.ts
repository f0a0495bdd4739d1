// Tells when a pool is used, for work that would slow down its tasks or be slowed down by them.

import { setTimeout as pause } from "node:timers/promises";
import type { Pool } from "./pool.ts";
import { wrapTasks } from "./wrap-tasks.ts";

export type PoolUse = {
  /** Resolves once no task has waited or run for a moment. Rejects if the signal is aborted before. */
  untilQuiet(signal: AbortSignal): Promise<void>;
  /**
   * @param listener called before each task
   * @returns function that unsubscribes
   */
  onUse(listener: () => void): () => void;
};

/** A request pauses between its tasks. */
const defaultQuietMs = 2000;

export function watchPoolUse(pool: Pool, quietMs = defaultQuietMs): Pool & PoolUse {
  const listeners = new Set<() => void>();
  let taskCount = 0;
  let endedAtMs = -Infinity;

  const watched = wrapTasks(pool, async (input, run) => {
    for (const listener of listeners) listener();
    taskCount += 1;
    try {
      return await run(input);
    } finally {
      taskCount -= 1;
      endedAtMs = performance.now();
    }
  });

  const missingMs = (): number =>
    taskCount > 0 ? quietMs : endedAtMs + quietMs - performance.now();

  return {
    ...watched,
    async untilQuiet(signal) {
      for (let ms = missingMs(); ms > 0; ms = missingMs()) await pause(ms, undefined, { signal });
    },
    onUse(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

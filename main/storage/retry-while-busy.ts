// Waits for a library that another program is writing to, without holding up the thread.

import { setTimeout as pause } from "node:timers/promises";
import { storageFailure } from "../contract/errors.ts";

const defaultLimitMs = 5_000;
const firstPauseMs = 20;
const maxPauseMs = 250;

/**
 * Runs `work` again while it fails because the library is busy. It must have changed nothing then, or be safe to repeat.
 * @param signal ends the waiting; the last failure is thrown
 * @throws what `work` threw last
 */
export async function retryWhileBusy<T>(
  work: () => T | Promise<T>,
  { signal, limitMs = defaultLimitMs }: { signal?: AbortSignal | undefined; limitMs?: number } = {},
): Promise<T> {
  const deadlineMs = performance.now() + limitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
    try {
      return await work();
    } catch (error) {
      if (storageFailure(error)?.key !== "storage_busy" || performance.now() + pauseMs > deadlineMs)
        throw error;
      await pause(pauseMs, undefined, { signal, ref: false }).catch(() => {
        throw error;
      });
    }
  }
}

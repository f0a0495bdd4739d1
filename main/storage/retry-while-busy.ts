// Waits for a library that another program is writing to, without holding up the thread.

import { setTimeout as pause } from "node:timers/promises";
import { toStorageError } from "../contract/errors.ts";

const defaultTimeoutMs = 5_000;
const firstRetryMs = 20;
const maxRetryMs = 250;

/**
 * Runs `work` again while it fails because the library is busy. It must have changed nothing then, or be safe to repeat.
 * @param signal ends the waiting; the last failure is thrown
 * @throws what `work` threw last
 */
export async function retryWhileBusy<T>(
  work: () => T | Promise<T>,
  {
    signal,
    timeoutMs = defaultTimeoutMs,
  }: { signal?: AbortSignal | undefined; timeoutMs?: number } = {},
): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs;
  for (let retryDelayMs = firstRetryMs; ; retryDelayMs = Math.min(maxRetryMs, retryDelayMs * 2)) {
    try {
      return await work();
    } catch (error) {
      if (
        toStorageError(error)?.key !== "storage_busy" ||
        performance.now() + retryDelayMs > deadlineMs
      )
        throw error;
      await pause(retryDelayMs, undefined, { signal, ref: false }).catch(() => {
        throw error;
      });
    }
  }
}

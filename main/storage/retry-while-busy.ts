// Waits, without blocking the thread, for a library that another program is writing to.

import { setTimeout as pause } from "node:timers/promises";
import { toStorageError } from "../contract/errors.ts";

const defaultTimeoutMs = 5_000;
const firstRetryMs = 20;
const maxRetryMs = 250;

/**
 * Retries `work` while it fails because the library is busy. It must be safe to repeat after such a failure.
 * @param signal stops waiting; the last error is thrown
 * @throws the last error of `work`
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

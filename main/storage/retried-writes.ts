// Writes of background work, retried while the disk is full, busy or read-only, or until the app closes; results stay
// in memory meanwhile. Reports the error they wait for, to show it to the user.

import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { AppError, toStorageError, type StorageKey } from "../contract/errors.ts";
import type { Log } from "../log.ts";

export type RetriedWrites = {
  /**
   * Runs the work, and again while it fails due to storage. It must be safe to repeat after a failure.
   * @param signal stops waiting
   * @throws any other error of the work, the signal's reason, AppError `closing`
   */
  run<T>(work: () => T | Promise<T>, signal?: AbortSignal): Promise<T>;
  /** The same if no caller waits: failures are logged. Never throws. */
  runInBackground(work: () => unknown): void;
  /** Labels all writes of this work, also later ones, except those of `runInBackground`. */
  withLabel<T>(label: string, begin: () => T): T;
  /**
   * For a user's request that waits for labeled work: resolves with it, unless one of its writes is blocked by storage.
   * The work continues in either case.
   * @throws AppError, the storage error
   */
  orStorageFailure<T>(label: string, work: Promise<T>): Promise<T>;
  /** The error that pending writes wait for, if any. */
  problem(): StorageKey | undefined;
  /** Pending writes get one last attempt. */
  close(): void;
};

export type RetriedWritesDeps = {
  log: Log;
  /** Called when writes start to wait for an error, and with undefined when none waits any more. */
  onProblem?: (problem: StorageKey | undefined) => void;
  /** First delay between attempts; doubles each time. */
  firstRetryMs?: number;
};

const defaultFirstRetryMs = 50;
const maxRetryMs = 2_000;
/** A busy library is reported only after this time, since writers take turns. */
const busyReportAfterMs = 1_500;
/**
 * How long a request waits for blocked work. Longer if busy: another writer finishes sooner than a disk gets free
 * space.
 */
const requestTimeoutMs = {
  storage_busy: 5_000,
  storage_full: 1_000,
  storage_unavailable: 1_000,
} as const;
const checkIntervalMs = 100;

export function createRetriedWrites({
  log,
  onProblem = () => {},
  firstRetryMs = defaultFirstRetryMs,
}: RetriedWritesDeps): RetriedWrites {
  /** Each with the error it waits for. */
  const waitingWrites = new Map<
    { readonly label: string | undefined },
    AppError & { readonly key: StorageKey }
  >();
  const labels = new AsyncLocalStorage<string | undefined>();
  const closing = new AbortController();
  let reportedProblem: StorageKey | undefined;

  function reportProblem(): void {
    const currentProblem = [...waitingWrites.values()].at(-1)?.key;
    if (currentProblem === reportedProblem) return;
    reportedProblem = currentProblem;
    if (currentProblem === undefined)
      log.warn("storage takes writes again: what waited was written");
    else
      log.warn(
        { storage: currentProblem },
        "storage takes no writes: they are kept in memory and tried again",
      );
    onProblem(currentProblem);
  }

  async function run<T>(work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    const ownWrite = { label: labels.getStore() };
    const startMs = performance.now();
    let stopSignal: AbortSignal | undefined;
    try {
      for (
        let retryDelayMs = firstRetryMs;
        ;
        retryDelayMs = Math.min(maxRetryMs, retryDelayMs * 2)
      ) {
        const isLastAttempt = closing.signal.aborted;
        try {
          return await work();
        } catch (error) {
          const failure = toStorageError(error);
          if (failure === undefined) throw error;
          stopSignal ??=
            signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);
          // An aborted job has its own reason.
          if (signal?.aborted === true) throw signal.reason;
          if (isLastAttempt) throw new AppError("closing", {}, { cause: error });
          if (failure.key !== "storage_busy" || performance.now() - startMs > busyReportAfterMs) {
            waitingWrites.set(ownWrite, failure);
            reportProblem();
          }
        }
        await pause(retryDelayMs, undefined, { signal: stopSignal }).catch(() => {});
      }
    } finally {
      if (waitingWrites.delete(ownWrite)) reportProblem();
    }
  }

  return {
    run,
    runInBackground(work) {
      labels
        .run(undefined, () => run(work))
        .catch((error: unknown) => log.warn({ err: error }, "a change could not be stored"));
    },
    withLabel: (label, begin) => labels.run(label, begin),
    async orStorageFailure(label, work) {
      const settledSignal = new AbortController();
      // Prevents an unhandled rejection if the other promise settles first.
      work.catch(() => {});
      const problem = (async () => {
        for (const startMs = performance.now(); ;) {
          await pause(checkIntervalMs, undefined, { signal: settledSignal.signal, ref: false });
          const failure = Array.from(waitingWrites).find(([write]) => write.label === label)?.[1];
          if (failure !== undefined && performance.now() - startMs > requestTimeoutMs[failure.key])
            throw failure;
        }
      })();
      problem.catch(() => {});
      try {
        return await Promise.race([work, problem]);
      } finally {
        settledSignal.abort();
      }
    },
    problem: () => reportedProblem,
    close: () => closing.abort(),
  };
}

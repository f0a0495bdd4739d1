// Writes of background work that wait for the disk: what a full, busy or read-only disk does not take stays in memory and
// is written once that is over, or the app closes. Tells what they wait for, so that a person can be told.

import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { AppError, toStorageError, type StorageKey } from "../contract/errors.ts";
import type { Log } from "../log.ts";

export type RetriedWrites = {
  /**
   * Runs the work at once, and again while storage is what makes it fail. It must be safe to repeat where it failed.
   * @param signal ends the waiting
   * @throws what the work throws for any other reason, the signal's reason, AppError `closing`
   */
  run<T>(work: () => T | Promise<T>, signal?: AbortSignal): Promise<T>;
  /** The same for what nobody waits for: a failure is logged. Never throws. */
  runInBackground(work: () => unknown): void;
  /** Begins work whose writes are known by the label, also those that come later; but for `runInBackground`, which it does not wait for. */
  withLabel<T>(label: string, begin: () => T): T;
  /**
   * For a person's request that waits for work of that label: resolves with it, unless storage keeps a write of it waiting.
   * The work goes on.
   * @throws AppError for what it waits for
   */
  orStorageFailure<T>(label: string, work: Promise<T>): Promise<T>;
  /** What writes wait for, where some do. */
  problem(): StorageKey | undefined;
  /** What waits is tried one last time. */
  close(): void;
};

export type RetriedWritesDeps = {
  log: Log;
  /** Told when writes begin to wait for something, and with undefined when none waits any more. */
  onProblem?: (problem: StorageKey | undefined) => void;
  /** Pauses between attempts begin with this and double. */
  firstRetryMs?: number;
};

const defaultFirstRetryMs = 50;
const maxRetryMs = 2_000;
/** A library that is busy for less than this is not reported: writers take turns. */
const busyReportAfterMs = 1_500;
/** A request waits so long for work that storage holds up: a writer is done sooner than a disk has room. */
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
  /** Each with what it waits for. */
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
          // A job that is ended has its own reason.
          if (signal?.aborted === true) throw signal.reason;
          if (isLastAttempt)
            throw new AppError("closing", "Hearsay is shutting down.", { cause: error });
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
        .catch((error: unknown) => log.warn({ err: error }, "something could not be kept"));
    },
    withLabel: (label, begin) => labels.run(label, begin),
    async orStorageFailure(label, work) {
      const settledSignal = new AbortController();
      // The promise that loses must not be an unhandled rejection.
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

// Writes of background work that wait for the disk: what a full, busy or read-only disk does not take stays in memory and
// is written once that is over, or the app closes. Tells what they wait for, so that a person can be told.

import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { AppError, storageFailure, type StorageKey } from "../contract/errors.ts";
import type { Log } from "../log.ts";

export type PatientWrites = {
  /**
   * Runs the work at once, and again while storage is what makes it fail. It must be safe to repeat where it failed.
   * @param signal ends the waiting
   * @throws what the work throws for any other reason, the signal's reason, AppError `closing`
   */
  run<T>(work: () => T | Promise<T>, signal?: AbortSignal): Promise<T>;
  /** The same for what nobody waits for: a failure is logged. Never throws. */
  later(work: () => unknown): void;
  /** Begins work whose writes are known by the label, also those that come later; but for `later`, which it does not wait for. */
  labelled<T>(label: string, begin: () => T): T;
  /**
   * For a person's request that waits for work of that label: resolves with it, unless storage keeps a write of it waiting.
   * The work goes on.
   * @throws AppError for what it waits for
   */
  orTrouble<T>(label: string, work: Promise<T>): Promise<T>;
  /** What writes wait for, where some do. */
  trouble(): StorageKey | undefined;
  /** What waits is tried one last time. */
  close(): void;
};

export type PatientWritesDeps = {
  log: Log;
  /** Told when writes begin to wait for something, and with undefined when none waits any more. */
  onTrouble?: (trouble: StorageKey | undefined) => void;
  /** Pauses between attempts begin with this and double. */
  firstPauseMs?: number;
};

const defaultFirstPauseMs = 50;
const maxPauseMs = 2_000;
/** A library that is busy for less than this is not reported: writers take turns. */
const busyTroubleMs = 1_500;
/** A request waits so long for work that storage holds up: a writer is done sooner than a disk has room. */
const requestPatienceMs = {
  storage_busy: 5_000,
  storage_full: 1_000,
  storage_unavailable: 1_000,
} as const;
const lookEveryMs = 100;

export function createPatientWrites({
  log,
  onTrouble = () => {},
  firstPauseMs = defaultFirstPauseMs,
}: PatientWritesDeps): PatientWrites {
  /** Each with what it waits for. */
  const waiting = new Map<
    { readonly label: string | undefined },
    AppError & { readonly key: StorageKey }
  >();
  const labels = new AsyncLocalStorage<string | undefined>();
  const closing = new AbortController();
  let told: StorageKey | undefined;

  function tell(): void {
    const now = [...waiting.values()].at(-1)?.key;
    if (now === told) return;
    told = now;
    if (now === undefined) log.warn("storage takes writes again: what waited was written");
    else
      log.warn(
        { storage: now },
        "storage takes no writes: they are kept in memory and tried again",
      );
    onTrouble(now);
  }

  async function run<T>(work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    const own = { label: labels.getStore() };
    const startMs = performance.now();
    let stop: AbortSignal | undefined;
    try {
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
        const isLast = closing.signal.aborted;
        try {
          return await work();
        } catch (error) {
          const failure = storageFailure(error);
          if (failure === undefined) throw error;
          stop ??=
            signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);
          // A job that is ended has its own reason.
          if (signal?.aborted === true) throw signal.reason;
          if (isLast) throw new AppError("closing", "Hearsay is shutting down.", { cause: error });
          if (failure.key !== "storage_busy" || performance.now() - startMs > busyTroubleMs) {
            waiting.set(own, failure);
            tell();
          }
        }
        await pause(pauseMs, undefined, { signal: stop }).catch(() => {});
      }
    } finally {
      if (waiting.delete(own)) tell();
    }
  }

  return {
    run,
    later(work) {
      labels
        .run(undefined, () => run(work))
        .catch((error: unknown) => log.warn({ err: error }, "something could not be kept"));
    },
    labelled: (label, begin) => labels.run(label, begin),
    async orTrouble(label, work) {
      const late = new AbortController();
      // The promise that loses must not be an unhandled rejection.
      work.catch(() => {});
      const trouble = (async () => {
        for (const startMs = performance.now(); ;) {
          await pause(lookEveryMs, undefined, { signal: late.signal, ref: false });
          const failure = Array.from(waiting).find(([write]) => write.label === label)?.[1];
          if (failure !== undefined && performance.now() - startMs > requestPatienceMs[failure.key])
            throw failure;
        }
      })();
      trouble.catch(() => {});
      try {
        return await Promise.race([work, trouble]);
      } finally {
        late.abort();
      }
    },
    trouble: () => told,
    close: () => closing.abort(),
  };
}

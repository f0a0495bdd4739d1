// Runs transactions, which wait for writers in other processes: for seconds as long as no requests are served on this
// thread, then only briefly.

import type { DatabaseSync } from "node:sqlite";
import { toStorageError } from "../contract/errors.ts";
import { isBusy } from "./load-sqlite.ts";
import { beforeWrite } from "./disk.ts";

export type Transactions = {
  /**
   * Within another transaction, `work` is part of that one.
   * @param waitMs maximum wait for other writers
   * @throws AppError `storage_full`, `storage_busy`, `storage_unavailable`: nothing is changed then
   */
  run<T>(work: () => T, waitMs?: number): T;
  /** Runs after the current transaction commits, or immediately without one. Never runs after a rollback. */
  afterCommit(work: () => void): void;
  isServing(): boolean;
  setServing(isServing: boolean): void;
  /** Until the next transaction. */
  setBusyTimeout(timeoutMs: number): void;
};

/** Total wait of all writes in one turn of the event loop while requests are served. */
export const servingBusyTimeoutMs = 25;

/** @param defaultWaitMs the busy timeout with which `sqlite` was opened */
export function createTransactions(sqlite: DatabaseSync, defaultWaitMs: number): Transactions {
  let busyTimeoutMs = defaultWaitMs;
  let isServing = false;
  /** The last wait for another writer timed out. It may hold the lock for long, so the next write does not wait. */
  let isBlocked = false;
  /** Time waited in this turn of the event loop. */
  let waitedMs = 0;
  let commitCallbacks: (() => void)[] = [];

  function remainingWaitMs(waitMs: number): number {
    if (!isServing) return waitMs;
    if (isBlocked) return 0;
    return Math.max(0, Math.floor(Math.min(waitMs, servingBusyTimeoutMs - waitedMs)));
  }

  function setBusyTimeout(timeoutMs: number): void {
    if (timeoutMs !== busyTimeoutMs) sqlite.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
    busyTimeoutMs = timeoutMs;
  }

  function begin(waitMs: number): void {
    setBusyTimeout(remainingWaitMs(waitMs));
    const startMs = performance.now();
    try {
      // IMMEDIATE takes the write lock before reading; upgrading from a read lock later fails instead of waiting.
      sqlite.exec("BEGIN IMMEDIATE");
      isBlocked = false;
    } catch (error) {
      isBlocked = isBusy(error);
      throw error;
    } finally {
      if (waitedMs === 0) setImmediate(() => (waitedMs = 0)).unref();
      waitedMs += performance.now() - startMs;
    }
  }

  return {
    run(work, waitMs = defaultWaitMs) {
      if (sqlite.isTransaction) return work();
      let result: ReturnType<typeof work>;
      try {
        beforeWrite("database");
        begin(waitMs);
        try {
          result = work();
          sqlite.exec("COMMIT");
        } catch (error) {
          commitCallbacks = [];
          rollBack(sqlite);
          throw error;
        }
      } catch (error) {
        throw toStorageError(error) ?? error;
      }
      const callbacks = commitCallbacks;
      commitCallbacks = [];
      for (const callback of callbacks) callback();
      return result;
    },
    afterCommit(work) {
      if (sqlite.isTransaction) commitCallbacks.push(work);
      else work();
    },
    isServing: () => isServing,
    setServing(now) {
      isServing = now;
    },
    setBusyTimeout,
  };
}

/** A full disk may have rolled back the transaction already. */
function rollBack(sqlite: DatabaseSync): void {
  try {
    if (sqlite.isTransaction) sqlite.exec("ROLLBACK");
  } catch {
    // The original error is more useful.
  }
}

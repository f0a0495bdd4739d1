// Locks between processes that share a folder: a lock is a file that is held, not a process id, so it means the same
// in every container and PID namespace, and the system takes it back however its holder ends.

import { existsSync, rmSync } from "node:fs";
import { isBusy, loadSqlite } from "./load-sqlite.ts";

/** Kept until they are released: one that was collected would be free. */
const heldLocks = new Set<object>();

/**
 * SQLite locks a file on every system alike; Node itself has no call for it.
 * @param path of a file for the lock, made where there is none; it stays
 * @returns what releases it, or undefined where another process, or this one, holds it
 */
export function acquireProcessLock(path: string): (() => void) | undefined {
  const lock = new (loadSqlite().DatabaseSync)(path, { timeout: 0 });
  try {
    // Nothing is ever written to it: no journal beside it.
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    heldLocks.add(lock);
    return () => {
      heldLocks.delete(lock);
      if (lock.isOpen) lock.close();
    };
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/**
 * As `acquireProcessLock`, of a file that is gone with its holder.
 * @returns undefined also where the file was removed by another process in the same moment
 */
export function acquireTransientLock(path: string): (() => void) | undefined {
  const release = acquireProcessLock(path);
  if (release === undefined) return undefined;
  if (!existsSync(path)) {
    release();
    return undefined;
  }
  return () => {
    // Windows removes no file that is open.
    release();
    rmSync(path, { force: true });
  };
}

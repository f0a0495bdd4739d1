// Locks between processes that share a folder. A lock is a locked file instead of a process id, so it works across
// containers and PID namespaces, and the system releases it when the holder exits.

import { existsSync, rmSync } from "node:fs";
import { isBusy, loadSqlite } from "./load-sqlite.ts";

/** Referenced until released: garbage collection would release the lock. */
const heldLocks = new Set<object>();

/**
 * Uses SQLite's file locks, which work on all systems; Node has no API for them.
 * @param path of the lock file, created if missing and never deleted
 * @returns a function that releases it, or undefined if it is held by any process, including this one
 */
export function acquireProcessLock(path: string): (() => void) | undefined {
  const lock = new (loadSqlite().DatabaseSync)(path, { timeout: 0 });
  try {
    // Nothing is ever written, so no journal file is needed.
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
 * Like `acquireProcessLock`, but the lock file is deleted on release.
 * @returns undefined also if another process deleted the file at the same moment
 */
export function acquireTransientLock(path: string): (() => void) | undefined {
  const release = acquireProcessLock(path);
  if (release === undefined) return undefined;
  if (!existsSync(path)) {
    release();
    return undefined;
  }
  return () => {
    // Windows cannot delete an open file.
    release();
    rmSync(path, { force: true });
  };
}

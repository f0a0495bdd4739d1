// Backs up the library daily and at exit, in a child process, if the disk has room and the library is not empty.

import { extname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { runChildTask } from "../../processes/run-task.ts";
import type { Log } from "../../log.ts";
import type { Platform } from "../../platform.ts";
import {
  lastChangedAtMs,
  backupPath,
  hasRoomForBackup,
  isEmpty,
  listBackups,
  removeOldBackups,
  removePartialBackups,
} from "./backup-files.ts";
import type { BackupResult, BackupTask, ForgetTask } from "./copy-child.ts";
import { type ForgottenPerson, listCopies } from "./forget-person.ts";
import { createTurns } from "../../processes/run-in-turns.ts";

export type LibraryBackups = {
  /** Starts the timer that makes a backup if today has none. */
  start(): void;
  /** @returns whether a backup of today exists now */
  backUpIfNeeded(): Promise<boolean>;
  /** Aborts a running backup. */
  close(): Promise<void>;
  /**
   * Makes a backup if the library changed since the newest one and the app ran for at least half a minute. Takes a few
   * seconds at most.
   */
  backUpAtExit(): Promise<void>;
  /**
   * Removes a person from all copies, then by `remove` from the library, and makes no copy in between. @throws if a
   * copy cannot be changed: nothing is removed from the library then
   */
  forgetPerson<T>(person: ForgottenPerson, remove: () => T): Promise<T>;
};

export type LibraryBackupsDeps = Pick<Platform, "launchChild"> & {
  dataDir: string;
  libraryPath: string;
  /**
   * A connection to it. SQLite keeps the file of a second connection in this process open for as long as the first one
   * is in use.
   */
  sqlite: Pick<DatabaseSync, "prepare">;
  /** Called if the library could not be read completely. */
  onDamage(): void;
  log: Log;
  now?(): number;
};

/** Delayed so that it does not slow down the start, but short enough for brief sessions. */
const firstCheckDelayMs = 30_000;
/** Short, so that the first backup follows soon after the first data. */
const checkIntervalMs = 60_000;
/** Delay after a failed backup. */
const retryDelayMs = 3_600_000;
/** Backing up 10 GB takes minutes. */
const timeLimitMs = 3_600_000;
/** Shorter at exit, since the user waits for it. */
const exitTimeoutMs = 3_000;
// Same extension as this file: source (.ts) or build (.js).
const childModule = join(import.meta.dirname, `copy-child${extname(import.meta.filename)}`);

export function createLibraryBackups({
  dataDir,
  libraryPath,
  sqlite,
  launchChild,
  onDamage,
  log,
  now = Date.now,
}: LibraryBackupsDeps): LibraryBackups {
  const closing = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  let pendingBackup: Promise<boolean> | undefined;
  /** What writes to copies. */
  const inTurn = createTurns();
  let nextAttemptMs = 0;
  let hasStarted = false;

  const runTask = (task: BackupTask | ForgetTask, signal: AbortSignal, taskTimeoutMs: number) =>
    runChildTask((options) => launchChild(childModule, options), task, {
      signal,
      timeLimitMs: taskTimeoutMs,
    }) as Promise<BackupResult>;

  async function backUp(signal: AbortSignal, timeoutMs: number): Promise<boolean> {
    if (hasNothingToBackUp(sqlite)) return false;
    nextAttemptMs = now() + retryDelayMs;
    removePartialBackups(dataDir);
    if (!hasRoomForBackup(dataDir, libraryPath)) {
      log.warn("no copy of the library was made: the disk has too little room for it");
      return false;
    }
    const task: BackupTask = { libraryPath, toPath: backupPath(dataDir, now()) };
    const { isDamaged } = await runTask(task, signal, timeoutMs);
    if (isDamaged) onDamage();
    else removeOldBackups(dataDir);
    return !isDamaged;
  }

  async function backUpIfNeeded(): Promise<boolean> {
    try {
      if (hasBackupOfDay(dataDir, now())) return true;
      pendingBackup ??= inTurn(() => backUp(closing.signal, timeLimitMs)).finally(
        () => (pendingBackup = undefined),
      );
      return await pendingBackup;
    } catch (error) {
      if (!closing.signal.aborted) log.warn({ err: error }, "no copy of the library could be made");
      return false;
    }
  }

  function check(): void {
    hasStarted = true;
    if (now() >= nextAttemptMs) void backUpIfNeeded();
  }

  return {
    start() {
      timers.push(
        setTimeout(check, firstCheckDelayMs).unref(),
        setInterval(check, checkIntervalMs).unref(),
      );
    },
    backUpIfNeeded,
    async close() {
      for (const timer of timers) clearTimeout(timer);
      closing.abort(new Error("the app closes"));
      await pendingBackup?.catch(() => {});
    },
    forgetPerson: (person, remove) =>
      inTurn(async () => {
        if (Object.values(listCopies(dataDir)).flat().length > 0)
          await runTask({ dataDir, person }, closing.signal, timeLimitMs);
        return remove();
      }),
    async backUpAtExit() {
      if (!hasStarted) return;
      try {
        if (lastChangedAtMs(libraryPath) > (listBackups(dataDir)[0]?.createdAtMs ?? 0))
          await inTurn(() => backUp(new AbortController().signal, exitTimeoutMs));
      } catch (error) {
        log.warn({ err: error }, "no copy of the library could be made at the end");
      }
    },
  };
}

function hasBackupOfDay(dataDir: string, atMs: number): boolean {
  const newestMs = listBackups(dataDir)[0]?.createdAtMs;
  return (
    newestMs !== undefined && new Date(newestMs).toDateString() === new Date(atMs).toDateString()
  );
}

function hasNothingToBackUp(sqlite: LibraryBackupsDeps["sqlite"]): boolean {
  try {
    return isEmpty(sqlite);
  } catch {
    // The backup itself then reports the error.
    return false;
  }
}

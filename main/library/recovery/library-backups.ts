// Makes a copy of the library each day, and as the app stops, in a child process, as long as the disk has room for it and
// there is something to keep.

import { extname, join } from "node:path";
import { runChildTask } from "../../processes/run-task.ts";
import type { Log } from "../../log.ts";
import type { Platform } from "../../platform.ts";
import {
  lastChangedAtMs,
  backupPath,
  hasRoomForBackup,
  isLibraryEmpty,
  listBackups,
  removeOldBackups,
  removePartialBackups,
} from "./backup-files.ts";
import type { BackupResult, BackupTask } from "./copy-child.ts";

export type LibraryBackups = {
  /** Makes a copy now and then, where there is none of the day. */
  start(): void;
  /** @returns whether there is a copy of today now */
  backUpIfNeeded(): Promise<boolean>;
  /** Ends what is under way. */
  close(): Promise<void>;
  /** Where the library changed since the newest copy, and the app ran for more than a moment; takes a few seconds at most. */
  backUpAtExit(): Promise<void>;
};

export type LibraryBackupsDeps = Pick<Platform, "launchChild"> & {
  dataDir: string;
  libraryPath: string;
  /** The library could not be read in full. */
  onDamage(): void;
  log: Log;
  now?(): number;
};

/** The start of the app comes first; whoever uses it briefly gets a copy too. */
const firstCheckDelayMs = 30_000;
/** The first copy is made soon after there is something to keep. */
const checkIntervalMs = 60_000;
/** After a copy that could not be made. */
const retryDelayMs = 3_600_000;
/** Of a copy: one of 10 GB takes minutes. */
const timeLimitMs = 3_600_000;
/** And of the last one, which whoever stops the app waits for. */
const exitTimeoutMs = 3_000;
// As this file is: source, or what was made of it.
const childModule = join(import.meta.dirname, `copy-child${extname(import.meta.filename)}`);

export function createLibraryBackups({
  dataDir,
  libraryPath,
  launchChild,
  onDamage,
  log,
  now = Date.now,
}: LibraryBackupsDeps): LibraryBackups {
  const closing = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  let pendingBackup: Promise<boolean> | undefined;
  let nextAttemptMs = 0;
  let hasStarted = false;

  function hasBackupOfToday(): boolean {
    const newestMs = listBackups(dataDir)[0]?.madeAtMs;
    return (
      newestMs !== undefined && new Date(newestMs).toDateString() === new Date(now()).toDateString()
    );
  }

  function hasNothingToBackUp(): boolean {
    try {
      return isLibraryEmpty(libraryPath);
    } catch {
      // The copying tells what is wrong with it.
      return false;
    }
  }

  async function backUp(signal: AbortSignal, timeoutMs: number): Promise<boolean> {
    if (hasNothingToBackUp()) return false;
    nextAttemptMs = now() + retryDelayMs;
    removePartialBackups(dataDir);
    if (!hasRoomForBackup(dataDir, libraryPath)) {
      log.warn("no copy of the library was made: the disk has too little room for it");
      return false;
    }
    const task: BackupTask = { libraryPath, toPath: backupPath(dataDir, now()) };
    const { isDamaged } = (await runChildTask(
      (options) => launchChild(childModule, options),
      task,
      { signal, timeLimitMs: timeoutMs },
    )) as BackupResult;
    if (isDamaged) onDamage();
    else removeOldBackups(dataDir);
    return !isDamaged;
  }

  async function backUpIfNeeded(): Promise<boolean> {
    try {
      if (hasBackupOfToday()) return true;
      pendingBackup ??= backUp(closing.signal, timeLimitMs).finally(
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
    async backUpAtExit() {
      if (!hasStarted) return;
      try {
        if (lastChangedAtMs(libraryPath) > (listBackups(dataDir)[0]?.madeAtMs ?? 0))
          await backUp(new AbortController().signal, exitTimeoutMs);
      } catch (error) {
        log.warn({ err: error }, "no copy of the library could be made at the end");
      }
    },
  };
}

// Opens the library for the app that owns the data folder: restores a damaged one, and uses a placeholder for one that
// cannot be opened until it can.

import { extname, join } from "node:path";
import { runChildTask } from "../../processes/run-task.ts";
import { AppError } from "../../contract/errors.ts";
import {
  type LibraryHealth,
  type LibraryNotice,
  type LibraryState,
} from "../../contract/library-state.ts";
import type { Log } from "../../log.ts";
import type { Platform } from "../../platform.ts";
import { writeFileSync } from "../../storage/disk.ts";
import { damageMarkerPath } from "./library-check.ts";
import { listBackups } from "./backup-files.ts";
import { type Database, openDatabase, openExistingDatabase } from "../../storage/database.ts";
import {
  isMissing,
  backUpBeforeMigration,
  openAsOwner,
  type OpeningState,
} from "./open-as-owner.ts";
import type { OpeningProgress, OpeningTask } from "./opening-child.ts";
import { deleteNotices, readNotices } from "./restore-library.ts";
import { createPlaceholderDatabase, type PlaceholderDatabase } from "./placeholder-database.ts";

export type Library = {
  /** While the library is `unavailable`, it is empty and rejects changes. The object stays the same afterwards. */
  readonly database: Database;
  readonly path: string;
  /** Resolves when the library is open: immediately, unless it is `unavailable`. */
  readonly opened: Promise<void>;
  health(): LibraryHealth;
  state(): LibraryState;
  /** Called when the user has read the notices. */
  dismissNotices(): void;
  /** Call it when data of the library could not be read. */
  reportDamage(error: unknown): void;
  close(): void;
};

export type OpenLibraryOptions = Pick<Platform, "launchChild"> & {
  dataDir: string;
  /** This app is the only one that may use the data folder permanently, so it may set a damaged library aside. */
  isOwner: boolean;
  log: Log;
  onChange?(): void;
  now?(): number;
  /** First delay before retrying an `unavailable` library; doubles after each attempt. */
  firstRetryMs?: number;
};

const defaultFirstRetryMs = 500;
const maxRetryMs = 8_000;

export const libraryPath = (dataDir: string): string => join(dataDir, "hearsay.sqlite");

/** Restoring a library of 10 GB takes minutes. */
const timeLimitMs = 3_600_000;
// Same extension as this file: source (.ts) or build (.js).
const childModule = join(import.meta.dirname, `opening-child${extname(import.meta.filename)}`);

/**
 * @throws AppError if a newer Hearsay wrote it; if this app is not the owner, also if it cannot be opened, or is
 * missing while there are backups of it
 */
export function openLibrary({
  dataDir,
  isOwner,
  launchChild,
  log,
  onChange = () => {},
  now = Date.now,
  firstRetryMs = defaultFirstRetryMs,
}: OpenLibraryOptions): Library {
  const path = libraryPath(dataDir);
  let health: LibraryHealth = "unavailable";
  let state: OpeningState = { isChecked: false };

  function reportDamage(error: unknown): void {
    if (health !== "ok") return;
    health = "damaged";
    log.error(
      { err: error },
      "the library is damaged: restart Hearsay, which then restores what can be restored",
    );
    try {
      writeFileSync(damageMarkerPath(path), "");
    } catch (cause) {
      log.warn({ err: cause }, "the damage of the library could not be noted for the next start");
    }
    onChange();
  }

  const setState = (next: OpeningState): void => void (state = next);

  function openWithoutOwnership(): Database {
    if (isMissing(dataDir, path)) throw new AppError("library.lost");
    backUpBeforeMigration(dataDir, path, log, now());
    return openDatabase(path, { onDamage: reportDamage });
  }

  async function runOpeningTask(): Promise<void> {
    const task: OpeningTask = { dataDir, path, atMs: now(), state };
    await runChildTask((options) => launchChild(childModule, options), task, {
      signal: closing.signal,
      timeLimitMs,
      onProgress(raw) {
        const progress = raw as OpeningProgress;
        if ("state" in progress) setState(progress.state);
        else log[progress.level](progress.fields, progress.message);
      },
    });
  }

  let notices: LibraryNotice[] = [];
  let retryTimer: NodeJS.Timeout | undefined;
  const openedSignal = Promise.withResolvers<void>();
  const closing = new AbortController();

  async function tryOpening(placeholder: PlaceholderDatabase, retryDelayMs: number): Promise<void> {
    try {
      await runOpeningTask();
      if (closing.signal.aborted) return;
      // Opens without waiting: the child process has prepared the file.
      const openedDatabase = openExistingDatabase(path, reportDamage);
      notices = readNotices(openedDatabase);
      placeholder.replaceWith(openedDatabase);
      health = "ok";
    } catch (error) {
      if (closing.signal.aborted) return;
      log.debug({ err: error }, "the library still cannot be opened");
      scheduleRetry(placeholder, Math.min(maxRetryMs, retryDelayMs * 2));
      return;
    }
    log.warn("the library could be opened");
    onChange();
    openedSignal.resolve();
  }

  function scheduleRetry(placeholder: PlaceholderDatabase, retryDelayMs: number): void {
    retryTimer = setTimeout(() => void tryOpening(placeholder, retryDelayMs), retryDelayMs).unref();
  }

  let database: Database;
  try {
    database = isOwner
      ? openAsOwner({
          dataDir,
          path,
          atMs: now(),
          state,
          onState: setState,
          log,
          onDamage: reportDamage,
        })
      : openWithoutOwnership();
    if (isOwner) notices = readNotices(database);
    health = "ok";
    openedSignal.resolve();
  } catch (error) {
    if (!isOwner || (error instanceof AppError && error.key === "conflict")) throw error;
    log.error(
      { err: error },
      "the library cannot be opened: only the API is served, for the owner of its key, until the disk has room and the permissions are right",
    );
    const placeholder = createPlaceholderDatabase();
    database = placeholder;
    scheduleRetry(placeholder, firstRetryMs);
  }

  return {
    database,
    path,
    opened: openedSignal.promise,
    health: () => health,
    state() {
      const newestCopyMs = listBackups(dataDir)[0]?.madeAtMs;
      return {
        health,
        ...(notices.length === 0 ? {} : { notices }),
        ...(newestCopyMs === undefined ? {} : { newestCopyMs }),
      };
    },
    dismissNotices() {
      deleteNotices(database);
      notices = [];
      onChange();
    },
    reportDamage,
    close() {
      clearTimeout(retryTimer);
      closing.abort(new Error("the library is closed"));
      database.close();
    },
  };
}

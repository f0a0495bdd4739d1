// Opens the library for the app that owns the data folder: restores a damaged one, and uses a placeholder for one that
// cannot be opened, until background-opening.ts has opened it.

import { join } from "node:path";
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
  backUpBeforeMigration,
  isMissing,
  openAsOwner,
  type OpeningOptions,
  type OpeningState,
} from "./open-as-owner.ts";
import { deleteNotices, readNotices } from "./restore-library.ts";
import { openInBackground } from "./background-opening.ts";
import { createPlaceholderDatabase } from "./placeholder-database.ts";

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
export const libraryPath = (dataDir: string): string => join(dataDir, "hearsay.sqlite");

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
  const opened = Promise.withResolvers<void>();
  let health: LibraryHealth = "unavailable";
  let notices: LibraryNotice[] = [];
  let backgroundOpening: { close(): void } | undefined;

  function reportDamage(error: unknown): void {
    if (health !== "ok") return;
    health = "damaged";
    recordDamage(path, error, log);
    onChange();
  }

  /** @returns a placeholder until the library can be opened */
  function openInBackgroundAfter(state: OpeningState): Database {
    const placeholder = createPlaceholderDatabase();
    backgroundOpening = openInBackground({
      dataDir,
      path,
      state,
      launchChild,
      log,
      now,
      firstRetryMs,
      openPrepared() {
        // Opens without waiting: the child process has prepared the file.
        const openedDatabase = openExistingDatabase(path, reportDamage);
        notices = readNotices(openedDatabase);
        placeholder.replaceWith(openedDatabase);
        health = "ok";
      },
      onOpened() {
        onChange();
        opened.resolve();
      },
    });
    return placeholder;
  }

  function open(): Database {
    let state: OpeningState = { isChecked: false };
    const onState = (next: OpeningState): void => void (state = next);
    try {
      const options = { dataDir, path, atMs: now(), log, onDamage: reportDamage };
      const openedDatabase = isOwner
        ? openAsOwner({ ...options, state, onState })
        : openWithoutOwnership(options);
      if (isOwner) notices = readNotices(openedDatabase);
      health = "ok";
      opened.resolve();
      return openedDatabase;
    } catch (error) {
      if (!isOwner || (error instanceof AppError && error.key === "conflict")) throw error;
      log.error(
        { err: error },
        "the library cannot be opened: only the API is served, for the owner of its key, " +
          "until the disk has room and the permissions are right",
      );
      return openInBackgroundAfter(state);
    }
  }

  const database = open();
  return {
    database,
    path,
    opened: opened.promise,
    health: () => health,
    state() {
      const newestCopyMs = listBackups(dataDir)[0]?.createdAtMs;
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
      backgroundOpening?.close();
      database.close();
    },
  };
}

/** The next start restores a library that was marked. */
function recordDamage(path: string, error: unknown, log: Log): void {
  log.error(
    { err: error },
    "the library is damaged: restart Hearsay, which then restores what can be restored",
  );
  try {
    writeFileSync(damageMarkerPath(path), "");
  } catch (cause) {
    log.warn({ err: cause }, "the damage of the library could not be noted for the next start");
  }
}

/**
 * For a process that does not own the data folder: restores nothing.
 * @throws AppError if the library cannot be opened, or is missing while there are backups of it
 */
function openWithoutOwnership({
  dataDir,
  path,
  atMs,
  log,
  onDamage = () => {},
}: Omit<OpeningOptions, "state" | "onState">): Database {
  if (isMissing(dataDir, path)) throw new AppError("library.lost");
  backUpBeforeMigration(dataDir, path, log, atMs);
  return openDatabase(path, { onDamage });
}

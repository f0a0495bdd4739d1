// Opens the library for the owner of the data folder: completes an interrupted restore, checks the file, restores a
// damaged one, and makes a backup before a migration. Takes seconds and waits for locks.

import { statSync } from "node:fs";
import { isIntact, checkStartupReads } from "./library-check.ts";
import {
  writeBackup,
  backupPath,
  hasRoomForBackup,
  isLibraryEmpty,
  listBackups,
  readSchemaVersion,
} from "./backup-files.ts";
import { type Database, openDatabase } from "../../storage/database.ts";
import { migrations } from "../../storage/migrations.ts";
import {
  copyDamagedAside,
  finishInterruptedRestore,
  recordLostChanges,
  restoreLibrary,
  type RestoreLog,
} from "./restore-library.ts";
import { isDamageWhileOpening } from "../../storage/damage-detection.ts";
import { hasUnreachableCommits } from "./write-ahead-log.ts";

/** State passed from one attempt to the next. */
export type OpeningState = {
  /** A check takes seconds, so it runs once. */
  isChecked: boolean;
  /** Name of the damaged copy that was set aside, until a notice about it is stored. */
  damagedCopyName?: string | undefined;
};

export type OpeningOptions = {
  dataDir: string;
  /** Path of the library file. */
  path: string;
  atMs: number;
  state: OpeningState;
  /** Called after each step, as the next one may fail. */
  onState(state: OpeningState): void;
  log: RestoreLog;
  onDamage?(error: unknown): void;
};

export function openAsOwner({
  dataDir,
  path,
  atMs,
  state,
  onState,
  log,
  onDamage = () => {},
}: OpeningOptions): Database {
  let { isChecked, damagedCopyName } = state;
  const reportState = (): void => onState({ isChecked, damagedCopyName });

  function restoreDamaged(): void {
    restoreLibrary(dataDir, path, log, atMs, damagedCopyName !== undefined);
    damagedCopyName = undefined;
    reportState();
  }

  function open(): Database {
    const database = openDatabase(path, { onDamage });
    try {
      checkStartupReads(database.sqlite);
      if (damagedCopyName !== undefined)
        recordLostChanges(dataDir, database, damagedCopyName, log, atMs);
      damagedCopyName = undefined;
      reportState();
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  // One timestamp for all: if the library is set aside after a copy of it, it replaces that copy.
  finishInterruptedRestore(dataDir, path, atMs);
  if (isMissing(dataDir, path)) restoreLibrary(dataDir, path, log, atMs);
  else if (!isChecked && sizeOrZero(path) > 0) {
    // Must come first: opening the library for writing empties its log.
    if (damagedCopyName === undefined && hasUnreachableCommits(path)) {
      damagedCopyName = copyDamagedAside(dataDir, path, atMs);
      reportState();
    }
    if (!isIntact(path, damagedCopyName !== undefined)) restoreDamaged();
  }
  isChecked = true;
  reportState();
  backUpBeforeMigration(dataDir, path, log, atMs);
  try {
    return open();
  } catch (error) {
    if (!isDamageWhileOpening(error)) throw error;
    restoreDamaged();
    return open();
  }
}

const sizeOrZero = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** A power cut may leave a file of 0 bytes, which SQLite opens as a new database. */
export const isMissing = (dataDir: string, path: string): boolean =>
  sizeOrZero(path) === 0 && listBackups(dataDir).length > 0;

/** Backs up a library of an older version before it is migrated. */
export function backUpBeforeMigration(
  dataDir: string,
  path: string,
  log: RestoreLog,
  atMs: number,
): void {
  if (sizeOrZero(path) === 0) return;
  try {
    const schema = readSchemaVersion(path);
    if (schema === 0 || schema >= migrations.length || !hasRoomForBackup(dataDir, path)) return;
    // A backup of an empty library would be restored instead of the older ones.
    if (isLibraryEmpty(path) && listBackups(dataDir).length > 0) return;
    writeBackup(path, backupPath(dataDir, atMs));
  } catch (error) {
    log.warn(
      { err: error },
      "the library of an older version could not be copied before a change of its schema",
    );
  }
}

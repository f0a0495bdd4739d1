// Opens the library for the owner of the data folder: finishes what a crash interrupted, looks whether the file is good,
// has a damaged one restored, and a copy made before its schema changes. Takes seconds, and waits for other programs.

import { statSync } from "node:fs";
import { isGood, probe } from "./checking.ts";
import { copyLibrary, copyPath, hasRoomForCopy, isEmpty, listCopies, schemaOf } from "./copies.ts";
import { type Database, openDatabase } from "../../storage/database.ts";
import { migrations } from "../../storage/migrations.ts";
import {
  copyAside,
  finishRestoring,
  noteLostChanges,
  restore,
  type RestoringLog,
} from "./restoring.ts";
import { isDamageAtOpening } from "../../storage/watch-damage.ts";
import { hasUnreachableCommits } from "./write-ahead-log.ts";

/** What one attempt leaves to the next. */
export type OpeningState = {
  /** A check takes seconds: once is enough. */
  isChecked: boolean;
  /** Of the copy that was set aside, where the log was damaged and nobody was told yet. */
  lostChangesIn?: string | undefined;
};

export type Opening = {
  dataDir: string;
  /** Of the library's file. */
  path: string;
  atMs: number;
  state: OpeningState;
  /** Told at once of each step, as the next may fail. */
  onState(state: OpeningState): void;
  log: RestoringLog;
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
}: Opening): Database {
  let { isChecked, lostChangesIn } = state;
  const note = (): void => onState({ isChecked, lostChangesIn });

  function restoreDamaged(): void {
    restore(dataDir, path, log, atMs, lostChangesIn !== undefined);
    lostChangesIn = undefined;
    note();
  }

  function open(): Database {
    const database = openDatabase(path, undefined, { onDamage });
    try {
      probe(database.sqlite);
      if (lostChangesIn !== undefined) noteLostChanges(dataDir, database, lostChangesIn, log, atMs);
      lostChangesIn = undefined;
      note();
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  // One for all: where the library is set aside after a copy of it, it takes the copy's place.
  finishRestoring(dataDir, path, atMs);
  if (isMissing(dataDir, path)) restore(dataDir, path, log, atMs);
  else if (!isChecked && sizeOf(path) > 0) {
    // First of all: whoever opens the library for writing empties its log.
    if (lostChangesIn === undefined && hasUnreachableCommits(path)) {
      lostChangesIn = copyAside(dataDir, path, atMs);
      note();
    }
    if (!isGood(path, lostChangesIn !== undefined)) restoreDamaged();
  }
  isChecked = true;
  note();
  keepBeforeMigration(dataDir, path, log, atMs);
  try {
    return open();
  } catch (error) {
    if (!isDamageAtOpening(error)) throw error;
    restoreDamaged();
    return open();
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** A power cut may leave a file of 0 bytes, with which SQLite begins anew. */
export const isMissing = (dataDir: string, path: string): boolean =>
  sizeOf(path) === 0 && listCopies(dataDir).length > 0;

/** A library of an older version is copied before it is changed. */
export function keepBeforeMigration(
  dataDir: string,
  path: string,
  log: RestoringLog,
  atMs: number,
): void {
  if (sizeOf(path) === 0) return;
  try {
    const schema = schemaOf(path);
    if (schema === 0 || schema >= migrations.length || !hasRoomForCopy(dataDir, path)) return;
    // It would be restored in place of those.
    if (isEmpty(path) && listCopies(dataDir).length > 0) return;
    copyLibrary(path, copyPath(dataDir, atMs));
  } catch (error) {
    log.warn(
      { err: error },
      "the library of an older version could not be copied before a change of its schema",
    );
  }
}

// Opens the library for the app that owns the data folder: has a damaged one restored, and lets the app do without one
// that cannot be opened for now, until it can.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { type LibraryHealth, type LibraryNotice, libraryNotice, type LibraryState } from '../contract/library-state.ts';
import type { Log } from '../log.ts';
import { isGood, probe, suspicionPath } from './checking.ts';
import { copyLibrary, copyPath, hasRoomForCopy, listCopies, schemaOf } from './copies.ts';
import { type Database, openDatabase } from './database.ts';
import { migrations } from './migrations.ts';
import { writeFileSync } from '../storage/disk.ts';
import { copyAside, finishRestoring, noteLostChanges, noticeName, restore } from './restoring.ts';
import { createStandIn, type StandIn } from './stand-in.ts';
import { isDamageAtOpening } from './watch-damage.ts';
import { hasUnreachableCommits } from './write-ahead-log.ts';

export type Library = {
  /** Empty, and takes no changes, while the library is `unavailable`; the same object afterwards. */
  readonly database: Database;
  readonly path: string;
  /** Resolves when the library is there: at once, unless it is `unavailable`. */
  readonly opened: Promise<void>;
  health(): LibraryHealth;
  state(): LibraryState;
  /** The person has read the notice. */
  dismissNotice(): void;
  /** Something in it could not be read. */
  reportDamage(error: unknown): void;
  close(): void;
};

export type OpenLibraryOptions = {
  dataDir: string;
  /** Nobody else uses the data folder for good: a damaged library may be set aside. */
  isOwner: boolean;
  log: Log;
  onChange?(): void;
  now?(): number;
  /** Pauses between attempts to open one that is `unavailable` begin with this and double. */
  firstPauseMs?: number;
};

const defaultFirstPauseMs = 500;
const maxPauseMs = 8_000;

export const libraryPath = (dataDir: string): string => join(dataDir, 'hearsay.sqlite');

type Opened = { database: Database; notice: LibraryNotice | undefined };

/**
 * @throws AppError where a newer Hearsay wrote it; where this app is not the owner, also where it cannot be opened, or is
 * lost while there are copies of it
 */
export function openLibrary({ dataDir, isOwner, log, onChange = () => {}, now = Date.now, firstPauseMs = defaultFirstPauseMs }: OpenLibraryOptions): Library {
  const path = libraryPath(dataDir);
  let health: LibraryHealth = 'unavailable';
  /** A check takes seconds: once is enough. */
  let isChecked = false;
  /** Of the copy that was set aside, where the log was damaged and nobody was told yet. */
  let lostChangesIn: string | undefined;

  function reportDamage(error: unknown): void {
    if (health !== 'ok') return;
    health = 'damaged';
    log.error({ err: error }, 'the library is damaged: restart Hearsay, which then restores what can be restored');
    try {
      writeFileSync(suspicionPath(path), '');
    } catch (cause) {
      log.warn({ err: cause }, 'the damage of the library could not be noted for the next start');
    }
    onChange();
  }

  function open(): Opened {
    const database = openDatabase(path, undefined, { onDamage: reportDamage });
    try {
      probe(database.sqlite);
      if (lostChangesIn !== undefined) noteLostChanges(dataDir, database, lostChangesIn, log, now());
      lostChangesIn = undefined;
      return { database, notice: storedNotice(database) };
    } catch (error) {
      database.close();
      throw error;
    }
  }

  function openAsOwner(): Opened {
    // One for all: where the library is set aside after a copy of it, it takes the copy's place.
    const atMs = now();
    finishRestoring(dataDir, path, atMs);
    if (isMissing(dataDir, path)) restore(dataDir, path, log, atMs);
    else if (!isChecked && sizeOf(path) > 0) {
      // First of all: whoever opens the library for writing empties its log.
      if (lostChangesIn === undefined && hasUnreachableCommits(path)) lostChangesIn = copyAside(dataDir, path, atMs);
      if (!isGood(path, lostChangesIn !== undefined)) restoreDamaged(atMs);
    }
    isChecked = true;
    keepBeforeMigration(dataDir, path, log, atMs);
    try {
      return open();
    } catch (error) {
      if (!isDamageAtOpening(error)) throw error;
      restoreDamaged(atMs);
      return open();
    }
  }

  function restoreDamaged(atMs: number): void {
    restore(dataDir, path, log, atMs, lostChangesIn !== undefined);
    lostChangesIn = undefined;
  }

  function openAsGuest(): Opened {
    if (isMissing(dataDir, path)) throw new AppError('library_unavailable', 'The library in the data folder is lost. There are copies of it: start Hearsay once, which restores the newest.');
    keepBeforeMigration(dataDir, path, log, now());
    return { database: openDatabase(path, undefined, { onDamage: reportDamage }), notice: undefined };
  }

  let notice: LibraryNotice | undefined;
  let retry: NodeJS.Timeout | undefined;
  const whenOpened = Promise.withResolvers<void>();

  function tryAgain(standIn: StandIn, pauseMs: number): void {
    retry = setTimeout(() => {
      try {
        const found = openAsOwner();
        standIn.replaceBy(found.database);
        notice = found.notice;
        health = 'ok';
        log.warn('the library could be opened');
        onChange();
        whenOpened.resolve();
      } catch (error) {
        log.debug({ err: error }, 'the library still cannot be opened');
        tryAgain(standIn, Math.min(maxPauseMs, pauseMs * 2));
      }
    }, pauseMs).unref();
  }

  let database: Database;
  try {
    ({ database, notice } = isOwner ? openAsOwner() : openAsGuest());
    health = 'ok';
    whenOpened.resolve();
  } catch (error) {
    if (!isOwner || (error instanceof AppError && error.key === 'conflict')) throw error;
    log.error({ err: error }, 'the library cannot be opened: only the API is served, for the owner of its key, until the disk has room and the permissions are right');
    const standIn = createStandIn();
    database = standIn;
    tryAgain(standIn, firstPauseMs);
  }

  return {
    database,
    path,
    opened: whenOpened.promise,
    health: () => health,
    state() {
      const newestCopyMs = listCopies(dataDir)[0]?.madeAtMs;
      return { health, ...(notice === undefined ? {} : { notice }), ...(newestCopyMs === undefined ? {} : { newestCopyMs }) };
    },
    dismissNotice() {
      database.change(() => database.sqlite.prepare('DELETE FROM settings WHERE name = ?').run(noticeName));
      notice = undefined;
      onChange();
    },
    reportDamage,
    close() {
      clearTimeout(retry);
      database.close();
    },
  };
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** A power cut may leave a file of 0 bytes, with which SQLite begins anew. */
const isMissing = (dataDir: string, path: string): boolean => sizeOf(path) === 0 && listCopies(dataDir).length > 0;

function storedNotice({ sqlite }: Database): LibraryNotice | undefined {
  const row = sqlite.prepare('SELECT value FROM settings WHERE name = ?').get(noticeName);
  try {
    return row === undefined ? undefined : libraryNotice.parse(JSON.parse(String(row['value'])));
  } catch {
    return undefined;
  }
}

/** A library of an older version is copied before it is changed. */
function keepBeforeMigration(dataDir: string, path: string, log: Log, atMs: number): void {
  if (sizeOf(path) === 0) return;
  try {
    const schema = schemaOf(path);
    if (schema === 0 || schema >= migrations.length || !hasRoomForCopy(dataDir, path)) return;
    copyLibrary(path, copyPath(dataDir, atMs));
  } catch (error) {
    log.warn({ err: error }, 'the library of an older version could not be copied before a change of its schema');
  }
}

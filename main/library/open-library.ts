// Opens the library for the app that owns the data folder: checks its file, puts the newest good copy in the place of
// a damaged one, and lets the app do without a library where none can be opened.

import { copyFileSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { type LibraryHealth, type LibraryNotice, libraryNotice, type LibraryState } from '../contract/library-state.ts';
import type { Log } from '../log.ts';
import { isBusy, loadSqlite } from '../load-sqlite.ts';
import { copyLibrary, copyPath, hasRoomForCopy, isSound, listCopies } from './copies.ts';
import { type Database, openDatabase } from './database.ts';
import { bringBackFoundItems } from './found-items.ts';
import { migrations } from './migrations.ts';
import { salvage } from './salvage.ts';
import { isDamage } from './watch-damage.ts';

export type Library = {
  /** In memory and empty where the library is `unavailable`. */
  readonly database: Database;
  readonly path: string;
  health(): LibraryHealth;
  state(): LibraryState;
  /** The person has read the notice. */
  dismissNotice(): void;
  /** Something in it could not be read. */
  reportDamage(error: unknown): void;
};

export type OpenLibraryOptions = {
  dataDir: string;
  /** Nobody else uses the data folder for good: a damaged library may be set aside. */
  isOwner: boolean;
  log: Log;
  onChange?(): void;
  now?(): number;
};

export const libraryPath = (dataDir: string): string => join(dataDir, 'hearsay.sqlite');
const noticeName = 'library-notice';
/** A larger one is not checked at each start, but as it is copied: 195 MB took 9 s on two cores that were busy with other things. */
const maxCheckedBytes = 64 * 2 ** 20;
/** With a file beside it that SQLite keeps for each. */
const suffixes = ['', '-wal', '-shm'];

/** @throws AppError where a newer Hearsay wrote it; where this app is not the owner, also where it cannot be opened */
export function openLibrary({ dataDir, isOwner, log, onChange = () => {}, now = Date.now }: OpenLibraryOptions): Library {
  const path = libraryPath(dataDir);
  const suspicion = `${path}.damaged`;
  let health: LibraryHealth = 'ok';

  function reportDamage(error: unknown): void {
    if (health !== 'ok') return;
    health = 'damaged';
    log.error({ err: error }, 'the library is damaged: restart Hearsay, which then restores what can be restored');
    try {
      writeFileSync(suspicion, '');
    } catch (cause) {
      log.warn({ err: cause }, 'the damage of the library could not be noted for the next start');
    }
    onChange();
  }

  const open = (): Database => openDatabase(path, undefined, { onDamage: reportDamage });

  function openAsOwner(): Database {
    finishRestoring(path);
    if (!isGood(path, suspicion)) restore(dataDir, path, log, now());
    rmSync(suspicion, { force: true });
    keepBeforeMigration(dataDir, path, log, now());
    health = 'ok';
    try {
      return open();
    } catch (error) {
      if (!isDamage(error)) throw error;
      health = 'ok';
      restore(dataDir, path, log, now());
      rmSync(suspicion, { force: true });
      return open();
    }
  }

  let database: Database;
  try {
    database = isOwner ? openAsOwner() : open();
  } catch (error) {
    if (!isOwner || (error instanceof AppError && error.key === 'conflict')) throw error;
    log.error({ err: error }, 'the library cannot be opened: only the API is served, for the owner of its key. Free the disk or restore its permissions, then restart Hearsay');
    database = openDatabase(':memory:');
    health = 'unavailable';
  }
  const storedNotice = (): LibraryNotice | undefined => {
    const row = database.sqlite.prepare('SELECT value FROM settings WHERE name = ?').get(noticeName);
    return row === undefined ? undefined : libraryNotice.safeParse(JSON.parse(String(row['value']))).data;
  };
  let notice = storedNotice();

  return {
    database,
    path,
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
  };
}

/** @throws where the disk, rather than the file's content, is at fault */
function isGood(path: string, suspicion: string): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const isSuspect = existsSync(suspicion);
  if (size === 0 || (size > maxCheckedBytes && !isSuspect)) return true;
  const check = isSuspect ? 'integrity_check' : 'quick_check';
  try {
    const found = findings(path, check);
    if (found[0] === 'ok') return true;
    // The search index is made of what the library holds beside it.
    if (!found.every((finding) => /fts5/i.test(finding))) return false;
    rebuildIndex(path);
    return findings(path, check)[0] === 'ok';
  } catch (error) {
    if (isDamage(error)) return false;
    // Another process is at work in it: then it is read all the time.
    if (isBusy(error)) return true;
    throw error;
  }
}

/** What a check finds; `ok` alone where that is nothing. Changes nothing: a damaged file is kept as it is. */
function findings(path: string, check: 'quick_check' | 'integrity_check'): string[] {
  const sqlite = new (loadSqlite().DatabaseSync)(path, { timeout: 1000, readOnly: true });
  try {
    return sqlite.prepare(`PRAGMA ${check}(20)`).all().map((row) => String(row[check]));
  } finally {
    sqlite.close();
  }
}

function rebuildIndex(path: string): void {
  const sqlite = new (loadSqlite().DatabaseSync)(path, { timeout: 1000 });
  try {
    for (const table of ['segment_words', 'item_words']) sqlite.exec(`INSERT INTO ${table} (${table}) VALUES ('rebuild')`);
  } finally {
    sqlite.close();
  }
}

/** A crash in the midst of restoring left the new file beside the place of the old one. */
function finishRestoring(path: string): void {
  const restoring = `${path}.restoring`;
  if (existsSync(path)) for (const suffix of suffixes) rmSync(`${restoring}${suffix}`, { force: true });
  else if (existsSync(restoring)) renameSync(restoring, path);
}

/** Sets the damaged library aside, and puts the newest good copy, or an empty one, in its place. */
function restore(dataDir: string, path: string, log: Log, atMs: number): void {
  const restoring = `${path}.restoring`;
  for (const suffix of suffixes) rmSync(`${restoring}${suffix}`, { force: true });
  const copy = listCopies(dataDir).find((each) => isSound(each.path) && schemaOf(each.path) <= migrations.length);
  if (copy !== undefined) copyFileSync(copy.path, restoring);
  const asidePath = join(dataDir, `hearsay-damaged-${new Date(atMs).toISOString().replaceAll(/[:.]/g, '-')}.sqlite`);
  const fresh = openDatabase(restoring);
  let notice: LibraryNotice;
  try {
    const salvaged = salvage(path, fresh);
    const foundItems = bringBackFoundItems(dataDir, fresh);
    notice = { atMs, setAside: basename(asidePath), ...(copy === undefined ? {} : { copyMadeAtMs: copy.madeAtMs }), salvagedItems: salvaged.items, foundItems, hasKeysAndUsage: salvaged.hasKeysAndUsage };
    fresh.change(() => fresh.sqlite.prepare('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)').run(noticeName, JSON.stringify(notice)));
    // All of it in the one file that is moved.
    fresh.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE');
  } finally {
    fresh.close();
  }
  for (const suffix of suffixes) if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${asidePath}${suffix}`);
  renameSync(restoring, path);
  log.error(notice, copy === undefined ? 'the library was damaged and is set aside: there was no copy of it, a new one was begun' : 'the library was damaged and is set aside: its newest good copy is used');
}

const schemaOf = (path: string): number => {
  const sqlite = new (loadSqlite().DatabaseSync)(path, { readOnly: true });
  try {
    return Number(sqlite.prepare('PRAGMA user_version').get()?.['user_version']);
  } finally {
    sqlite.close();
  }
};

/** A library of an older version is copied before it is changed. */
function keepBeforeMigration(dataDir: string, path: string, log: Log, atMs: number): void {
  if (!existsSync(path) || statSync(path).size === 0) return;
  const schema = schemaOf(path);
  if (schema === 0 || schema >= migrations.length || !hasRoomForCopy(dataDir, path)) return;
  try {
    copyLibrary(path, copyPath(dataDir, atMs));
  } catch (error) {
    log.warn({ err: error }, 'the library of an older version could not be copied before it is changed');
  }
}

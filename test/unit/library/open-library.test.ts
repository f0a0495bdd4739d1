import { copyFileSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync, writeSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { copyLibrary, copyPath, listCopies } from '../../../main/library/copies.ts';
import { openDatabase } from '../../../main/library/database.ts';
import { createDocuments, type HeardSegment } from '../../../main/library/documents.ts';
import { createItems } from '../../../main/library/items.ts';
import { migrations } from '../../../main/library/migrations.ts';
import { type Library, libraryPath, openLibrary } from '../../../main/library/open-library.ts';
import { createSearch } from '../../../main/library/search.ts';
import { createApiKeys } from '../../../main/settings/api-keys.ts';
import { loadSqlite } from '../../../main/load-sqlite.ts';
import { quietLog } from '../../support/app.ts';
import { awkwardFolder } from '../../support/test-data.ts';

const segment = (text: string): HeardSegment => ({ startSec: 0, endSec: 1, text, words: [], language: 'en', avgLogprob: 0, noSpeechProb: 0, compressionRatio: 1, isEdited: false });
const options = { model: 'whisper-1', temperature: 0, translate: false };
const copyAtMs = Date.parse('2026-11-20T10:00:00Z');

function open(dataDir: string, isOwner = true): Library {
  const library = openLibrary({ dataDir, isOwner, log: quietLog, now: () => Date.parse('2026-11-22T10:00:00Z') });
  onTestFinished(library.close);
  return library;
}

/** An item with a transcript that takes some pages, and its sound. */
function addItem(dataDir: string, library: Library, title: string): string {
  const items = createItems(library.database, { dataDir });
  const { id } = items.create({ kind: 'transcript', title, source: 'file', state: 'done' });
  createDocuments(library.database).save(id, { durationSec: 1, language: 'en', options, failed: [] }, Array.from({ length: 200 }, (_, at) => segment(`${title} ${at} ${'word '.repeat(20)}`)));
  writeFileSync(join(items.folder(id), 'source.mp3'), 'sound');
  return id;
}

const addUsage = ({ database }: Library, model: string): void => database.write(() => void database.sqlite.prepare("INSERT INTO usage (at_ms, key, model) VALUES (1, 'owner', ?)").run(model));
const titles = (dataDir: string, { database }: Library) => createItems(database, { dataDir }).list().map(({ title }) => title).toSorted();

function overwrite(path: string, at: number, length: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(length, 0xa5), 0, length, at);
  closeSync(file);
}

/** The page at the root of a table. */
function rootPageAt(path: string, table: string): number {
  const sqlite = new (loadSqlite().DatabaseSync)(path, { readOnly: true });
  const page = Number(sqlite.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table)?.['rootpage']);
  const size = Number(sqlite.prepare('PRAGMA page_size').get()?.['page_size']);
  sqlite.close();
  return (page - 1) * size;
}

/** A library with a copy of two days ago, an item older and one newer than it. */
function libraryWithCopy(dataDir: string): { older: string; newer: string } {
  const library = open(dataDir);
  const older = addItem(dataDir, library, 'older');
  addUsage(library, 'before');
  copyLibrary(library.path, copyPath(dataDir, copyAtMs));
  const newer = addItem(dataDir, library, 'newer');
  addUsage(library, 'after');
  createItems(library.database, { dataDir }).change(older, { title: 'older, renamed' });
  library.database.close();
  return { older, newer };
}

it('opens a sound library as it is', async () => {
  const dataDir = await awkwardFolder();
  libraryWithCopy(dataDir);
  const library = open(dataDir);
  expect(library.state()).toEqual({ health: 'ok', newestCopyMs: copyAtMs });
  expect(titles(dataDir, library)).toEqual(['newer', 'older, renamed']);
});

it('sets a damaged library aside, uses the newest copy and takes over what can be read', async () => {
  const dataDir = await awkwardFolder();
  const { older } = libraryWithCopy(dataDir);
  const path = libraryPath(dataDir);
  const before = readFileSync(path);
  overwrite(path, rootPageAt(path, 'segments'), 4096);
  const damaged = readFileSync(path);
  expect(damaged.equals(before)).toBe(false);

  const library = open(dataDir);
  const { health, notice } = library.state();
  expect({ health, notice }).toEqual({ health: 'ok', notice: { atMs: Date.parse('2026-11-22T10:00:00Z'), setAside: 'hearsay-damaged-2026-11-22T10-00-00-000Z.sqlite', copyMadeAtMs: copyAtMs, salvagedItems: 0, foundItems: 1, hasKeysAndUsage: true } });
  expect(readFileSync(join(dataDir, notice?.setAside ?? '')).equals(damaged)).toBe(true);
  // Segments could not be read: the copy's transcript stays, and the newer item is there with its sound.
  expect(createDocuments(library.database).read(older).segments).toHaveLength(200);
  expect(createItems(library.database, { dataDir }).list()).toHaveLength(2);
  expect(library.database.sqlite.prepare('SELECT model FROM usage').all().map((row) => row['model'])).toEqual(['before', 'after']);
  expect(statSync(path).mode & 0o777).toBe(0o600);

  library.database.close();
  const again = open(dataDir);
  expect(again.state().notice).toEqual(notice);
  again.dismissNotice();
  again.database.close();
  expect(open(dataDir).state().notice).toBeUndefined();
});

it('takes over newer and changed items where only usage is damaged, and says so', async () => {
  const dataDir = await awkwardFolder();
  const { newer } = libraryWithCopy(dataDir);
  const path = libraryPath(dataDir);
  overwrite(path, rootPageAt(path, 'usage'), 4096);
  const library = open(dataDir);
  expect(library.state().notice).toMatchObject({ salvagedItems: 2, foundItems: 0, hasKeysAndUsage: false });
  expect(titles(dataDir, library)).toEqual(['newer', 'older, renamed']);
  expect(createDocuments(library.database).read(newer).segments).toHaveLength(200);
  expect(createSearch(library.database).search('newer').length).toBeGreaterThan(0);
});

it.each([
  ['overwritten at its beginning', (path: string) => overwrite(path, 0, 4096)],
  ['cut off', (path: string) => truncateSync(path, 9000)],
  ['text', (path: string) => writeFileSync(path, 'this is no library at all, but a note of somebody\n'.repeat(100))],
])('uses the copy of a file that is %s', async (_, damage) => {
  const dataDir = await awkwardFolder();
  libraryWithCopy(dataDir);
  damage(libraryPath(dataDir));
  const library = open(dataDir);
  expect(library.state()).toMatchObject({ health: 'ok', notice: { copyMadeAtMs: copyAtMs, foundItems: 1 } });
  expect(titles(dataDir, library)).toContain('older');
});

it('passes over a copy that is damaged too, and begins anew where there is none', async () => {
  const dataDir = await awkwardFolder();
  libraryWithCopy(dataDir);
  copyFileSync(copyPath(dataDir, copyAtMs), copyPath(dataDir, copyAtMs + 1000));
  overwrite(copyPath(dataDir, copyAtMs + 1000), 4096, 8192);
  overwrite(libraryPath(dataDir), 0, 4096);
  const first = open(dataDir);
  expect(first.state().notice?.copyMadeAtMs).toBe(copyAtMs);
  first.database.close();

  const other = await awkwardFolder();
  writeFileSync(libraryPath(other), 'nothing that could be read'.repeat(1000));
  const library = open(other);
  expect(library.state()).toMatchObject({ health: 'ok', notice: { salvagedItems: 0, foundItems: 0 } });
  expect(library.state().notice).not.toHaveProperty('copyMadeAtMs');
});

it('mends a search index by itself, and keeps the library', async () => {
  const dataDir = await awkwardFolder();
  libraryWithCopy(dataDir);
  const damaged = openDatabase(libraryPath(dataDir));
  damaged.sqlite.enableDefensive(false);
  damaged.sqlite.exec('DELETE FROM segment_words_data WHERE id > 10');
  damaged.close();
  const library = open(dataDir);
  expect(library.state().notice).toBeUndefined();
  expect(createSearch(library.database).search('newer').length).toBeGreaterThan(0);
});

it('goes on with restoring that a crash interrupted', async () => {
  const dataDir = await awkwardFolder();
  libraryWithCopy(dataDir);
  const path = libraryPath(dataDir);
  renameSync(path, `${path}.restoring`);
  expect(titles(dataDir, open(dataDir))).toEqual(['newer', 'older, renamed']);
  expect(existsSync(`${path}.restoring`)).toBe(false);
});

it('notices damage at any statement, and mends it at the next start', async () => {
  const dataDir = await awkwardFolder();
  libraryWithCopy(dataDir);
  const path = libraryPath(dataDir);
  const at = rootPageAt(path, 'takes');
  const library = open(dataDir);
  overwrite(path, at, 4096);
  expect(library.health()).toBe('ok');
  expect(() => library.database.sqlite.prepare('SELECT * FROM takes').all()).toThrow('malformed');
  expect(library.health()).toBe('damaged');
  library.database.close();
  const next = open(dataDir);
  expect(next.state()).toMatchObject({ health: 'ok', notice: { copyMadeAtMs: copyAtMs } });
  expect(titles(dataDir, next)).toEqual(['newer', 'older, renamed']);
  expect(readdirSync(dataDir).filter((name) => name.endsWith('.damaged'))).toEqual([]);
});

it('does without a library that cannot be opened: the owner is let in, nobody else', async () => {
  const dataDir = await awkwardFolder();
  mkdirSync(libraryPath(dataDir));
  expect(() => open(dataDir, false)).toThrow('cannot be opened');
  const { database, health } = open(dataDir);
  expect(health()).toBe('unavailable');
  const keys = await createApiKeys({ dataDir, database, isUnavailable: () => true });
  expect(keys.verify(keys.key)?.isOwner).toBe(true);
  expect(() => keys.verify('hs-another-key')).toThrow(expect.objectContaining({ key: 'library_unavailable' }));
});

it('keeps the keys of others out while their table cannot be read, and lets the owner in', async () => {
  const dataDir = await awkwardFolder();
  const library = open(dataDir);
  const keys = await createApiKeys({ dataDir, database: library.database });
  const { secret } = keys.create({ name: 'phone', budgetCountsLocal: false });
  expect(keys.verify(secret)?.name).toBe('phone');
  library.database.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  overwrite(library.path, rootPageAt(library.path, 'api_keys'), 4096);
  // Another process writes something, so that the pages are read again.
  const other = openDatabase(library.path);
  other.change(() => other.sqlite.exec("INSERT INTO settings VALUES ('a', 'b')"));
  other.close();
  library.database.changed();
  expect(() => keys.verify(secret)).toThrow(expect.objectContaining({ key: 'library_unavailable' }));
  expect(keys.verify(keys.key)?.isOwner).toBe(true);
});

it.each(Array.from({ length: migrations.length - 1 }, (_, at) => at + 1))('copies a library of schema %i before it changes it, and loses nothing', async (schema) => {
  const dataDir = await awkwardFolder();
  const old = new (loadSqlite().DatabaseSync)(libraryPath(dataDir));
  for (const step of migrations.slice(0, schema)) old.exec(step);
  old.exec(`PRAGMA user_version = ${schema}; INSERT INTO settings VALUES ('preferences', '{"theme":"dark"}'); INSERT INTO usage (model) VALUES ('whisper-1')`);
  old.close();
  const { database } = open(dataDir);
  expect(database.sqlite.prepare('SELECT value FROM settings').get()?.['value']).toBe('{"theme":"dark"}');
  expect(database.sqlite.prepare('SELECT count(*) AS count FROM usage').get()?.['count']).toBe(1);
  const [copy] = listCopies(dataDir);
  const kept = new (loadSqlite().DatabaseSync)(copy?.path ?? '', { readOnly: true });
  expect(kept.prepare('PRAGMA user_version').get()?.['user_version']).toBe(schema);
  kept.close();
});

// Takes over from a damaged library what its copy lacks or has in an older form, as far as it can be read.

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { loadSqlite } from '../load-sqlite.ts';
import type { Database } from './database.ts';
import { readWholeItem, wholeItem, writeWholeItem } from './whole-item.ts';

export type Salvaged = { items: number; hasKeysAndUsage: boolean };

/** Small, and of one piece: taken over in full or not at all. */
const replacedTables = ['api_keys', 'channels', 'settings', 'pronunciations'] as const;
const usageBatch = 5000;

/** Never throws: what cannot be read is left as the copy has it. */
export function salvage(damagedPath: string, into: Database): Salvaged {
  let damaged: DatabaseSync | undefined;
  try {
    damaged = new (loadSqlite().DatabaseSync)(damagedPath, { timeout: 1000, readOnly: true });
    damaged.exec('PRAGMA cell_size_check = ON');
    const source = damaged;
    const replaced = replacedTables.filter((table) => attempt(() => replaceTable(source, into, table)) !== undefined);
    const hasUsage = attempt(() => appendUsage(source, into)) !== undefined;
    return { items: attempt(() => salvageItems(source, into)) ?? 0, hasKeysAndUsage: hasUsage && replaced.includes('api_keys') };
  } catch {
    return { items: 0, hasKeysAndUsage: false };
  } finally {
    attempt(() => damaged?.close());
  }
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function replaceTable(from: DatabaseSync, { change, sqlite }: Database, table: string): true {
  const rows = from.prepare(`SELECT * FROM ${table}`).all() as Record<string, SQLInputValue>[];
  change(() => {
    sqlite.exec(`DELETE FROM ${table}`);
    for (const row of rows) insert(sqlite, table, row);
  });
  return true;
}

function insert(sqlite: DatabaseSync, table: string, row: Record<string, SQLInputValue>): void {
  const names = Object.keys(row);
  sqlite.prepare(`INSERT OR REPLACE INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`).run(...Object.values(row));
}

/** Records only come, with ids that count up. @throws where one that is missing cannot be read */
function appendUsage(from: DatabaseSync, { change, sqlite }: Database): true {
  for (;;) {
    const { last } = sqlite.prepare('SELECT coalesce(max(id), 0) AS last FROM usage').get() as { last: number };
    const rows = from.prepare('SELECT * FROM usage WHERE id > ? ORDER BY id LIMIT ?').all(last, usageBatch) as Record<string, SQLInputValue>[];
    change(() => rows.forEach((row) => insert(sqlite, 'usage', row)));
    if (rows.length < usageBatch) return true;
  }
}

/** @returns how many were taken over */
function salvageItems(from: DatabaseSync, { change, sqlite }: Database): number {
  const rows = from.prepare('SELECT id, deleted_at_ms AS deletedAtMs FROM items ORDER BY place').all() as { id: string; deletedAtMs: number | null }[];
  let taken = 0;
  for (const { id } of rows) {
    const theirs = attempt(() => wholeItem.parse(readWholeItem(from, id)));
    if (theirs === undefined) continue;
    const ours = attempt(() => readWholeItem(sqlite, id));
    if (ours !== undefined && JSON.stringify(ours) === JSON.stringify(theirs)) continue;
    if (attempt(() => (change(() => writeWholeItem(sqlite, theirs)), true)) !== undefined) taken += 1;
  }
  // All of the list could be read: what is not in it was removed for good since.
  const known = new Set(rows.map(({ id }) => id));
  const gone = sqlite.prepare('SELECT id FROM items').all().map((row) => String(row['id'])).filter((id) => !known.has(id));
  if (gone.length > 0) change(() => gone.forEach((id) => sqlite.prepare('DELETE FROM items WHERE id = ?').run(id)));
  return taken;
}

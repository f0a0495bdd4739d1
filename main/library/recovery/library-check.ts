// Checks a library file. SQLite's own checks miss some damage that makes statements fail, and missing tables, so the
// statements of a start are run too.

import { existsSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { isBusy, loadSqlite } from "../../storage/load-sqlite.ts";
import { migrations } from "../../storage/migrations.ts";
import { createDamageError, isDamageWhileOpening } from "../../storage/damage-detection.ts";

/** Larger files are not checked at each start, but when they are copied: 195 MB took 9 s on two busy cores. */
const maxCheckedBytes = 64 * 2 ** 20;

export const damageMarkerPath = (path: string): string => `${path}.damaged`;

/**
 * For a file that exists and is not empty.
 * @param isLogDamaged what SQLite recovers may mix pages of two points in time: check it in full, whatever its size
 * @throws if the disk fails, rather than the content being damaged
 */
export function isIntact(path: string, isLogDamaged = false): boolean {
  const isMarkedDamaged = existsSync(damageMarkerPath(path));
  const needsFullCheck = isMarkedDamaged || isLogDamaged;
  if (!needsFullCheck && statSync(path).size > maxCheckedBytes) return true;
  const pragma = needsFullCheck ? "integrity_check" : "quick_check";
  try {
    const results = runCheck(path, pragma);
    // The marker means that a statement failed on damage, even if the check finds none.
    if (results[0] === "ok") return !isMarkedDamaged;
    // The search index can be rebuilt from the other tables.
    if (!results.every((finding) => /fts5/i.test(finding))) return false;
    rebuildIndex(path);
    return runCheck(path, pragma)[0] === "ok";
  } catch (error) {
    if (isDamageWhileOpening(error)) return false;
    // Another process uses it, so it is readable.
    if (isBusy(error)) return true;
    throw error;
  }
}

/** Findings of the check; only `ok` if there are none. Read-only: a damaged file must be kept unchanged. */
function runCheck(path: string, pragma: "quick_check" | "integrity_check"): string[] {
  const sqlite = new (loadSqlite().DatabaseSync)(path, { timeout: 1000, readOnly: true });
  try {
    return sqlite
      .prepare(`PRAGMA ${pragma}(20)`)
      .all()
      .map((row) => String(row[pragma]));
  } finally {
    sqlite.close();
  }
}

function rebuildIndex(path: string): void {
  const sqlite = new (loadSqlite().DatabaseSync)(path, { timeout: 1000 });
  try {
    for (const { name } of sqlite
      .prepare("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE % USING fts5%'")
      .all())
      sqlite.exec(`INSERT INTO ${name} (${name}) VALUES ('rebuild')`);
  } finally {
    sqlite.close();
  }
}

/** True if all rows of a table can be read and match its indexes. */
export const isTableIntact = (sqlite: DatabaseSync, table: string): boolean =>
  sqlite.prepare(`PRAGMA integrity_check(${table})`).get()?.["integrity_check"] === "ok";

/** Tables that are small or read completely at each start. */
const startupTables = [
  "api_keys",
  "channels",
  "settings",
  "pronunciations",
  "people",
  "voice_prints",
  "forgotten_people",
  "items",
  "documents",
  "narration_work",
] as const;
/**
 * These use the indexes of a start and of the first requests: SQLite's checks miss an empty index whose page has the
 * wrong type.
 */
const startupStatements = [
  "SELECT * FROM settings WHERE name = ''",
  "SELECT * FROM channels WHERE id = ''",
  "SELECT * FROM api_keys WHERE id = ''",
  "SELECT * FROM api_keys WHERE revoked_at_ms IS NULL AND name = ''",
  "SELECT * FROM items WHERE id = ''",
  "SELECT * FROM items WHERE created_at_ms = 0",
  "SELECT * FROM people WHERE name = ''",
  "SELECT * FROM voice_prints WHERE person_id = ''",
  "SELECT * FROM forgotten_people WHERE person_id = ''",
  "SELECT * FROM documents WHERE item_id = ''",
  "SELECT * FROM narrations WHERE item_id = ''",
  "SELECT * FROM narration_work WHERE item_id = ''",
  "SELECT * FROM sentences WHERE item_id = ''",
  "SELECT * FROM takes WHERE id = ''",
  "SELECT * FROM takes WHERE item_id = ''",
  "SELECT * FROM takes WHERE content = ''",
  "SELECT * FROM segments WHERE item_id = '' AND id = 0",
  "SELECT * FROM segments WHERE item_id = '' AND start_sec = 0",
  "SELECT * FROM script_parts WHERE item_id = ''",
  "SELECT max(id) FROM usage",
  "SELECT min(at_ms) FROM usage",
  "SELECT * FROM usage WHERE key = '' LIMIT 1",
  "SELECT min(at_ms) FROM usage_days",
] as const;

/**
 * Runs the reads of a start, whatever the size of the library. @throws an error that `isDamageWhileOpening` recognizes
 */
export function checkStartupReads(sqlite: DatabaseSync): void {
  const existingNames = schemaNames(sqlite);
  const missing = [...expectedSchemaNames()].filter((name) => !existingNames.has(name));
  if (missing.length > 0) throw createDamageError(`the schema lacks ${missing.join(", ")}`);
  for (const statement of startupStatements) sqlite.prepare(statement).all();
  for (const table of startupTables)
    if (!isTableIntact(sqlite, table)) throw createDamageError(`the table '${table}' is damaged`);
}

const schemaNames = (sqlite: DatabaseSync): Set<string> =>
  new Set(
    sqlite
      .prepare("SELECT type, name FROM sqlite_schema")
      .all()
      .map(({ type, name }) => `${String(type)} ${String(name)}`),
  );

function expectedSchemaNames(): Set<string> {
  const sqlite = new (loadSqlite().DatabaseSync)(":memory:");
  try {
    for (const step of migrations) sqlite.exec(step);
    return schemaNames(sqlite);
  } finally {
    sqlite.close();
  }
}

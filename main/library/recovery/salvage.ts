// Copies newer data from a damaged library into the restored backup, as far as it is readable. A damaged table may
// return fewer rows without an error, so only an intact table may delete rows of the backup.

import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { AppError, toStorageError } from "../../contract/errors.ts";
import type { VocabularyEntry } from "../../contract/vocabulary.ts";
import { loadSqlite } from "../../storage/load-sqlite.ts";
import { isTableIntact } from "./library-check.ts";
import type { Database } from "../../storage/database.ts";
import {
  readCompleteItem,
  type CompleteItem,
  completeItem,
  writeCompleteItem,
} from "../archive/complete-item.ts";

export type Salvaged = { items: number; hasKeysAndUsage: boolean };

/** Small tables, copied completely or not at all. Each has an index that allows detecting missing rows. */
const replacedTables = ["api_keys", "channels", "settings"] as const;
const itemTables = ["items", "documents", "segments", "narrations", "takes", "sentences"] as const;
const usageBatch = 5000;

/**
 * Unreadable data stays as in the backup.
 * @throws AppError if the restored library cannot be written
 */
export function salvage(damagedPath: string, target: Database, atMs: number): Salvaged {
  const damagedDatabase = attempt(
    () => new (loadSqlite().DatabaseSync)(damagedPath, { timeout: 1000, readOnly: true }),
  );
  if (damagedDatabase === undefined) return { items: 0, hasKeysAndUsage: false };
  try {
    attempt(() => damagedDatabase.exec("PRAGMA cell_size_check = ON"));
    const replacedTableNames = replacedTables.filter((table) =>
      succeeds(() => replaceTable(damagedDatabase, target, table)),
    );
    succeeds(() => replacePeople(damagedDatabase, target));
    succeeds(() => addVocabulary(damagedDatabase, target));
    const hasUsage =
      succeeds(() => appendUsage(damagedDatabase, target)) && isReadable(damagedDatabase, "usage");
    if (hasUsage) succeeds(() => replaceUsageDays(damagedDatabase, target));
    const items = attempt(() => salvageItems(damagedDatabase, target, atMs)) ?? 0;
    succeeds(() => replaceTable(damagedDatabase, target, "narration_work"));
    succeeds(() => replaceTable(damagedDatabase, target, "departures"));
    return { items, hasKeysAndUsage: hasUsage && replacedTableNames.includes("api_keys") };
  } finally {
    attempt(() => damagedDatabase.close());
  }
}

/** @throws only errors about writing the restored library */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError && toStorageError(error) !== undefined) throw error;
    return undefined;
  }
}

const succeeds = (work: () => void): boolean => attempt(() => (work(), true)) === true;

const isReadable = (sqlite: DatabaseSync, table: string): boolean =>
  attempt(() => isTableIntact(sqlite, table)) === true;

type Row = Record<string, SQLInputValue>;
const rowsOf = (sqlite: DatabaseSync, table: string): Row[] =>
  sqlite.prepare(`SELECT * FROM ${table}`).all() as Row[];

function replaceTable(from: DatabaseSync, { change, sqlite }: Database, table: string): void {
  if (!isTableIntact(from, table)) throw new Error("some of its rows cannot be read");
  const rows = rowsOf(from, table);
  change(() => {
    sqlite.exec(`DELETE FROM ${table}`);
    for (const row of rows) insert(sqlite, table, row);
  });
}

function insert(sqlite: DatabaseSync, table: string, row: Row): void {
  const names = Object.keys(row);
  sqlite
    .prepare(
      `INSERT OR REPLACE INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    )
    .run(...Object.values(row));
}

/** With their prints: an older copy may have people who were forgotten since. */
function replacePeople(from: DatabaseSync, target: Database): void {
  target.change(() => {
    replaceTable(from, target, "people");
    replaceTable(from, target, "voice_prints");
    // Older libraries have no such table.
    attempt(() => replaceTable(from, target, "forgotten_people"));
  });
}

/** No index shows whether rows are missing: rows of the backup stay, and changed ones are updated. */
function addVocabulary(from: DatabaseSync, { change, sqlite }: Database): void {
  // An older version's table lacks "heard".
  const rows = from
    .prepare("SELECT * FROM pronunciations ORDER BY place")
    .all() as Partial<VocabularyEntry>[];
  change(() => {
    for (const { word = "", says = "", heard = "" } of rows) {
      const { changes } = sqlite
        .prepare("UPDATE pronunciations SET says = ?, heard = ? WHERE word = ?")
        .run(says, heard, word);
      if (changes === 0)
        sqlite
          .prepare("INSERT INTO pronunciations (word, says, heard) VALUES (?, ?, ?)")
          .run(word, says, heard);
    }
  });
}

/** Usage records are only appended, with increasing ids. @throws if a missing record cannot be read */
function appendUsage(from: DatabaseSync, { change, sqlite }: Database): void {
  for (;;) {
    const { last } = sqlite.prepare("SELECT coalesce(max(id), 0) AS last FROM usage").get() as {
      last: number;
    };
    const rows = from
      .prepare("SELECT * FROM usage WHERE id > ? ORDER BY id LIMIT ?")
      .all(last, usageBatch) as Row[];
    change(() => rows.forEach((row) => insert(sqlite, "usage", row)));
    if (rows.length < usageBatch) return;
  }
}

/** Copies the daily totals and deletes the records included in them, so that each counts once. */
function replaceUsageDays(from: DatabaseSync, target: Database): void {
  const { change, sqlite } = target;
  change(() => {
    replaceTable(from, target, "usage_days");
    const existingIds = new Set(
      from
        .prepare("SELECT id FROM usage")
        .all()
        .map(({ id }) => id),
    );
    const deleteRecord = sqlite.prepare("DELETE FROM usage WHERE id = ?");
    for (const { id } of sqlite.prepare("SELECT id FROM usage").all())
      if (!existingIds.has(id as number)) deleteRecord.run(id as number);
  });
}

/** @returns number of items copied */
function salvageItems(from: DatabaseSync, { change, sqlite }: Database, atMs: number): number {
  const areTablesIntact = itemTables.every((table) => isReadable(from, table));
  const ids = from
    .prepare("SELECT id FROM items ORDER BY place")
    .all()
    .map((row) => String(row["id"]));
  let salvagedCount = 0;
  for (const id of ids) {
    const damagedItem = attempt(() => completeItem.parse(readCompleteItem(from, id)));
    if (damagedItem === undefined) continue;
    const backupItem = attempt(() => completeItem.parse(readCompleteItem(sqlite, id)));
    if (
      backupItem !== undefined &&
      (JSON.stringify(backupItem) === JSON.stringify(damagedItem) ||
        (!areTablesIntact && hasFewerRows(damagedItem, backupItem)))
    )
      continue;
    if (succeeds(() => change(() => writeCompleteItem(sqlite, damagedItem)))) salvagedCount += 1;
  }
  // Items missing in an intact table were permanently deleted since the backup. They go to the trash, so that they can
  // be restored.
  if (isReadable(from, "items")) {
    const knownIds = new Set(ids);
    const missingIds = sqlite
      .prepare("SELECT id FROM items WHERE deleted_at_ms IS NULL")
      .all()
      .map((row) => String(row["id"]))
      .filter((id) => !knownIds.has(id));
    if (missingIds.length > 0)
      change(() =>
        missingIds.forEach((id) =>
          sqlite.prepare("UPDATE items SET deleted_at_ms = ? WHERE id = ?").run(atMs, id),
        ),
      );
  }
  return salvagedCount;
}

/** With damaged tables, the missing rows may exist but be unreadable. */
function hasFewerRows(damagedItem: CompleteItem, backupItem: CompleteItem): boolean {
  const damagedCounts = countRows(damagedItem);
  return countRows(backupItem).some((count, at) => count > (damagedCounts[at] ?? 0));
}

const countRows = ({ document, narration }: CompleteItem): number[] => [
  Number(document !== undefined),
  document?.segments.length ?? 0,
  Number(narration !== undefined),
  narration?.takes.length ?? 0,
  narration?.sentences.length ?? 0,
];

// What the library page shows and filters by beyond the items themselves: their first words, and who speaks in them.

import type { Database } from "../storage/database.ts";

/** Enough for one line. */
const maxCharacters = 160;
/** A script begins with its title and chapter more often than with blank lines. */
const scriptCharacters = 2000;

/** @returns item id → its first words; without items that have none, or that do not exist */
export function readFirstWords(
  { sqlite }: Database,
  itemIds: readonly string[],
): Record<string, string> {
  const selectSegment = sqlite.prepare(
    "SELECT text FROM segments WHERE item_id = ? ORDER BY start_sec, id LIMIT 3",
  );
  const selectScript = sqlite.prepare(
    `SELECT substr(script, 1, ${scriptCharacters}) AS text FROM narrations WHERE item_id = ?`,
  );
  const firstWords: Record<string, string> = {};
  for (const id of itemIds) {
    const text = [...selectSegment.all(id), ...selectScript.all(id)]
      .map((row) => String(row["text"]))
      .join(" ")
      .replace(/\s+/g, " ")
      .trim();
    if (text !== "") firstWords[id] = Array.from(text).slice(0, maxCharacters).join("");
  }
  return firstWords;
}

/** In alphabetical order. Reads all transcripts: run it outside of the main thread. */
export function listSpeakers({ sqlite }: Database): { name: string; itemIds: string[] }[] {
  const rows = sqlite
    .prepare(
      `SELECT DISTINCT item_id, json_extract(more, '$.speaker') AS name FROM segments
       WHERE more LIKE '%"speaker"%' AND name IS NOT NULL`,
    )
    .all();
  const byName = Map.groupBy(rows, (row) => String(row["name"]));
  return [...byName]
    .map(([name, items]) => ({ name, itemIds: items.map((row) => String(row["item_id"])) }))
    .sort((one, other) => one.name.localeCompare(other.name));
}

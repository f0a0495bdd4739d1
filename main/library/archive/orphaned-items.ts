// Orphaned items: their folder exists, but the library has no row, for example after a restore from a backup.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { createMessage } from "../../contract/messages/messages.ts";
import type { Item } from "../../contract/library-item.ts";
import type { Database } from "../../storage/database.ts";
import { writeCompleteItem } from "./complete-item.ts";

/** Beginning of the messages `orphan.…`, by which they are recognized. */
const found = "The library was damaged. Of this ";

/** True if the item is orphaned and nothing was created from it since: an archive can replace it. */
export const isOrphanedItem = (sqlite: DatabaseSync, id: string): boolean =>
  sqlite
    .prepare(
      `SELECT 1 FROM items WHERE id = :id AND deleted_at_ms IS NULL AND state = 'failed'
       AND substr(error, 1, length(:found)) = :found
       AND id NOT IN (SELECT item_id FROM documents UNION ALL SELECT item_id FROM narrations)`,
    )
    .get({ id, found }) !== undefined;

/** Adds orphaned items to the library, to be transcribed again. @returns how many */
export function restoreOrphanedItems(dataDir: string, { sqlite, change }: Database): number {
  const folder = join(dataDir, "library");
  const knownIds = new Set(
    sqlite
      .prepare("SELECT id FROM items")
      .all()
      .map((row) => String(row["id"])),
  );
  const ids = listNames(folder).filter(
    (name) => /^[0-9a-f]{16}$/.test(name) && !knownIds.has(name),
  );
  const items = ids.flatMap((id) => createItemFromFolder(join(folder, id), id) ?? []);
  change(() => items.forEach((item) => writeCompleteItem(sqlite, { item })));
  return items.length;
}

/** @returns undefined if the folder contains nothing usable */
function createItemFromFolder(folder: string, id: string): Item | undefined {
  const files = listNames(folder);
  const source = files.find((name) => name.startsWith("source."));
  const isNarration = files.includes("takes");
  if (source === undefined && !isNarration) return undefined;
  const { message: error, ...errorReference } = isNarration
    ? createMessage("orphan.narration")
    : createMessage("orphan.item", { extension: extname(source ?? "") });
  const changedAtMs = Math.round(statSync(join(folder, source ?? "takes")).mtimeMs);
  return {
    id,
    kind: isNarration ? "narration" : "transcript",
    title:
      (isNarration ? readAudiobookTitle(folder) : undefined) ??
      new Date(changedAtMs).toLocaleString("sv-SE").slice(0, 16),
    source: isNarration ? "text" : "file",
    createdAtMs: changedAtMs,
    changedAtMs,
    durationSec: 0,
    sizeBytes: files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0),
    state: "failed",
    progress: 0,
    error,
    errorReference,
    isPartial: false,
    language: "",
    channels: [],
    tags: [],
    hasMedia: files.includes("peaks.bin"),
  };
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readAudiobookTitle(folder: string): string | undefined {
  try {
    const { title } = JSON.parse(readFileSync(join(folder, "book.json"), "utf8")) as {
      title?: unknown;
    };
    return typeof title === "string" && title !== "" ? title.slice(0, 300) : undefined;
  } catch {
    return undefined;
  }
}

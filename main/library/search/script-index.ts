// Full-text index of scripts, in parts of a few paragraphs: a script of several megabytes is indexed in many short
// writes, and an edit re-indexes only changed parts.

import { createHash } from "node:crypto";
import { toStorageError } from "../../contract/errors.ts";
import type { Database } from "../../storage/database.ts";
import { toIndexedText } from "./indexed-text.ts";

/** A part takes one or two milliseconds to write, so that other writers get their turn. */
const minPartLength = 2_000;
const maxPartLength = 16_000;

type Unindexed = { itemId: string; revision: number; script: string };

/** @returns a function that indexes all changed scripts */
export function createScriptIndex(database: Database): () => void {
  const { sqlite } = database;
  const selectNextUnindexed = sqlite.prepare(
    "SELECT item_id AS itemId, revision, script FROM narrations WHERE indexed IS NOT revision LIMIT 1",
  );
  const selectRevision = sqlite.prepare("SELECT revision FROM narrations WHERE item_id = ?");
  const updateIndexed = sqlite.prepare(
    "UPDATE narrations SET indexed = ? WHERE item_id = ? AND revision = ?",
  );
  const selectParts = sqlite.prepare("SELECT place, digest FROM script_parts WHERE item_id = ?");
  const insertPart = sqlite.prepare("INSERT INTO script_parts (item_id, digest) VALUES (?, ?)");
  const insertWords = sqlite.prepare("INSERT INTO script_words (rowid, text) VALUES (?, ?)");
  const deletePart = sqlite.prepare("DELETE FROM script_parts WHERE place = ?");

  /** If the disk rejects writes, the remaining scripts are indexed at the next search. */
  function indexChangedScripts(): void {
    try {
      for (
        let next = selectNextUnindexed.get();
        next !== undefined;
        next = selectNextUnindexed.get()
      )
        indexScript(next as Unindexed);
    } catch (error) {
      if (toStorageError(error) === undefined) throw error;
    }
  }

  function indexScript({ itemId, revision, script }: Unindexed): void {
    const existingParts = new Map<string, number[]>();
    for (const { digest, place } of selectParts.all(itemId))
      existingParts.set(String(digest), [
        ...(existingParts.get(String(digest)) ?? []),
        Number(place),
      ]);
    for (const part of splitScript(script)) {
      const digest = createHash("sha256").update(part).digest("base64url").slice(0, 22);
      if (existingParts.get(digest)?.pop() !== undefined) continue;
      database.write(() => {
        // Skip a narration that was deleted meanwhile.
        if (selectRevision.get(itemId) !== undefined)
          insertWords.run(insertPart.run(itemId, digest).lastInsertRowid, toIndexedText(part));
      });
    }
    for (const place of [...existingParts.values()].flat())
      database.write(() => deletePart.run(place));
    // Has no effect if the script changed meanwhile; it is then indexed again.
    database.write(() => updateIndexed.run(revision, itemId, revision));
  }

  return indexChangedScripts;
}

/**
 * Splits at line ends. The position depends on the lines themselves, not on the offset from the start, so that an edit
 * changes few parts.
 */
function* splitScript(script: string): Generator<string> {
  let from = 0;
  let lineFrom = 0;
  while (from < script.length) {
    const lineEnd = script.indexOf("\n", lineFrom);
    const to = lineEnd < 0 ? script.length : lineEnd + 1;
    const isPartEnd =
      to === script.length || (to - from >= minPartLength && (to - lineFrom) % 4 === 0);
    if (isPartEnd || to - from > maxPartLength) {
      yield* splitLongPart(script, from, to);
      from = to;
    }
    lineFrom = to;
  }
}

/** A line may be as long as the script: split at spaces if possible. */
function* splitLongPart(script: string, start: number, end: number): Generator<string> {
  let from = start;
  while (end - from > maxPartLength) {
    const spaceIndex = script.lastIndexOf(" ", from + maxPartLength);
    const to = spaceIndex > from + minPartLength ? spaceIndex : from + maxPartLength;
    yield script.slice(from, to);
    from = to;
  }
  yield script.slice(from, end);
}

// Words of scripts in the full-text index: in parts of a few paragraphs, so that a book of several megabytes is taken
// in by many short writes, and an edit takes in only the parts it changed.

import { createHash } from "node:crypto";
import { storageFailure } from "../../contract/errors.ts";
import type { Database } from "../../storage/database.ts";
import { indexed } from "./indexed-text.ts";

/** Written in about a millisecond or two: other writers have their turn in between. */
const minPartLength = 2_000;
const maxPartLength = 16_000;

type Unindexed = { itemId: string; revision: number; script: string };

/** @returns what takes in all that changed */
export function createScriptIndex(database: Database): () => void {
  const { sqlite } = database;
  const nextUnindexed = sqlite.prepare(
    "SELECT item_id AS itemId, revision, script FROM narrations WHERE indexed IS NOT revision LIMIT 1",
  );
  const revisionOf = sqlite.prepare("SELECT revision FROM narrations WHERE item_id = ?");
  const setIndexed = sqlite.prepare(
    "UPDATE narrations SET indexed = ? WHERE item_id = ? AND revision = ?",
  );
  const partsOf = sqlite.prepare("SELECT place, digest FROM script_parts WHERE item_id = ?");
  const addPart = sqlite.prepare("INSERT INTO script_parts (item_id, digest) VALUES (?, ?)");
  const addWords = sqlite.prepare("INSERT INTO script_words (rowid, text) VALUES (?, ?)");
  const dropPart = sqlite.prepare("DELETE FROM script_parts WHERE place = ?");

  /** Where the disk takes no write, what is not indexed yet waits for the next search. */
  function update(): void {
    try {
      for (let next = nextUnindexed.get(); next !== undefined; next = nextUnindexed.get())
        take(next as Unindexed);
    } catch (error) {
      if (storageFailure(error) === undefined) throw error;
    }
  }

  function take({ itemId, revision, script }: Unindexed): void {
    const old = new Map<string, number[]>();
    for (const { digest, place } of partsOf.all(itemId))
      old.set(String(digest), [...(old.get(String(digest)) ?? []), Number(place)]);
    for (const part of partsIn(script)) {
      const digest = createHash("sha256").update(part).digest("base64url").slice(0, 22);
      if (old.get(digest)?.pop() !== undefined) continue;
      database.write(() => {
        // Removed meanwhile: nothing may be left of it.
        if (revisionOf.get(itemId) !== undefined)
          addWords.run(addPart.run(itemId, digest).lastInsertRowid, indexed(part));
      });
    }
    for (const place of [...old.values()].flat()) database.write(() => dropPart.run(place));
    // Where it was changed meanwhile it is taken in again.
    database.write(() => setIndexed.run(revision, itemId, revision));
  }

  return update;
}

/**
 * Ends at ends of lines. Where depends on the lines themselves, not on where the script begins: an edit moves few ends.
 */
function* partsIn(script: string): Generator<string> {
  let from = 0;
  let lineFrom = 0;
  while (from < script.length) {
    const lineEnd = script.indexOf("\n", lineFrom);
    const to = lineEnd < 0 ? script.length : lineEnd + 1;
    const isEnd = to === script.length || (to - from >= minPartLength && (to - lineFrom) % 4 === 0);
    if (isEnd || to - from > maxPartLength) {
      yield* piecesOf(script, from, to);
      from = to;
    }
    lineFrom = to;
  }
}

/** A line may be as long as the script: cut at blanks, where there are any. */
function* piecesOf(script: string, start: number, end: number): Generator<string> {
  let from = start;
  while (end - from > maxPartLength) {
    const blank = script.lastIndexOf(" ", from + maxPartLength);
    const to = blank > from + minPartLength ? blank : from + maxPartLength;
    yield script.slice(from, to);
    from = to;
  }
  yield script.slice(from, end);
}

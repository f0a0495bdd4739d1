// Words that stand in two neighbouring segments, where neither has all of them: people search for what was said, not for
// where a pause cut it. The index knows segments alone, so the rarest word leads to its segments, and these are read
// together with the ones before and after them.

import type { SearchHit } from "../../contract/studio.ts";
import type { Database } from "../../storage/database.ts";
import {
  hitEnd,
  hitStart,
  type IndexedWord,
  typedParts,
  type TypedPart,
  wordsIn,
} from "./indexed-text.ts";

/** To read more around them takes longer than a person types. */
const maxCandidates = 400;
const maxCounted = 2_000;
const snippetWords = 24;
const wordsBefore = 4;

type Segment = { id: number; startSec: number; text: string };

export type Spanning = { search(typed: string): SearchHit[] };

export function createSpanning({ sqlite }: Database): Spanning {
  const count = sqlite.prepare(
    `SELECT count(*) AS n FROM (SELECT 1 FROM segment_words WHERE segment_words MATCH ? LIMIT ${maxCounted})`,
  );
  const candidates = sqlite.prepare(`
    SELECT item_id AS itemId, items.title AS title, segments.id AS id, start_sec AS startSec, text
    FROM (SELECT rowid AS place FROM segment_words WHERE segment_words MATCH ? ORDER BY rowid DESC LIMIT ${maxCandidates}) AS found
    JOIN segments USING (place) JOIN items ON items.id = item_id WHERE deleted_at_ms IS NULL`);
  const before = sqlite.prepare(
    "SELECT id, start_sec AS startSec, text FROM segments WHERE item_id = ? AND (start_sec, id) < (?, ?) ORDER BY start_sec DESC, id DESC LIMIT 1",
  );
  const after = sqlite.prepare(
    "SELECT id, start_sec AS startSec, text FROM segments WHERE item_id = ? AND (start_sec, id) > (?, ?) ORDER BY start_sec, id LIMIT 1",
  );

  /** Of all words that are wanted, as a query; undefined where one of them is nowhere. */
  function rarest(parts: readonly TypedPart[]): string | undefined {
    let least = Infinity;
    let query: string | undefined;
    for (const { keys, isQuoted } of parts) {
      for (const [at, key] of keys.entries()) {
        const isBeginning = !isQuoted && at === keys.length - 1;
        const one = [...new Set([key, key.replaceAll("ss", "ß")])]
          .map((spelling) => `"${spelling}"${isBeginning ? " *" : ""}`)
          .join(" OR ");
        const found = Number(count.get(one)?.["n"]);
        if (found === 0) return undefined;
        if (found < least) [least, query] = [found, one];
      }
    }
    return query;
  }

  return {
    search(typed) {
      const parts = typedParts(typed);
      if (parts.reduce((sum, { keys }) => sum + keys.length, 0) < 2) return [];
      const query = rarest(parts);
      if (query === undefined) return [];
      const hits = new Map<string, SearchHit>();
      for (const row of candidates.all(query)) {
        const { itemId, title, ...middle } = row as Segment & { itemId: string; title: string };
        const [previous, next] = [before, after].map(
          (neighbour) => neighbour.get(itemId, middle.startSec, middle.id) as Segment | undefined,
        );
        for (const [first, second] of [
          [previous, middle],
          [middle, next],
        ] as const) {
          const snippet = first && second && spanningSnippet(first.text, second.text, parts);
          if (first !== undefined && snippet !== undefined)
            hits.set(`${itemId} ${first.id}`, {
              itemId,
              title,
              segmentId: first.id,
              startSec: first.startSec,
              snippet,
            });
        }
      }
      return [...hits.values()];
    },
  };
}

/** The words around, those that were wanted marked; undefined where not all are there, or one of the two has them all. */
function spanningSnippet(
  first: string,
  second: string,
  parts: readonly TypedPart[],
): string | undefined {
  const text = `${first.trim()} ${second.trim()}`;
  const words = wordsIn(text);
  const found = parts.map((part) => placesOf(words, part));
  if (found.some((places) => places.length === 0)) return undefined;
  if ([first, second].some((own) => parts.every((part) => placesOf(wordsIn(own), part).length > 0)))
    return undefined;
  const marked = new Set(found.flat());
  const from = Math.max(0, Math.min(...marked) - wordsBefore);
  const to = Math.min(words.length, from + snippetWords);
  const shown = text.slice(words[from]?.start ?? 0, words[to]?.start ?? text.length);
  const offset = words[from]?.start ?? 0;
  let snippet = "";
  let end = 0;
  for (let at = from; at < to; at += 1) {
    const word = words[at];
    if (word === undefined || !marked.has(at)) continue;
    // Words that follow each other are one hit.
    let last = at;
    while (last + 1 < to && marked.has(last + 1)) last += 1;
    const stop = (words[last]?.end ?? word.end) - offset;
    snippet += `${shown.slice(end, word.start - offset)}${hitStart}${shown.slice(word.start - offset, stop)}${hitEnd}`;
    end = stop;
    at = last;
  }
  return `${from > 0 ? "…" : ""}${(snippet + shown.slice(end)).replaceAll(/\s+/g, " ").trim()}${to < words.length ? "…" : ""}`;
}

/** Indices of all words that a part is made of, wherever it stands. */
function placesOf(words: readonly IndexedWord[], { keys, isQuoted }: TypedPart): number[] {
  return words.flatMap((_, at) => {
    const fits = keys.every((key, place) => {
      const own = words[at + place]?.key;
      return (
        own !== undefined &&
        (own === key || (!isQuoted && place === keys.length - 1 && own.startsWith(key)))
      );
    });
    return fits ? keys.map((_key, place) => at + place) : [];
  });
}

// Finds words that are spread over two neighboring segments, since a pause may separate them. The index only knows
// single segments: take those with the rarest word and read them with their neighbors.

import type { SearchHit } from "../../contract/studio.ts";
import type { Database } from "../../storage/database.ts";
import {
  hitEnd,
  hitStart,
  type IndexedWord,
  parseSearchTerms,
  type SearchTerm,
  splitIndexedWords,
} from "./indexed-text.ts";

/** Limits the time of a search that runs while the user types. */
const maxCandidates = 400;
const maxCountedHits = 2_000;
const snippetWords = 24;
const wordsBefore = 4;

type Segment = { id: number; startSec: number; text: string };

export type CrossSegmentSearch = { search(input: string): SearchHit[] };

export function createCrossSegmentSearch({ sqlite }: Database): CrossSegmentSearch {
  const countHits = sqlite.prepare(
    `SELECT count(*) AS n FROM (SELECT 1 FROM segment_words WHERE segment_words MATCH ? LIMIT ${maxCountedHits})`,
  );
  const selectCandidates = sqlite.prepare(`
    SELECT item_id AS itemId, items.title AS title, segments.id AS id, start_sec AS startSec, text
    FROM (SELECT rowid AS place FROM segment_words WHERE segment_words MATCH ? ORDER BY rowid DESC LIMIT ${maxCandidates}) AS found
    JOIN segments USING (place) JOIN items ON items.id = item_id WHERE deleted_at_ms IS NULL`);
  const selectPrevious = sqlite.prepare(
    "SELECT id, start_sec AS startSec, text FROM segments WHERE item_id = ? AND (start_sec, id) < (?, ?) ORDER BY start_sec DESC, id DESC LIMIT 1",
  );
  const selectNext = sqlite.prepare(
    "SELECT id, start_sec AS startSec, text FROM segments WHERE item_id = ? AND (start_sec, id) > (?, ?) ORDER BY start_sec, id LIMIT 1",
  );

  /** FTS5 query of the rarest word; undefined if one of the words does not occur at all. */
  function rarestWordQuery(terms: readonly SearchTerm[]): string | undefined {
    let minCount = Infinity;
    let query: string | undefined;
    for (const { keys, isQuoted } of terms) {
      for (const [at, key] of keys.entries()) {
        const isPrefix = !isQuoted && at === keys.length - 1;
        const wordQuery = [...new Set([key, key.replaceAll("ss", "ß")])]
          .map((spelling) => `"${spelling}"${isPrefix ? " *" : ""}`)
          .join(" OR ");
        const found = Number(countHits.get(wordQuery)?.["n"]);
        if (found === 0) return undefined;
        if (found < minCount) [minCount, query] = [found, wordQuery];
      }
    }
    return query;
  }

  return {
    search(input) {
      const terms = parseSearchTerms(input);
      if (terms.reduce((sum, { keys }) => sum + keys.length, 0) < 2) return [];
      const query = rarestWordQuery(terms);
      if (query === undefined) return [];
      const hits = new Map<string, SearchHit>();
      for (const row of selectCandidates.all(query)) {
        const { itemId, title, ...middle } = row as Segment & { itemId: string; title: string };
        const [previous, next] = [selectPrevious, selectNext].map(
          (neighbour) => neighbour.get(itemId, middle.startSec, middle.id) as Segment | undefined,
        );
        for (const [first, second] of [
          [previous, middle],
          [middle, next],
        ] as const) {
          const snippet = first && second && createSnippet(first.text, second.text, terms);
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

/**
 * Snippet with the matched words marked; undefined if not all words match, or if one of the segments contains them all.
 */
function createSnippet(
  first: string,
  second: string,
  terms: readonly SearchTerm[],
): string | undefined {
  const text = `${first.trim()} ${second.trim()}`;
  const words = splitIndexedWords(text);
  const found = terms.map((term) => matchIndices(words, term));
  if (found.some((indices) => indices.length === 0)) return undefined;
  if (
    [first, second].some((candidate) =>
      terms.every((term) => matchIndices(splitIndexedWords(candidate), term).length > 0),
    )
  )
    return undefined;
  const matchedIndices = new Set(found.flat());
  const from = Math.max(0, Math.min(...matchedIndices) - wordsBefore);
  const to = Math.min(words.length, from + snippetWords);
  const excerpt = text.slice(words[from]?.start ?? 0, words[to]?.start ?? text.length);
  const offset = words[from]?.start ?? 0;
  let snippet = "";
  let end = 0;
  for (let at = from; at < to; at += 1) {
    const word = words[at];
    if (word === undefined || !matchedIndices.has(at)) continue;
    // Consecutive matched words are marked as one hit.
    let last = at;
    while (last + 1 < to && matchedIndices.has(last + 1)) last += 1;
    const highlightEnd = (words[last]?.end ?? word.end) - offset;
    snippet += `${excerpt.slice(end, word.start - offset)}${hitStart}${excerpt.slice(word.start - offset, highlightEnd)}${hitEnd}`;
    end = highlightEnd;
    at = last;
  }
  return `${from > 0 ? "…" : ""}${(snippet + excerpt.slice(end)).replaceAll(/\s+/g, " ").trim()}${to < words.length ? "…" : ""}`;
}

/** Indices of all words that belong to a match of the term. */
function matchIndices(words: readonly IndexedWord[], { keys, isQuoted }: SearchTerm): number[] {
  return words.flatMap((_, at) => {
    const isMatch = keys.every((key, keyIndex) => {
      const candidate = words[at + keyIndex]?.key;
      return (
        candidate !== undefined &&
        (candidate === key ||
          (!isQuoted && keyIndex === keys.length - 1 && candidate.startsWith(key)))
      );
    });
    return isMatch ? keys.map((_key, keyIndex) => at + keyIndex) : [];
  });
}

// Full-text search over what was heard, over titles and over scripts. Which words a text has is indexed-text.ts's.

import type { SearchHit } from "../../contract/studio.ts";
import type { Database } from "../../storage/database.ts";
import { asQuery, hitEnd, hitStart, queryParts, shown } from "./indexed-text.ts";
import { createScriptIndex } from "./script-index.ts";
import { createSpanning } from "./spanning.ts";

export type Search = {
  /**
   * All words are wanted, each as the beginning of one; what stands in quotes as it is. Accents do not matter. What was
   * said may stand in two segments that follow each other.
   * @returns the hits of the best item first, each item's in time order: title, script, then segments
   */
  search(typed: string): SearchHit[];
};

/** Of the best ones; where there are more, so many of an item. */
const maxHits = 300;
const maxOfItem = 20;
/** To compare more than this takes longer than a person types: the newest of them stand for all. */
const maxCompared = 5_000;
const maxRead = 2_000;
const snippetWords = 24;

type HitRow = {
  itemId: string;
  title: string;
  segmentId: number | null;
  startSec: number;
  snippet: string;
  rank: number;
};

const snippetOf = (table: string, column: number): string =>
  `snippet(${table}, ${column}, '${hitStart}', '${hitEnd}', '…', ${snippetWords}) AS snippet`;

const hitsInTitles = `
  SELECT items.id AS itemId, items.title AS title, NULL AS segmentId, 0 AS startSec, ${snippetOf("item_words", 0)}, rank
  FROM item_words JOIN items ON items.place = item_words.rowid
  WHERE item_words MATCH ? AND deleted_at_ms IS NULL ORDER BY rank LIMIT ${maxRead}`;

const hitsInScripts = `
  SELECT item_id AS itemId, items.title AS title, NULL AS segmentId, 0 AS startSec, ${snippetOf("script_words", 0)}, rank
  FROM script_words JOIN script_parts ON script_parts.place = script_words.rowid JOIN items ON items.id = item_id
  WHERE script_words MATCH ? AND deleted_at_ms IS NULL ORDER BY rank LIMIT ${maxRead}`;

const hitsInSegments = (rank: string, order: string): string => `
  SELECT item_id AS itemId, items.title AS title, segments.id AS segmentId, start_sec AS startSec, ${snippetOf("segment_words", 0)}, ${rank} AS rank
  FROM segment_words JOIN segments ON segments.place = segment_words.rowid JOIN items ON items.id = item_id
  WHERE segment_words MATCH ? AND deleted_at_ms IS NULL ORDER BY ${order} LIMIT ${maxRead}`;

export function createSearch(database: Database): Search {
  const { sqlite } = database;
  const inTitles = sqlite.prepare(hitsInTitles);
  const inScripts = sqlite.prepare(hitsInScripts);
  const withWord = sqlite.prepare(
    "SELECT DISTINCT item_id AS itemId FROM script_words JOIN script_parts ON script_parts.place = script_words.rowid WHERE script_words MATCH ?",
  );
  const bestSegments = sqlite.prepare(hitsInSegments("rank", "rank"));
  const newestSegments = sqlite.prepare(hitsInSegments("0", "segment_words.rowid DESC"));
  const segmentCount = sqlite.prepare(
    `SELECT count(*) AS n FROM (SELECT 1 FROM segment_words WHERE segment_words MATCH ? LIMIT ${maxCompared + 1})`,
  );
  const updateScripts = createScriptIndex(database);
  const spanning = createSpanning(database);

  /** One hit a script. Where no part of it has all words, that is the first of them. */
  function scriptHits(parts: readonly string[]): HitRow[] {
    const hits = new Map<string, HitRow>();
    const add = (rows: readonly HitRow[]): void =>
      rows.forEach((row) => hits.has(row.itemId) || hits.set(row.itemId, row));
    add(inScripts.all(parts.join(" AND ")) as HitRow[]);
    const [first = "", ...others] = parts;
    if (others.length === 0) return [...hits.values()];
    const withOthers = others.map(
      (part) => new Set(withWord.all(part).map(({ itemId }) => String(itemId))),
    );
    if (withOthers.every((items) => items.size > 0))
      add(
        (inScripts.all(first) as HitRow[]).filter(({ itemId }) =>
          withOthers.every((items) => items.has(itemId)),
        ),
      );
    return [...hits.values()];
  }

  function segmentHits(query: string): unknown[] {
    const isFew = Number(segmentCount.get(query)?.["n"]) <= maxCompared;
    return (isFew ? bestSegments : newestSegments).all(query);
  }

  return {
    search(typed) {
      const query = asQuery(typed);
      if (query === undefined) return [];
      updateScripts();
      const found = [
        ...inTitles.all(`{title} : (${query})`).map((row) => ranked(row as HitRow, titleBonus)),
        ...scriptHits(queryParts(typed)).map((row) => ranked(row)),
        ...segmentHits(query).map((row) => ranked(row as HitRow)),
        // Less likely to be meant than what stands together.
        ...spanning.search(typed).map((hit) => ({ rank: 0, hit })),
      ];
      const byItem = Array.from(Map.groupBy(found, (one) => one.hit.itemId).values(), (hits) => ({
        hits,
        best: Math.min(...hits.map(({ rank }) => rank)),
      }));
      return byItem
        .sort((a, b) => a.best - b.best)
        .flatMap(({ hits }) =>
          (found.length > maxHits ? hits.slice(0, maxOfItem) : hits)
            .map((one) => one.hit)
            .sort((a, b) => placeInItem(a) - placeInItem(b)),
        )
        .slice(0, maxHits);
    },
  };
}

type RankedHit = { rank: number; hit: SearchHit };

/** SQLite's ranks are below zero: the less, the better. */
const ranked = ({ segmentId, snippet, rank, ...row }: HitRow, bonus = 0): RankedHit => ({
  rank: rank - bonus,
  hit: { ...row, ...(segmentId === null ? {} : { segmentId }), snippet: shown(snippet) },
});

/** What belongs to no moment comes first. */
const placeInItem = ({ segmentId, startSec }: SearchHit): number =>
  segmentId === undefined ? -1 : startSec;

/** A word in the title says more than any number of them in the text. */
const titleBonus = 1000;

// Full-text search over what was heard, over titles and over scripts. Which words a text has is indexed-text.ts's.

import type { SearchHit } from "../../contract/studio.ts";
import type { Database } from "../../storage/database.ts";
import { toFtsQuery, hitEnd, hitStart, toFtsTerms, toDisplayText } from "./indexed-text.ts";
import { createScriptIndex } from "./script-index.ts";
import { createCrossSegmentSearch } from "./cross-segment-search.ts";

export type Search = {
  /**
   * All words are wanted, each as the beginning of one; what stands in quotes as it is. Accents do not matter. What was
   * said may stand in two segments that follow each other.
   * @returns the hits of the best item first, each item's in time order: title, script, then segments
   */
  search(input: string): SearchHit[];
};

/** Of the best ones; where there are more, so many of an item. */
const maxHits = 300;
const maxPerItem = 20;
/** To compare more than this takes longer than a person types: the newest of them stand for all. */
const maxRanked = 5_000;
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

const snippetSql = (table: string, column: number): string =>
  `snippet(${table}, ${column}, '${hitStart}', '${hitEnd}', '…', ${snippetWords}) AS snippet`;

const titleHitsSql = `
  SELECT items.id AS itemId, items.title AS title, NULL AS segmentId, 0 AS startSec, ${snippetSql("item_words", 0)}, rank
  FROM item_words JOIN items ON items.place = item_words.rowid
  WHERE item_words MATCH ? AND deleted_at_ms IS NULL ORDER BY rank LIMIT ${maxRead}`;

const scriptHitsSql = `
  SELECT item_id AS itemId, items.title AS title, NULL AS segmentId, 0 AS startSec, ${snippetSql("script_words", 0)}, rank
  FROM script_words JOIN script_parts ON script_parts.place = script_words.rowid JOIN items ON items.id = item_id
  WHERE script_words MATCH ? AND deleted_at_ms IS NULL ORDER BY rank LIMIT ${maxRead}`;

const segmentHitsSql = (rank: string, order: string): string => `
  SELECT item_id AS itemId, items.title AS title, segments.id AS segmentId, start_sec AS startSec, ${snippetSql("segment_words", 0)}, ${rank} AS rank
  FROM segment_words JOIN segments ON segments.place = segment_words.rowid JOIN items ON items.id = item_id
  WHERE segment_words MATCH ? AND deleted_at_ms IS NULL ORDER BY ${order} LIMIT ${maxRead}`;

export function createSearch(database: Database): Search {
  const { sqlite } = database;
  const searchTitles = sqlite.prepare(titleHitsSql);
  const searchScripts = sqlite.prepare(scriptHitsSql);
  const selectItemsWithTerm = sqlite.prepare(
    "SELECT DISTINCT item_id AS itemId FROM script_words JOIN script_parts ON script_parts.place = script_words.rowid WHERE script_words MATCH ?",
  );
  const searchBestSegments = sqlite.prepare(segmentHitsSql("rank", "rank"));
  const searchNewestSegments = sqlite.prepare(segmentHitsSql("0", "segment_words.rowid DESC"));
  const countSegments = sqlite.prepare(
    `SELECT count(*) AS n FROM (SELECT 1 FROM segment_words WHERE segment_words MATCH ? LIMIT ${maxRanked + 1})`,
  );
  const indexChangedScripts = createScriptIndex(database);
  const crossSegmentSearch = createCrossSegmentSearch(database);

  /** One hit a script. Where no part of it has all words, that is the first of them. */
  function scriptHits(terms: readonly string[]): HitRow[] {
    const hits = new Map<string, HitRow>();
    const add = (rows: readonly HitRow[]): void =>
      rows.forEach((row) => hits.has(row.itemId) || hits.set(row.itemId, row));
    add(searchScripts.all(terms.join(" AND ")) as HitRow[]);
    const [first = "", ...otherTerms] = terms;
    if (otherTerms.length === 0) return [...hits.values()];
    const itemsByTerm = otherTerms.map(
      (part) => new Set(selectItemsWithTerm.all(part).map(({ itemId }) => String(itemId))),
    );
    if (itemsByTerm.every((items) => items.size > 0))
      add(
        (searchScripts.all(first) as HitRow[]).filter(({ itemId }) =>
          itemsByTerm.every((items) => items.has(itemId)),
        ),
      );
    return [...hits.values()];
  }

  function segmentHits(query: string): unknown[] {
    const isRankable = Number(countSegments.get(query)?.["n"]) <= maxRanked;
    return (isRankable ? searchBestSegments : searchNewestSegments).all(query);
  }

  return {
    search(input) {
      const query = toFtsQuery(input);
      if (query === undefined) return [];
      indexChangedScripts();
      const rankedHits = [
        ...searchTitles
          .all(`{title} : (${query})`)
          .map((row) => toRankedHit(row as HitRow, titleBonus)),
        ...scriptHits(toFtsTerms(input)).map((row) => toRankedHit(row)),
        ...segmentHits(query).map((row) => toRankedHit(row as HitRow)),
        // Less likely to be meant than what stands together.
        ...crossSegmentSearch.search(input).map((hit) => ({ rank: 0, hit })),
      ];
      const byItem = Array.from(
        Map.groupBy(rankedHits, (one) => one.hit.itemId).values(),
        (hits) => ({
          hits,
          best: Math.min(...hits.map(({ rank }) => rank)),
        }),
      );
      return byItem
        .sort((a, b) => a.best - b.best)
        .flatMap(({ hits }) =>
          (rankedHits.length > maxHits ? hits.slice(0, maxPerItem) : hits)
            .map((one) => one.hit)
            .sort((a, b) => positionInItem(a) - positionInItem(b)),
        )
        .slice(0, maxHits);
    },
  };
}

type RankedHit = { rank: number; hit: SearchHit };

/** SQLite's ranks are below zero: the less, the better. */
const toRankedHit = ({ segmentId, snippet, rank, ...row }: HitRow, bonus = 0): RankedHit => ({
  rank: rank - bonus,
  hit: { ...row, ...(segmentId === null ? {} : { segmentId }), snippet: toDisplayText(snippet) },
});

/** What belongs to no moment comes first. */
const positionInItem = ({ segmentId, startSec }: SearchHit): number =>
  segmentId === undefined ? -1 : startSec;

/** A word in the title says more than any number of them in the text. */
const titleBonus = 1000;

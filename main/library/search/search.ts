// Full-text search over transcripts, titles and scripts. See indexed-text.ts for how text is split into words.

import type { SearchHit } from "../../contract/library-item.ts";
import type { Database } from "../../storage/database.ts";
import { toFtsQuery, hitEnd, hitStart, toFtsTerms, toDisplayText } from "./indexed-text.ts";
import { createScriptIndex } from "./script-index.ts";

export type Search = {
  /**
   * All words are required, each as a prefix; quoted text must match exactly. Accents are ignored. The words of a
   * transcript must be in one segment.
   * @returns hits of the best item first; within an item title, script, then segments in time order
   */
  search(input: string): SearchHit[];
};

/** If there are more hits, each item is limited to `maxPerItem`. */
const maxHits = 300;
const maxPerItem = 20;
/** Ranking more hits would take longer than a user pauses while typing: then the newest hits are used unranked. */
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
  SELECT items.id AS itemId, items.title AS title, NULL AS segmentId, 0 AS startSec,
    ${snippetSql("item_words", 0)}, rank
  FROM item_words JOIN items ON items.place = item_words.rowid
  WHERE item_words MATCH ? AND deleted_at_ms IS NULL ORDER BY rank LIMIT ${maxRead}`;

const scriptHitsSql = `
  SELECT item_id AS itemId, items.title AS title, NULL AS segmentId, 0 AS startSec,
    ${snippetSql("script_words", 0)}, rank
  FROM script_words JOIN script_parts ON script_parts.place = script_words.rowid JOIN items ON items.id = item_id
  WHERE script_words MATCH ? AND deleted_at_ms IS NULL ORDER BY rank LIMIT ${maxRead}`;

const segmentHitsSql = (rank: string, order: string): string => `
  SELECT item_id AS itemId, items.title AS title, segments.id AS segmentId, start_sec AS startSec,
    ${snippetSql("segment_words", 0)}, ${rank} AS rank
  FROM segment_words JOIN segments ON segments.place = segment_words.rowid JOIN items ON items.id = item_id
  WHERE segment_words MATCH ? AND deleted_at_ms IS NULL ORDER BY ${order} LIMIT ${maxRead}`;

export function createSearch(database: Database): Search {
  const { sqlite } = database;
  const searchTitles = sqlite.prepare(titleHitsSql);
  const searchScripts = sqlite.prepare(scriptHitsSql);
  const selectItemsWithTerm = sqlite.prepare(
    `SELECT DISTINCT item_id AS itemId
     FROM script_words JOIN script_parts ON script_parts.place = script_words.rowid
     WHERE script_words MATCH ?`,
  );
  const searchBestSegments = sqlite.prepare(segmentHitsSql("rank", "rank"));
  const searchNewestSegments = sqlite.prepare(segmentHitsSql("0", "segment_words.rowid DESC"));
  const countSegments = sqlite.prepare(
    `SELECT count(*) AS n FROM (SELECT 1 FROM segment_words WHERE segment_words MATCH ? LIMIT ${maxRanked + 1})`,
  );
  const indexChangedScripts = createScriptIndex(database);

  /** At most one hit per script. If no part of a script contains all words, it is a part with the first word. */
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

/** FTS5 ranks are negative; lower is better. */
const toRankedHit = ({ segmentId, snippet, rank, ...row }: HitRow, bonus = 0): RankedHit => ({
  rank: rank - bonus,
  hit: { ...row, ...(segmentId === null ? {} : { segmentId }), snippet: toDisplayText(snippet) },
});

/** Hits without a time come first. */
const positionInItem = ({ segmentId, startSec }: SearchHit): number =>
  segmentId === undefined ? -1 : startSec;

/** A match in the title outranks all matches in the text. */
const titleBonus = 1000;

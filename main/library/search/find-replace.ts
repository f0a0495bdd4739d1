// Find and replace over the segments of many transcripts: with a preview, then all in one transaction.

import type { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import type { DocumentSegment } from "../../contract/transcript-document.ts";
import type { windowApi } from "../../contract/window-api.ts";
import type { Database } from "../../storage/database.ts";
import type { Documents } from "../documents.ts";
import { replaceTextRange } from "./replace-text-range.ts";
import { asSegment, type SegmentRow } from "../segment-row.ts";

type ReplaceRequest = z.output<typeof windowApi.replace.request>;
type ReplaceResult = z.output<typeof windowApi.replace.response>;

export type FindReplace = {
  /**
   * Finds the literal text in all transcripts that are not removed: newest item first, in time order. With `isPreview`
   * nothing is changed. A segment counts once, however many matches it has.
   * @throws AppError `invalid_value` if there are more matches than a user can review
   */
  replace(request: ReplaceRequest): ReplaceResult;
};

const maxMatches = 5_000;

export function createFindReplace({
  database,
  documents,
}: {
  database: Database;
  documents: Documents;
}): FindReplace {
  const { sqlite } = database;
  const selectCandidates = sqlite.prepare(`
    SELECT segments.place AS place, segments.text AS text
    FROM items JOIN segments ON item_id = items.id
    WHERE deleted_at_ms IS NULL AND segments.text LIKE :like ESCAPE '\\'
      AND (:itemIds IS NULL OR items.id IN (SELECT value FROM json_each(:itemIds)))
    ORDER BY created_at_ms DESC, items.place DESC, start_sec, segments.id`);
  const selectSegment = sqlite.prepare(`
    SELECT item_id AS itemId, items.title AS title, segments.id AS id, start_sec, end_sec, text, more
    FROM segments JOIN items ON items.id = item_id WHERE segments.place = ?`);

  function findMatches({ find: searchText, isCaseSensitive, itemIds }: ReplaceRequest): {
    pattern: RegExp;
    rowIds: number[];
  } {
    const pattern = new RegExp(
      searchText.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"),
      isCaseSensitive ? "g" : "gi",
    );
    const rowIds: number[] = [];
    for (const { place, text } of selectCandidates.iterate({
      like: toLikePattern(searchText),
      itemIds: itemIds === undefined ? null : JSON.stringify(itemIds),
    })) {
      if (String(text).search(pattern) >= 0) rowIds.push(Number(place));
      if (rowIds.length > maxMatches)
        throw new AppError("search.tooManyMatches", { max: maxMatches }, { param: "find" });
    }
    return { pattern, rowIds };
  }

  return {
    replace(request) {
      const { pattern, rowIds } = findMatches(request);
      const matched = rowIds.map((place) => {
        const { itemId, title, ...row } = selectSegment.get(place) as SegmentRow & {
          itemId: string;
          title: string;
        };
        const before = asSegment(row);
        return { itemId, title, before, after: replaceMatches(before, pattern, request.replaceBy) };
      });
      if (!request.isPreview) {
        const byItem = Map.groupBy(matched, ({ itemId }) => itemId);
        documents.applyAll(
          Array.from(byItem, ([itemId, matches]) => ({
            itemId,
            change: {
              revision: documents.readHeader(itemId).revision,
              put: matches.map(({ after }) => after),
              remove: [],
            },
          })),
        );
      }
      return {
        matches: matched.map(({ itemId, title, before, after }) => ({
          itemId,
          title,
          segmentId: before.id,
          before: before.text,
          after: after.text,
        })),
        isDone: !request.isPreview,
      };
    },
  };
}

/**
 * A pattern for SQLite's LIKE that matches a superset. LIKE ignores case for ASCII only, so every other letter becomes
 * a wildcard.
 */
function toLikePattern(searchText: string): string {
  const characters = Array.from(searchText, (character) =>
    character > "\x7f" ? "_" : character.replace(/[\\%_]/, "\\$&"),
  );
  return `%${characters.join("")}%`;
}

/** From last to first match, so that a replacement does not move the remaining ones. */
function replaceMatches(
  segment: DocumentSegment,
  pattern: RegExp,
  replaceBy: string,
): DocumentSegment {
  return Array.from(segment.text.matchAll(pattern)).reduceRight(
    (updated, { index, 0: matched }) =>
      replaceTextRange(updated, index, index + matched.length, replaceBy),
    segment,
  );
}

// Find and replace over the segments of many transcripts: shown first, then done in one go or not at all.

import type { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import type { DocumentSegment } from "../../contract/studio.ts";
import type { studioApi } from "../../contract/studio-api.ts";
import type { Database } from "../../storage/database.ts";
import type { Documents } from "../documents.ts";
import { reworded } from "./reworded.ts";
import { asSegment, type SegmentRow } from "../segment-row.ts";

type Asked = z.output<typeof studioApi.replace.request>;
type Found = z.output<typeof studioApi.replace.response>;

export type Replacing = {
  /**
   * Every place where the text stands, letter for letter, in transcripts that were not removed: newest item first, in
   * time order. With `isPreview` nothing is changed. A segment counts once, however often the text stands in it.
   * @throws AppError `invalid_value` where there are more than a person can look at
   */
  replace(asked: Asked): Found;
};

const maxMatches = 5_000;

export function createReplacing({
  database,
  documents,
}: {
  database: Database;
  documents: Documents;
}): Replacing {
  const { sqlite } = database;
  const texts = sqlite.prepare(`
    SELECT segments.place AS place, segments.text AS text
    FROM items JOIN segments ON item_id = items.id
    WHERE deleted_at_ms IS NULL AND segments.text LIKE :like ESCAPE '\\' AND (:itemIds IS NULL OR items.id IN (SELECT value FROM json_each(:itemIds)))
    ORDER BY created_at_ms DESC, items.place DESC, start_sec, segments.id`);
  const segmentAt = sqlite.prepare(`
    SELECT item_id AS itemId, items.title AS title, segments.id AS id, start_sec, end_sec, text, more
    FROM segments JOIN items ON items.id = item_id WHERE segments.place = ?`);

  function find({ find: wanted, isCaseSensitive, itemIds }: Asked): {
    pattern: RegExp;
    places: number[];
  } {
    const pattern = new RegExp(
      wanted.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"),
      isCaseSensitive ? "g" : "gi",
    );
    const places: number[] = [];
    for (const { place, text } of texts.iterate({
      like: likely(wanted),
      itemIds: itemIds === undefined ? null : JSON.stringify(itemIds),
    })) {
      if (String(text).search(pattern) >= 0) places.push(Number(place));
      if (places.length > maxMatches)
        throw new AppError(
          "invalid_value",
          `This stands in more than ${maxMatches} places. Look for a longer text, or in fewer items.`,
          { param: "find" },
        );
    }
    return { pattern, places };
  }

  return {
    replace(asked) {
      const { pattern, places } = find(asked);
      const found = places.map((place) => {
        const { itemId, title, ...row } = segmentAt.get(place) as SegmentRow & {
          itemId: string;
          title: string;
        };
        const before = asSegment(row);
        return { itemId, title, before, after: replaced(before, pattern, asked.replaceBy) };
      });
      if (!asked.isPreview) {
        const byItem = Map.groupBy(found, ({ itemId }) => itemId);
        documents.applyAll(
          Array.from(byItem, ([itemId, matches]) => ({
            itemId,
            change: {
              revision: documents.readHead(itemId).revision,
              put: matches.map(({ after }) => after),
              remove: [],
            },
          })),
        );
      }
      return {
        matches: found.map(({ itemId, title, before, after }) => ({
          itemId,
          title,
          segmentId: before.id,
          before: before.text,
          after: after.text,
        })),
        isDone: !asked.isPreview,
      };
    },
  };
}

/**
 * A pattern for SQLite's LIKE that misses nothing the text could be found in: it knows capitals of ASCII alone, so any
 * other letter may be any.
 */
const likely = (wanted: string): string =>
  `%${Array.from(wanted, (sign) => (sign > "\x7f" ? "_" : sign.replace(/[\\%_]/, "\\$&"))).join("")}%`;

/** From the last place to the first, so that a replacement does not move those that are still to come. */
function replaced(segment: DocumentSegment, pattern: RegExp, replaceBy: string): DocumentSegment {
  return Array.from(segment.text.matchAll(pattern)).reduceRight(
    (changed, { index, 0: found }) => reworded(changed, index, index + found.length, replaceBy),
    segment,
  );
}

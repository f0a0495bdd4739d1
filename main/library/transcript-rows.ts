// Rows of a transcript: one for the header and one per segment, so that an edit writes only what it changes. Words are
// indexed for search.ts at the same time.

import {
  type DocumentSegment,
  firstEditedSegmentId,
  type TranscriptDocument,
} from "../contract/transcript-document.ts";
import type { Database } from "../storage/database.ts";
import { toIndexedText } from "./search/indexed-text.ts";
import { asSegment, type SegmentRow } from "./segment-row.ts";

/** A segment as transcribed: it gets its id when it is saved. */
export type TranscribedSegment = Omit<DocumentSegment, "id">;
/** Fields of the whole transcript. */
export type DocumentHeader = Pick<
  TranscriptDocument,
  "durationSec" | "language" | "options" | "recognized" | "notes" | "failed"
>;
/** The end of the last segment in seconds, and the number of segments. */
export type DocumentExtent = { processedSec: number; segmentCount: number };

/** The caller runs writes in a transaction. */
export type TranscriptRows = {
  readHeader(itemId: string): (DocumentHeader & { revision: number }) | undefined;
  /** Also of a transcript whose header cannot be parsed. */
  readRevision(itemId: string): number | undefined;
  writeHeader(itemId: string, revision: number, header: DocumentHeader): void;
  setRevision(itemId: string, revision: number): void;
  /** In time order. */
  readSegments(itemId: string): DocumentSegment[];
  readExtent(itemId: string): DocumentExtent;
  writeSegment(itemId: string, segment: DocumentSegment): void;
  /** Ids continue after the last transcribed segment. */
  appendSegments(itemId: string, segments: readonly TranscribedSegment[]): DocumentSegment[];
  deleteSegment(itemId: string, segmentId: number): void;
  deleteSegments(itemId: string): void;
};

type HeaderRow = {
  revision: number;
  duration_sec: number;
  language: string;
  options: string;
  recognized: string;
  notes: string;
  failed: string;
};

export function createTranscriptRows({ sqlite }: Database): TranscriptRows {
  const selectHeader = sqlite.prepare(
    "SELECT revision, duration_sec, language, options, recognized, notes, failed FROM documents WHERE item_id = ?",
  );
  const selectRevision = sqlite.prepare("SELECT revision FROM documents WHERE item_id = ?");
  const upsertHeader = sqlite.prepare(
    `INSERT INTO documents (item_id, revision, duration_sec, language, options, recognized, notes, failed)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (item_id) DO UPDATE SET revision = excluded.revision,
       duration_sec = excluded.duration_sec, language = excluded.language,
       options = excluded.options, recognized = excluded.recognized, notes = excluded.notes,
       failed = excluded.failed`,
  );
  const selectSegments = sqlite.prepare(
    `SELECT id, start_sec, end_sec, text, more FROM segments WHERE item_id = ?
     ORDER BY start_sec, id`,
  );
  const selectExtent = sqlite.prepare(
    `SELECT coalesce(max(end_sec), 0) AS processedSec, count(*) AS segmentCount
     FROM segments WHERE item_id = ?`,
  );
  const selectLastTranscribedId = sqlite.prepare(
    "SELECT coalesce(max(id), -1) AS id FROM segments WHERE item_id = ? AND id < ?",
  );
  const upsertSegment = sqlite.prepare(
    `INSERT INTO segments (item_id, id, start_sec, end_sec, text, more) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (item_id, id) DO UPDATE SET start_sec = excluded.start_sec,
       end_sec = excluded.end_sec, text = excluded.text, more = excluded.more
     RETURNING place`,
  );
  const upsertWords = sqlite.prepare(
    "INSERT OR REPLACE INTO segment_words (rowid, text) VALUES (?, ?)",
  );
  const deleteOne = sqlite.prepare("DELETE FROM segments WHERE item_id = ? AND id = ?");
  const deleteAll = sqlite.prepare("DELETE FROM segments WHERE item_id = ?");
  const updateRevision = sqlite.prepare("UPDATE documents SET revision = ? WHERE item_id = ?");

  function writeSegment(
    itemId: string,
    { id, startSec, endSec, text, ...rest }: DocumentSegment,
  ): void {
    const row = upsertSegment.get(itemId, id, startSec, endSec, text, JSON.stringify(rest));
    upsertWords.run(Number(row?.["place"]), toIndexedText(text));
  }

  return {
    readRevision: (itemId) => selectRevision.get(itemId)?.["revision"] as number | undefined,
    readHeader(itemId) {
      const row = selectHeader.get(itemId) as HeaderRow | undefined;
      return (
        row && {
          revision: row.revision,
          durationSec: row.duration_sec,
          language: row.language,
          options: JSON.parse(row.options) as DocumentHeader["options"],
          ...(row.recognized === "{}"
            ? {}
            : { recognized: JSON.parse(row.recognized) as Record<string, number> }),
          ...(row.notes === "[]"
            ? {}
            : { notes: JSON.parse(row.notes) as NonNullable<DocumentHeader["notes"]> }),
          failed: JSON.parse(row.failed) as DocumentHeader["failed"],
        }
      );
    },
    writeHeader(
      itemId,
      revision,
      { durationSec, language, options, recognized = {}, notes = [], failed },
    ) {
      const texts = [options, recognized, notes, failed].map((value) => JSON.stringify(value));
      upsertHeader.run(itemId, revision, durationSec, language, ...texts);
    },
    setRevision: (itemId, revision) => void updateRevision.run(revision, itemId),
    readSegments: (itemId) => (selectSegments.all(itemId) as SegmentRow[]).map(asSegment),
    readExtent: (itemId) => selectExtent.get(itemId) as DocumentExtent,
    writeSegment,
    appendSegments(itemId, segments) {
      const lastId = Number(selectLastTranscribedId.get(itemId, firstEditedSegmentId)?.["id"]);
      return segments.map((transcribed, index) => {
        const segment = { ...transcribed, id: lastId + 1 + index };
        writeSegment(itemId, segment);
        return segment;
      });
    },
    deleteSegment: (itemId, segmentId) => void deleteOne.run(itemId, segmentId),
    deleteSegments: (itemId) => void deleteAll.run(itemId),
  };
}

// Transcripts: one row for the header and one per segment, so that an edit writes only what it changes. Words are
// indexed for search.ts in the same transaction.

import { AppError } from "../contract/errors.ts";
import {
  type DocumentChange,
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
  "durationSec" | "language" | "options" | "failed"
>;

export type Documents = {
  /** Creates a transcript or replaces the existing one. Durable (survives a power cut). */
  save(
    itemId: string,
    header: DocumentHeader,
    segments?: readonly TranscribedSegment[],
  ): TranscriptDocument;
  /** Changes the header without a new revision. @throws AppError `not_found` */
  setHeader(itemId: string, header: Partial<DocumentHeader>): void;
  has(itemId: string): boolean;
  /** Segments in time order. @throws AppError `not_found` if there is no transcript yet */
  read(itemId: string): TranscriptDocument;
  /** The header, the number of segments, and the end of the last one in seconds. @throws AppError `not_found` */
  readHeader(
    itemId: string,
  ): DocumentHeader & { revision: number; processedSec: number; segmentCount: number };
  /**
   * Appends transcribed segments. The revision stays the same, since existing segments do not change. Survives a crash,
   * but not a power cut. @returns the segments with their ids @throws AppError `not_found`
   */
  appendSegments(itemId: string, segments: readonly TranscribedSegment[]): DocumentSegment[];
  /**
   * Applies a user's edit; writes only the segments it contains. Durable (survives a power cut) when it returns.
   * @returns the new revision @throws AppError `conflict` if it is based on another revision, `not_found`
   */
  apply(itemId: string, change: DocumentChange): number;
  /** Edits several transcripts in one transaction. */
  applyAll(changes: readonly { itemId: string; change: DocumentChange }[]): number[];
};

export type DocumentsDeps = {
  /** Called after each edit. Appended segments are published by the caller instead. */
  onChange?: (itemId: string, revision: number) => void;
  now?: () => number;
};

type HeaderRow = {
  revision: number;
  duration_sec: number;
  language: string;
  options: string;
  failed: string;
};

export function createDocuments(
  database: Database,
  { onChange = () => {}, now = Date.now }: DocumentsDeps = {},
): Documents {
  const { sqlite } = database;
  const selectHeader = sqlite.prepare(
    "SELECT revision, duration_sec, language, options, failed FROM documents WHERE item_id = ?",
  );
  const upsertHeader = sqlite.prepare(
    `INSERT INTO documents (item_id, revision, duration_sec, language, options, failed) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (item_id) DO UPDATE SET revision = excluded.revision, duration_sec = excluded.duration_sec, language = excluded.language, options = excluded.options, failed = excluded.failed`,
  );
  const selectSegments = sqlite.prepare(
    "SELECT id, start_sec, end_sec, text, more FROM segments WHERE item_id = ? ORDER BY start_sec, id",
  );
  const selectExtent = sqlite.prepare(
    "SELECT coalesce(max(end_sec), 0) AS processedSec, count(*) AS segmentCount FROM segments WHERE item_id = ?",
  );
  const selectLastTranscribedId = sqlite.prepare(
    "SELECT coalesce(max(id), -1) AS id FROM segments WHERE item_id = ? AND id < ?",
  );
  const upsertSegment = sqlite.prepare(
    `INSERT INTO segments (item_id, id, start_sec, end_sec, text, more) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (item_id, id) DO UPDATE SET start_sec = excluded.start_sec, end_sec = excluded.end_sec, text = excluded.text, more = excluded.more
     RETURNING place`,
  );
  const upsertWords = sqlite.prepare(
    "INSERT OR REPLACE INTO segment_words (rowid, text) VALUES (?, ?)",
  );
  const deleteSegment = sqlite.prepare("DELETE FROM segments WHERE item_id = ? AND id = ?");
  const deleteSegments = sqlite.prepare("DELETE FROM segments WHERE item_id = ?");
  const updateRevision = sqlite.prepare("UPDATE documents SET revision = ? WHERE item_id = ?");
  const updateItemChangedAt = sqlite.prepare("UPDATE items SET changed_at_ms = ? WHERE id = ?");

  function header(itemId: string): DocumentHeader & { revision: number } {
    const row = selectHeader.get(itemId) as HeaderRow | undefined;
    if (row === undefined) throw new AppError("transcript.none", {}, { param: "id" });
    return {
      revision: row.revision,
      durationSec: row.duration_sec,
      language: row.language,
      options: JSON.parse(row.options) as DocumentHeader["options"],
      failed: JSON.parse(row.failed) as DocumentHeader["failed"],
    };
  }

  function writeHeader(
    itemId: string,
    revision: number,
    { durationSec, language, options, failed }: DocumentHeader,
  ): void {
    upsertHeader.run(
      itemId,
      revision,
      durationSec,
      language,
      JSON.stringify(options),
      JSON.stringify(failed),
    );
  }

  function writeSegment(
    itemId: string,
    { id, startSec, endSec, text, ...rest }: DocumentSegment,
  ): void {
    const row = upsertSegment.get(itemId, id, startSec, endSec, text, JSON.stringify(rest));
    upsertWords.run(Number(row?.["place"]), toIndexedText(text));
  }

  /** Ids continue after the last transcribed segment. */
  function append(itemId: string, segments: readonly TranscribedSegment[]): DocumentSegment[] {
    const first = Number(selectLastTranscribedId.get(itemId, firstEditedSegmentId)?.["id"]) + 1;
    return segments.map((transcribed, index) => {
      const segment = { ...transcribed, id: first + index };
      writeSegment(itemId, segment);
      return segment;
    });
  }

  function applyOne(itemId: string, { revision, put, remove }: DocumentChange): number {
    const current = header(itemId).revision;
    if (revision !== current) {
      throw new AppError("transcript.changedMeanwhile", {}, { param: "revision" });
    }
    for (const id of remove) deleteSegment.run(itemId, id);
    for (const segment of put) writeSegment(itemId, segment);
    updateRevision.run(current + 1, itemId);
    updateItemChangedAt.run(now(), itemId);
    return current + 1;
  }

  function read(itemId: string): TranscriptDocument {
    return {
      ...header(itemId),
      segments: (selectSegments.all(itemId) as SegmentRow[]).map(asSegment),
    };
  }

  function applyAll(changes: readonly { itemId: string; change: DocumentChange }[]): number[] {
    const revisions = database.change(() =>
      changes.map(({ itemId, change }) => applyOne(itemId, change)),
    );
    changes.forEach(({ itemId }, index) => onChange(itemId, revisions[index] as number));
    return revisions;
  }

  return {
    save(itemId, fields, segments = []) {
      database.change(() => {
        const existing = selectHeader.get(itemId) as HeaderRow | undefined;
        deleteSegments.run(itemId);
        writeHeader(itemId, (existing?.revision ?? 0) + 1, fields);
        append(itemId, segments);
      });
      return read(itemId);
    },
    setHeader(itemId, fields) {
      database.change(() => {
        const { revision, ...existing } = header(itemId);
        writeHeader(itemId, revision, { ...existing, ...fields });
      });
    },
    has: (itemId) => selectHeader.get(itemId) !== undefined,
    read,
    readHeader: (itemId) => ({
      ...header(itemId),
      ...(selectExtent.get(itemId) as { processedSec: number; segmentCount: number }),
    }),
    appendSegments(itemId, segments) {
      return database.write(() => {
        header(itemId);
        return append(itemId, segments);
      });
    },
    apply: (itemId, change) => applyAll([{ itemId, change }])[0] as number,
    applyAll,
  };
}

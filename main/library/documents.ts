// Transcripts: a row for what is true of the whole, a row each for their segments, so that an edit writes only what
// it changes. Their words are in the index of search.ts the moment they are saved.

import { AppError } from "../contract/errors.ts";
import {
  type DocumentChange,
  type DocumentSegment,
  firstEditedSegmentId,
  type TranscriptDocument,
} from "../contract/studio.ts";
import type { Database } from "../storage/database.ts";
import { indexed } from "./search/indexed-text.ts";
import { asSegment, type SegmentRow } from "./segment-row.ts";

/** As it was heard: its id is given when it is saved. */
export type HeardSegment = Omit<DocumentSegment, "id">;
/** What is true of the whole. */
export type DocumentHead = Pick<
  TranscriptDocument,
  "durationSec" | "language" | "options" | "failed"
>;

export type Documents = {
  /** Begins a transcript, or begins it anew: what it held is gone. Safe from a power cut. */
  save(itemId: string, head: DocumentHead, segments?: readonly HeardSegment[]): TranscriptDocument;
  /** Changes what is true of the whole; no new revision. @throws AppError `not_found` */
  setHead(itemId: string, head: Partial<DocumentHead>): void;
  has(itemId: string): boolean;
  /** In time order. @throws AppError `not_found` where there is none yet */
  read(itemId: string): TranscriptDocument;
  /** Without the segments, and up to which second there are some that were heard. @throws AppError `not_found` */
  readHead(
    itemId: string,
  ): DocumentHead & { revision: number; heardSec: number; segmentCount: number };
  /**
   * Adds segments that were just heard; no new revision, as nothing that an edit may name becomes different. Safe from
   * a crash, not from a power cut. @returns them with their ids @throws AppError `not_found`
   */
  appendSegments(itemId: string, segments: readonly HeardSegment[]): DocumentSegment[];
  /**
   * A person's edit: writes the segments it names and no other. Safe from a power cut when it returns.
   * @returns the new revision @throws AppError `conflict` where it was made on another one, `not_found`
   */
  apply(itemId: string, change: DocumentChange): number;
  /** Edits of several transcripts: all of them, or none. */
  applyAll(changes: readonly { itemId: string; change: DocumentChange }[]): number[];
};

export type DocumentsDeps = {
  /** Told of every edit. Segments that were appended are for those who appended them to tell. */
  onChange?: (itemId: string, revision: number) => void;
  now?: () => number;
};

type HeadRow = {
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
  const getHead = sqlite.prepare(
    "SELECT revision, duration_sec, language, options, failed FROM documents WHERE item_id = ?",
  );
  const putHead = sqlite.prepare(
    `INSERT INTO documents (item_id, revision, duration_sec, language, options, failed) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (item_id) DO UPDATE SET revision = excluded.revision, duration_sec = excluded.duration_sec, language = excluded.language, options = excluded.options, failed = excluded.failed`,
  );
  const getSegments = sqlite.prepare(
    "SELECT id, start_sec, end_sec, text, more FROM segments WHERE item_id = ? ORDER BY start_sec, id",
  );
  const getExtent = sqlite.prepare(
    "SELECT coalesce(max(end_sec), 0) AS heardSec, count(*) AS segmentCount FROM segments WHERE item_id = ?",
  );
  const lastHeardId = sqlite.prepare(
    "SELECT coalesce(max(id), -1) AS id FROM segments WHERE item_id = ? AND id < ?",
  );
  const putSegment = sqlite.prepare(
    `INSERT INTO segments (item_id, id, start_sec, end_sec, text, more) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (item_id, id) DO UPDATE SET start_sec = excluded.start_sec, end_sec = excluded.end_sec, text = excluded.text, more = excluded.more
     RETURNING place`,
  );
  const putWords = sqlite.prepare(
    "INSERT OR REPLACE INTO segment_words (rowid, text) VALUES (?, ?)",
  );
  const dropSegment = sqlite.prepare("DELETE FROM segments WHERE item_id = ? AND id = ?");
  const dropSegments = sqlite.prepare("DELETE FROM segments WHERE item_id = ?");
  const setRevision = sqlite.prepare("UPDATE documents SET revision = ? WHERE item_id = ?");
  const touchItem = sqlite.prepare("UPDATE items SET changed_at_ms = ? WHERE id = ?");

  function head(itemId: string): DocumentHead & { revision: number } {
    const row = getHead.get(itemId) as HeadRow | undefined;
    if (row === undefined)
      throw new AppError("not_found", "There is no transcript of this yet.", { param: "id" });
    return {
      revision: row.revision,
      durationSec: row.duration_sec,
      language: row.language,
      options: JSON.parse(row.options) as DocumentHead["options"],
      failed: JSON.parse(row.failed) as DocumentHead["failed"],
    };
  }

  function writeHead(
    itemId: string,
    revision: number,
    { durationSec, language, options, failed }: DocumentHead,
  ): void {
    putHead.run(
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
    { id, startSec, endSec, text, ...more }: DocumentSegment,
  ): void {
    const row = putSegment.get(itemId, id, startSec, endSec, text, JSON.stringify(more));
    putWords.run(Number(row?.["place"]), indexed(text));
  }

  /** Ids go on after the last one that was heard. */
  function append(itemId: string, segments: readonly HeardSegment[]): DocumentSegment[] {
    const first = Number(lastHeardId.get(itemId, firstEditedSegmentId)?.["id"]) + 1;
    return segments.map((heard, at) => {
      const segment = { ...heard, id: first + at };
      writeSegment(itemId, segment);
      return segment;
    });
  }

  function applyOne(itemId: string, { revision, put, remove }: DocumentChange): number {
    const current = head(itemId).revision;
    if (revision !== current) {
      throw new AppError(
        "conflict",
        "The transcript was changed elsewhere meanwhile. Load it again, then make the change once more.",
        { param: "revision" },
      );
    }
    for (const id of remove) dropSegment.run(itemId, id);
    for (const segment of put) writeSegment(itemId, segment);
    setRevision.run(current + 1, itemId);
    touchItem.run(now(), itemId);
    return current + 1;
  }

  function read(itemId: string): TranscriptDocument {
    return { ...head(itemId), segments: (getSegments.all(itemId) as SegmentRow[]).map(asSegment) };
  }

  function applyAll(changes: readonly { itemId: string; change: DocumentChange }[]): number[] {
    const revisions = database.change(() =>
      changes.map(({ itemId, change }) => applyOne(itemId, change)),
    );
    changes.forEach(({ itemId }, at) => onChange(itemId, revisions[at] as number));
    return revisions;
  }

  return {
    save(itemId, fields, segments = []) {
      database.change(() => {
        const before = getHead.get(itemId) as HeadRow | undefined;
        dropSegments.run(itemId);
        writeHead(itemId, (before?.revision ?? 0) + 1, fields);
        append(itemId, segments);
      });
      return read(itemId);
    },
    setHead(itemId, fields) {
      database.change(() => {
        const { revision, ...before } = head(itemId);
        writeHead(itemId, revision, { ...before, ...fields });
      });
    },
    has: (itemId) => getHead.get(itemId) !== undefined,
    read,
    readHead: (itemId) => ({
      ...head(itemId),
      ...(getExtent.get(itemId) as { heardSec: number; segmentCount: number }),
    }),
    appendSegments(itemId, segments) {
      return database.write(() => {
        head(itemId);
        return append(itemId, segments);
      });
    },
    apply: (itemId, change) => applyAll([{ itemId, change }])[0] as number,
    applyAll,
  };
}

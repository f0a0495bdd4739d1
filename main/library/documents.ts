// Transcripts: created, extended while audio is transcribed, and edited. Each edit is based on a revision.

import { AppError } from "../contract/errors.ts";
import {
  type DocumentChange,
  type DocumentSegment,
  maxTranscriptNotes,
  type NotesChange,
  type TranscriptDocument,
  type TranscriptNote,
} from "../contract/transcript-document.ts";
import type { Database } from "../storage/database.ts";
import {
  createTranscriptRows,
  type DocumentExtent,
  type DocumentHeader,
  type TranscribedSegment,
} from "./transcript-rows.ts";

export type Documents = {
  /** Creates a transcript or replaces the existing one. Durable (survives a power cut). */
  save(
    itemId: string,
    header: DocumentHeader,
    segments?: readonly TranscribedSegment[],
  ): TranscriptDocument;
  /** Changes the header without a new revision. @throws AppError `not_found` */
  setHeader(itemId: string, header: Partial<DocumentHeader>): void;
  /** Also without a new revision. @returns all notes in time order @throws AppError `not_found` */
  changeNotes(itemId: string, change: NotesChange): TranscriptNote[];
  has(itemId: string): boolean;
  /** Segments in time order. @throws AppError `not_found` if there is no transcript yet */
  read(itemId: string): TranscriptDocument;
  /** The header, the number of segments, and the end of the last one in seconds. @throws AppError `not_found` */
  readHeader(itemId: string): DocumentHeader & DocumentExtent & { revision: number };
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

export function createDocuments(
  database: Database,
  { onChange = () => {}, now = Date.now }: DocumentsDeps = {},
): Documents {
  const rows = createTranscriptRows(database);
  const updateItemChangedAt = database.sqlite.prepare(
    "UPDATE items SET changed_at_ms = ? WHERE id = ?",
  );

  function readHeader(itemId: string): DocumentHeader & { revision: number } {
    const header = rows.readHeader(itemId);
    if (header === undefined) throw new AppError("transcript.none", {}, { param: "id" });
    return header;
  }

  const read = (itemId: string): TranscriptDocument => ({
    ...readHeader(itemId),
    segments: rows.readSegments(itemId),
  });

  function setHeader(itemId: string, fields: Partial<DocumentHeader>): void {
    const { revision, ...existing } = readHeader(itemId);
    rows.writeHeader(itemId, revision, { ...existing, ...fields });
  }

  function applyOne(itemId: string, { revision, put, remove }: DocumentChange): number {
    const current = readHeader(itemId).revision;
    if (revision !== current) {
      throw new AppError("transcript.changedMeanwhile", {}, { param: "revision" });
    }
    for (const id of remove) rows.deleteSegment(itemId, id);
    for (const segment of put) rows.writeSegment(itemId, segment);
    rows.setRevision(itemId, current + 1);
    updateItemChangedAt.run(now(), itemId);
    return current + 1;
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
        const revision = rows.readRevision(itemId) ?? 0;
        rows.deleteSegments(itemId);
        rows.writeHeader(itemId, revision + 1, fields);
        rows.appendSegments(itemId, segments);
      });
      return read(itemId);
    },
    setHeader(itemId, fields) {
      database.change(() => setHeader(itemId, fields));
    },
    changeNotes: (itemId, { put, remove }) =>
      database.change(() => {
        const replaced = new Set([...put.map(({ id }) => id), ...remove]);
        const { notes: before = [] } = readHeader(itemId);
        const notes = [...before.filter(({ id }) => !replaced.has(id)), ...put]
          .toSorted((a, b) => a.atSec - b.atSec)
          .slice(0, maxTranscriptNotes);
        setHeader(itemId, { notes });
        return notes;
      }),
    has: (itemId) => rows.readRevision(itemId) !== undefined,
    read,
    readHeader: (itemId) => ({ ...readHeader(itemId), ...rows.readExtent(itemId) }),
    appendSegments(itemId, segments) {
      return database.write(() => {
        readHeader(itemId);
        return rows.appendSegments(itemId, segments);
      });
    },
    apply: (itemId, change) => applyAll([{ itemId, change }])[0] as number,
    applyAll,
  };
}

// An item with all its data, as stored in archives and salvaged from a damaged library.

import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { item } from "../../contract/library-item.ts";
import { maxScriptCharacters, narrateOptions, take } from "../../contract/narration.ts";
import { transcriptDocument } from "../../contract/transcript-document.ts";
import { toIndexedText } from "../search/indexed-text.ts";
import { asItem, type ItemRow, itemColumns, itemValues } from "../item-row.ts";
import { asSegment, type SegmentRow } from "../segment-row.ts";

export const completeNarration = z.object({
  revision: z.int(),
  script: z.string().max(maxScriptCharacters),
  options: narrateOptions,
  takes: z.array(take.extend({ sentenceId: z.string(), content: z.string() })),
  sentences: z.array(
    z.object({
      id: z.string(),
      chosenTake: z.string().optional(),
      missed: z.array(z.string()).optional(),
    }),
  ),
});
export const completeItem = z.object({
  item,
  deletedAtMs: z.number().optional(),
  document: transcriptDocument.optional(),
  narration: completeNarration.optional(),
});
export type CompleteItem = z.infer<typeof completeItem>;
type CompleteTake = z.infer<typeof completeNarration>["takes"][number];

type DocumentRow = {
  revision: number;
  durationSec: number;
  language: string;
  options: string;
  recognized?: string;
  notes?: string;
  failed: string;
};

/** Also returns removed items that are not yet purged. @returns undefined if the item does not exist */
export function readCompleteItem(sqlite: DatabaseSync, id: string): CompleteItem | undefined {
  const row = sqlite.prepare("SELECT * FROM items WHERE id = ?").get(id) as
    | (ItemRow & { deleted_at_ms: number | null })
    | undefined;
  if (row === undefined) return undefined;
  const document = readDocument(sqlite, id);
  const narration = readNarration(sqlite, id);
  return {
    item: asItem(row),
    ...(row.deleted_at_ms === null ? {} : { deletedAtMs: row.deleted_at_ms }),
    ...(document === undefined ? {} : { document }),
    ...(narration === undefined ? {} : { narration }),
  };
}

function readDocument(sqlite: DatabaseSync, id: string): CompleteItem["document"] {
  const header = sqlite
    // All columns: a damaged library of an older version lacks some.
    .prepare("SELECT *, duration_sec AS durationSec FROM documents WHERE item_id = ?")
    .get(id) as DocumentRow | undefined;
  if (header === undefined) return undefined;
  const segments = sqlite
    .prepare(
      "SELECT id, start_sec, end_sec, text, more FROM segments WHERE item_id = ? ORDER BY start_sec, id",
    )
    .all(id) as SegmentRow[];
  const { revision, durationSec, language, options, recognized, notes, failed } = header;
  return {
    revision,
    durationSec,
    language,
    ...(recognized === undefined || recognized === "{}"
      ? {}
      : { recognized: JSON.parse(recognized) as never }),
    ...(notes === undefined || notes === "[]" ? {} : { notes: JSON.parse(notes) as never }),
    options: JSON.parse(options) as never,
    failed: JSON.parse(failed) as never,
    segments: segments.map(asSegment),
  };
}

export function readNarration(sqlite: DatabaseSync, id: string): CompleteItem["narration"] {
  const header = sqlite
    .prepare("SELECT revision, script, options FROM narrations WHERE item_id = ?")
    .get(id) as { revision: number; script: string; options: string } | undefined;
  if (header === undefined) return undefined;
  const takes = sqlite
    // All columns: a damaged library of an older version lacks some.
    .prepare("SELECT * FROM takes WHERE item_id = ? ORDER BY made_at_ms, rowid")
    .all(id)
    .map(asTake);
  const notes = sqlite
    .prepare("SELECT id, chosen_take, missed FROM sentences WHERE item_id = ?")
    .all(id) as { id: string; chosen_take: string | null; missed: string | null }[];
  const sentences = notes.map(({ id: sentenceId, chosen_take, missed }) => ({
    id: sentenceId,
    ...(chosen_take === null ? {} : { chosenTake: chosen_take }),
    ...(missed === null ? {} : { missed: JSON.parse(missed) as string[] }),
  }));
  return {
    revision: header.revision,
    script: header.script,
    options: JSON.parse(header.options) as z.infer<typeof narrateOptions>,
    takes,
    sentences,
  };
}

function asTake(row: Record<string, unknown>): CompleteTake {
  const { id, sentence_id, content, duration_sec, made_at_ms, model, channel, spoken_by } = row;
  return {
    id,
    sentenceId: sentence_id,
    content,
    durationSec: duration_sec,
    madeAtMs: made_at_ms,
    model,
    channel,
    ...(spoken_by == null ? {} : { spokenBy: spoken_by }),
  } as CompleteTake;
}

/** Call within a transaction. Replaces an item with the same id. Skips takes whose id is used by another item. */
export function writeCompleteItem(
  sqlite: DatabaseSync,
  { item: fields, deletedAtMs, document, narration }: CompleteItem,
): void {
  const { id } = fields;
  sqlite.prepare("DELETE FROM items WHERE id = ?").run(id);
  const columns = [...itemColumns, "deleted_at_ms"];
  const parameters = columns.map((name) => `:${name}`);
  const row = sqlite
    .prepare(
      `INSERT INTO items (${columns.join(", ")}) VALUES (${parameters.join(", ")}) RETURNING place`,
    )
    .get({ ...itemValues(fields), deleted_at_ms: deletedAtMs ?? null });
  sqlite
    .prepare("INSERT INTO item_words (rowid, title, script) VALUES (?, ?, '')")
    .run(Number(row?.["place"]), toIndexedText(fields.title));
  if (document !== undefined) writeDocument(sqlite, id, document);
  if (narration !== undefined) writeNarration(sqlite, id, narration);
}

function writeDocument(
  sqlite: DatabaseSync,
  itemId: string,
  {
    revision,
    durationSec,
    language,
    options,
    recognized = {},
    notes = [],
    failed,
    segments,
  }: NonNullable<CompleteItem["document"]>,
): void {
  sqlite
    .prepare(
      `INSERT INTO documents
         (item_id, revision, duration_sec, language, options, recognized, notes, failed)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      itemId,
      revision,
      durationSec,
      language,
      ...[options, recognized, notes, failed].map((value) => JSON.stringify(value)),
    );
  const insert = sqlite.prepare(
    "INSERT INTO segments (item_id, id, start_sec, end_sec, text, more) VALUES (?, ?, ?, ?, ?, ?) RETURNING place",
  );
  const insertWords = sqlite.prepare(
    "INSERT OR REPLACE INTO segment_words (rowid, text) VALUES (?, ?)",
  );
  for (const { id, startSec, endSec, text, ...more } of segments) {
    const row = insert.get(itemId, id, startSec, endSec, text, JSON.stringify(more));
    insertWords.run(Number(row?.["place"]), toIndexedText(text));
  }
}

function writeNarration(
  sqlite: DatabaseSync,
  itemId: string,
  { revision, script, options, takes, sentences }: NonNullable<CompleteItem["narration"]>,
): void {
  sqlite
    .prepare("INSERT INTO narrations (item_id, revision, script, options) VALUES (?, ?, ?, ?)")
    .run(itemId, revision, script, JSON.stringify(options));
  const insertTake = sqlite.prepare(
    `INSERT OR IGNORE INTO takes
       (id, item_id, content, sentence_id, duration_sec, made_at_ms, model, channel, spoken_by)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const { id, content, sentenceId, ...more } of takes) {
    const { durationSec, madeAtMs, model, channel, spokenBy = null } = more;
    const about = [durationSec, madeAtMs, model, channel, spokenBy];
    insertTake.run(id, itemId, content, sentenceId, ...about);
  }
  const insertNote = sqlite.prepare(
    "INSERT OR REPLACE INTO sentences (item_id, id, chosen_take, missed) VALUES (?, ?, ?, ?)",
  );
  for (const { id, chosenTake, missed } of sentences)
    insertNote.run(
      itemId,
      id,
      chosenTake ?? null,
      missed === undefined ? null : JSON.stringify(missed),
    );
}

// Stores narrations: script, options and takes; sentence-notes.ts has what is known per sentence. jobs/narration splits
// the script into sentences and generates the audio.

import { AppError } from "../contract/errors.ts";
import type { NarrateOptions, Narration, Take } from "../contract/narration.ts";
import type { Database } from "../storage/database.ts";
import { createSentenceNotes, type SentenceNotes } from "./sentence-notes.ts";

export type StoredNarration = Pick<Narration, "revision" | "script" | "options">;
/** `content`: hash of text and voice, equal for equal sentences of any narration. */
export type StoredTake = Take & { itemId: string; sentenceId: string; content: string };

export type Narrations = SentenceNotes & {
  create(itemId: string, fields: { script: string; options: NarrateOptions }): StoredNarration;
  has(itemId: string): boolean;
  /** @throws AppError `not_found` */
  read(itemId: string): StoredNarration;
  /** Reads the revision without loading the script. @throws as `read` */
  revision(itemId: string): number;
  /**
   * Durable (survives a power cut) when it returns. @returns the new revision @throws AppError `conflict`, `not_found`
   */
  change(itemId: string, fields: StoredNarration): number;
  /** Call it after the audio file was written. Survives a crash. */
  addTake(take: StoredTake): void;
  /** Oldest first. */
  takes(itemId: string): StoredTake[];
  /** The newest take with this content, of any item that is not removed. */
  findTake(content: string): StoredTake | undefined;
};

const takeColumns = `takes.id, takes.item_id AS itemId, content, sentence_id AS sentenceId,
  takes.duration_sec AS durationSec, made_at_ms AS madeAtMs, model, channel, spoken_by AS spokenBy`;

export function createNarrations(
  database: Database,
  { now = Date.now }: { now?: () => number } = {},
): Narrations {
  const { sqlite } = database;
  const selectNarration = sqlite.prepare(
    "SELECT revision, script, options FROM narrations WHERE item_id = ?",
  );
  const selectRevision = sqlite.prepare("SELECT revision FROM narrations WHERE item_id = ?");
  const insertNarration = sqlite.prepare(
    "INSERT INTO narrations (item_id, revision, script, options) VALUES (?, 1, ?, ?)",
  );
  const updateNarration = sqlite.prepare(
    "UPDATE narrations SET revision = revision + 1, script = ?, options = ? WHERE item_id = ?",
  );
  const updateItemChangedAt = sqlite.prepare("UPDATE items SET changed_at_ms = ? WHERE id = ?");
  const insertTake = sqlite.prepare(
    `INSERT INTO takes (id, item_id, content, sentence_id, duration_sec, made_at_ms, model, channel, spoken_by)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const selectTakes = sqlite.prepare(
    `SELECT ${takeColumns} FROM takes WHERE item_id = ? ORDER BY made_at_ms, rowid`,
  );
  const selectNewestTake = sqlite.prepare(
    `SELECT ${takeColumns} FROM takes JOIN items ON items.id = item_id
     WHERE content = ? AND deleted_at_ms IS NULL
     ORDER BY made_at_ms DESC, takes.rowid DESC LIMIT 1`,
  );
  function read(itemId: string): StoredNarration {
    const row = selectNarration.get(itemId) as
      | { revision: number; script: string; options: string }
      | undefined;
    if (row === undefined) throw narrationNotFoundError();
    return { ...row, options: JSON.parse(row.options) as NarrateOptions };
  }

  function readRevision(itemId: string): number {
    const row = selectRevision.get(itemId);
    if (row === undefined) throw narrationNotFoundError();
    return Number(row["revision"]);
  }

  return {
    create(itemId, { script, options }) {
      database.change(() => insertNarration.run(itemId, script, JSON.stringify(options)));
      return read(itemId);
    },
    has: (itemId) => selectRevision.get(itemId) !== undefined,
    read,
    revision: readRevision,
    change(itemId, { revision, script, options }) {
      return database.change(() => {
        if (readRevision(itemId) !== revision) {
          throw new AppError("narration.changedMeanwhile", {}, { param: "revision" });
        }
        updateNarration.run(script, JSON.stringify(options), itemId);
        updateItemChangedAt.run(now(), itemId);
        return revision + 1;
      });
    },
    addTake({ id, itemId, content, sentenceId, ...take }) {
      const { durationSec, madeAtMs, model, channel, spokenBy = null } = take;
      const about = [durationSec, madeAtMs, model, channel, spokenBy];
      database.write(() => insertTake.run(id, itemId, content, sentenceId, ...about));
    },
    takes: (itemId) => selectTakes.all(itemId).map(asTake),
    findTake(content) {
      const row = selectNewestTake.get(content);
      return row && asTake(row);
    },
    ...createSentenceNotes(database),
  };
}

function asTake({ spokenBy, ...row }: Record<string, unknown>): StoredTake {
  return { ...row, ...(spokenBy === null ? {} : { spokenBy }) } as StoredTake;
}

const narrationNotFoundError = (): AppError => new AppError("narration.none", {}, { param: "id" });

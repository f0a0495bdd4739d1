// What is still to be done for narrations, a row a sentence, so that it goes on after a restart. Doing it is
// the studio's.

import type { Database } from "../storage/database.ts";

/** Made where it is not; made once more; heard and compared. */
export type SentenceTask = "make" | "take" | "check";

export type NarrationWork = {
  /** A sentence has one task: a later one takes the place of an earlier one. Safe from a power cut. */
  add(itemId: string, task: SentenceTask, sentenceIds: readonly string[]): void;
  /** Is there any? */
  has(itemId: string): boolean;
  /** By sentence id, a few a step: what is added or done meanwhile may be in it or not. */
  loadPending(itemId: string): Generator<undefined, Map<string, SentenceTask>>;
  complete(itemId: string, sentenceId: string): void;
  drop(itemId: string): void;
  /** Those with work left. */
  itemIds(): string[];
};

/** A millisecond. */
const readBatchSize = 500;

export function createNarrationWork(database: Database): NarrationWork {
  const { sqlite } = database;
  const upsert = sqlite.prepare(
    "INSERT OR REPLACE INTO narration_work (item_id, sentence_id, task) VALUES (?, ?, ?)",
  );
  const selectAny = sqlite.prepare("SELECT 1 FROM narration_work WHERE item_id = ? LIMIT 1");
  const selectNext = sqlite.prepare(
    `SELECT sentence_id, task FROM narration_work WHERE item_id = ? AND sentence_id > ? ORDER BY sentence_id LIMIT ${readBatchSize}`,
  );
  const deleteOne = sqlite.prepare(
    "DELETE FROM narration_work WHERE item_id = ? AND sentence_id = ?",
  );
  const deleteAll = sqlite.prepare("DELETE FROM narration_work WHERE item_id = ?");
  const selectItemIds = sqlite.prepare(
    "SELECT DISTINCT item_id FROM narration_work JOIN items ON items.id = item_id WHERE deleted_at_ms IS NULL",
  );
  return {
    add: (itemId, task, sentenceIds) =>
      database.change(() =>
        sentenceIds.forEach((sentenceId) => upsert.run(itemId, sentenceId, task)),
      ),
    has: (itemId) => selectAny.get(itemId) !== undefined,
    *loadPending(itemId) {
      const tasks = new Map<string, SentenceTask>();
      for (let lastId = ""; ; yield) {
        const rows = selectNext.all(itemId, lastId) as {
          sentence_id: string;
          task: SentenceTask;
        }[];
        for (const { sentence_id, task } of rows) tasks.set(sentence_id, task);
        if (rows.length < readBatchSize) return tasks;
        lastId = rows.at(-1)?.sentence_id ?? "";
      }
    },
    complete: (itemId, sentenceId) => void database.write(() => deleteOne.run(itemId, sentenceId)),
    drop: (itemId) => void database.change(() => deleteAll.run(itemId)),
    itemIds: () => selectItemIds.all().map((row) => String(row["item_id"])),
  };
}

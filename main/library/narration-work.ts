// Pending tasks of narrations, one row per sentence, so that work resumes after a restart. jobs/narration runs them.

import type { Database } from "../storage/database.ts";

/** `generate`: if missing. `take`: generate another take. `check`: transcribe and compare. */
export type SentenceTask = "generate" | "take" | "check";

export type NarrationWork = {
  /** A sentence has one task: a new one replaces it. Durable (survives a power cut). */
  add(itemId: string, task: SentenceTask, sentenceIds: readonly string[]): void;
  /** True if the item has pending tasks. */
  has(itemId: string): boolean;
  /** By sentence id, yielding after each batch. Tasks added or completed meanwhile may or may not be included. */
  loadPending(itemId: string): Generator<undefined, Map<string, SentenceTask>>;
  complete(itemId: string, sentenceId: string): void;
  drop(itemId: string): void;
  /** Ids of items with pending tasks. */
  itemIds(): string[];
};

/** As earlier versions stored them. */
const storedTasks = { generate: "make", take: "take", check: "check" } as const;
type StoredTask = (typeof storedTasks)[SentenceTask];
const toTask = (stored: StoredTask): SentenceTask => (stored === "make" ? "generate" : stored);

/** Takes about a millisecond to read. */
const readBatchSize = 500;

export function createNarrationWork(database: Database): NarrationWork {
  const { sqlite } = database;
  const upsert = sqlite.prepare(
    "INSERT OR REPLACE INTO narration_work (item_id, sentence_id, task) VALUES (?, ?, ?)",
  );
  const selectAny = sqlite.prepare("SELECT 1 FROM narration_work WHERE item_id = ? LIMIT 1");
  const selectNext = sqlite.prepare(
    `SELECT sentence_id, task FROM narration_work WHERE item_id = ? AND sentence_id > ?
     ORDER BY sentence_id LIMIT ${readBatchSize}`,
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
        sentenceIds.forEach((sentenceId) => upsert.run(itemId, sentenceId, storedTasks[task])),
      ),
    has: (itemId) => selectAny.get(itemId) !== undefined,
    *loadPending(itemId) {
      const tasks = new Map<string, SentenceTask>();
      for (let lastId = ""; ; yield) {
        const rows = selectNext.all(itemId, lastId) as {
          sentence_id: string;
          task: StoredTask;
        }[];
        for (const { sentence_id, task } of rows) tasks.set(sentence_id, toTask(task));
        if (rows.length < readBatchSize) return tasks;
        lastId = rows.at(-1)?.sentence_id ?? "";
      }
    },
    complete: (itemId, sentenceId) => void database.write(() => deleteOne.run(itemId, sentenceId)),
    drop: (itemId) => void database.change(() => deleteAll.run(itemId)),
    itemIds: () => selectItemIds.all().map((row) => String(row["item_id"])),
  };
}

// What is still to be done for narrations, a row a sentence, so that it goes on after a restart. Doing it is
// the studio's.

import type { Database } from './database.ts';

/** Made where it is not; made once more; heard and compared. */
export type SentenceTask = 'make' | 'take' | 'check';

export type NarrationWork = {
  /** A sentence has one task: a later one takes the place of an earlier one. Safe from a power cut. */
  add(itemId: string, task: SentenceTask, sentenceIds: readonly string[]): void;
  /** By sentence id. */
  open(itemId: string): Map<string, SentenceTask>;
  done(itemId: string, sentenceId: string): void;
  drop(itemId: string): void;
  /** Those with work left. */
  items(): string[];
};

export function createNarrationWork(database: Database): NarrationWork {
  const { sqlite } = database;
  const put = sqlite.prepare('INSERT OR REPLACE INTO narration_work (item_id, sentence_id, task) VALUES (?, ?, ?)');
  const get = sqlite.prepare('SELECT sentence_id, task FROM narration_work WHERE item_id = ?');
  const end = sqlite.prepare('DELETE FROM narration_work WHERE item_id = ? AND sentence_id = ?');
  const endAll = sqlite.prepare('DELETE FROM narration_work WHERE item_id = ?');
  const withWork = sqlite.prepare('SELECT DISTINCT item_id FROM narration_work JOIN items ON items.id = item_id WHERE deleted_at_ms IS NULL');
  return {
    add: (itemId, task, sentenceIds) => database.change(() => sentenceIds.forEach((sentenceId) => put.run(itemId, sentenceId, task))),
    open: (itemId) => new Map(get.all(itemId).map((row) => [String(row['sentence_id']), row['task'] as SentenceTask])),
    done: (itemId, sentenceId) => void database.write(() => end.run(itemId, sentenceId)),
    drop: (itemId) => void database.change(() => endAll.run(itemId)),
    items: () => withWork.all().map((row) => String(row['item_id'])),
  };
}

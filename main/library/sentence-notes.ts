// Stores the user's choice of a take and the check result, per sentence of a narration.

import type { Database } from "../storage/database.ts";

export type SentenceNote = { chosenTake?: string; missed?: string[] };

export type SentenceNotes = {
  /** By sentence id. */
  notes(itemId: string): Map<string, SentenceNote>;
  /** Omitted fields are unchanged; undefined clears a field. */
  setNote(
    itemId: string,
    sentenceId: string,
    note: { chosenTake?: string | undefined; missed?: string[] | undefined },
  ): void;
};

type NoteRow = { chosen_take: string | null; missed: string | null };

const asNote = ({ chosen_take, missed }: NoteRow): SentenceNote => ({
  ...(chosen_take === null ? {} : { chosenTake: chosen_take }),
  ...(missed === null ? {} : { missed: JSON.parse(missed) as string[] }),
});

export function createSentenceNotes(database: Database): SentenceNotes {
  const { sqlite } = database;
  const selectNotes = sqlite.prepare(
    "SELECT id, chosen_take, missed FROM sentences WHERE item_id = ?",
  );
  const selectNote = sqlite.prepare(
    "SELECT chosen_take, missed FROM sentences WHERE item_id = ? AND id = ?",
  );
  const upsertNote = sqlite.prepare(
    "INSERT OR REPLACE INTO sentences (item_id, id, chosen_take, missed) VALUES (?, ?, ?, ?)",
  );

  return {
    notes: (itemId) =>
      new Map(
        (selectNotes.all(itemId) as (NoteRow & { id: string })[]).map((row) => [
          row.id,
          asNote(row),
        ]),
      ),
    setNote(itemId, sentenceId, note) {
      database.change(() => {
        const existing = selectNote.get(itemId, sentenceId) as NoteRow | undefined;
        const { chosenTake, missed } = { ...(existing && asNote(existing)), ...note };
        upsertNote.run(
          itemId,
          sentenceId,
          chosenTake ?? null,
          missed === undefined ? null : JSON.stringify(missed),
        );
      });
    },
  };
}

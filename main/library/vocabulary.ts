// The user's vocabulary: for recognition, and with their pronunciations for all narrations. See
// text/vocabulary/find-corrections.ts and text/script/apply-pronunciations.ts for applying it.

import type { Pronunciation } from "../contract/narration.ts";
import type { VocabularyEntry } from "../contract/vocabulary.ts";
import type { Database } from "../storage/database.ts";

export type Vocabulary = {
  /** Usually the last entered first. Returns the same array until an entry changes. */
  list(): readonly VocabularyEntry[];
  /** Those of the entries that have one. Returns the same array until one changes. */
  pronunciations(): readonly Pronunciation[];
  replace(entries: readonly VocabularyEntry[]): void;
};

export function createVocabulary(database: Database): Vocabulary {
  const { sqlite } = database;
  const selectAll = sqlite.prepare("SELECT word, says, heard FROM pronunciations ORDER BY place");
  const deleteAll = sqlite.prepare("DELETE FROM pronunciations");
  const insert = sqlite.prepare("INSERT INTO pronunciations (word, says, heard) VALUES (?, ?, ?)");
  let entries: readonly VocabularyEntry[] = [];
  let pronunciations: readonly Pronunciation[] = [];
  let seenVersion = -1;

  function refresh(): void {
    const version = database.version();
    if (version === seenVersion) return;
    seenVersion = version;
    // The version also changes with other tables.
    entries = keepIfEqual(
      entries,
      selectAll.all().map(({ word, says, heard }) => ({
        word: String(word),
        says: String(says),
        heard: String(heard),
      })),
    );
    pronunciations = keepIfEqual(pronunciations, listPronunciations(entries));
  }

  return {
    list() {
      refresh();
      return entries;
    },
    pronunciations() {
      refresh();
      return pronunciations;
    },
    replace(newEntries) {
      database.change(() => {
        deleteAll.run();
        for (const { word, says, heard } of newEntries) insert.run(word, says, heard);
      });
    },
  };
}

/** Those that say how the word is pronounced. */
export const listPronunciations = (entries: readonly Pronunciation[]): Pronunciation[] =>
  entries.flatMap(({ word, says }) => (says.trim() === "" ? [] : [{ word, says }]));

const keepIfEqual = <Value>(old: Value, current: Value): Value =>
  JSON.stringify(old) === JSON.stringify(current) ? old : current;

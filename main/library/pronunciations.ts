// The user's own pronunciations, for all narrations. See text/script/apply-pronunciations.ts for applying them.

import type { Pronunciation } from "../contract/narration.ts";
import type { Database } from "../storage/database.ts";

export type Pronunciations = {
  /** In the order in which they were entered. Returns the same array until an entry changes. */
  list(): readonly Pronunciation[];
  replace(entries: readonly Pronunciation[]): void;
};

export function createPronunciations(database: Database): Pronunciations {
  const { sqlite } = database;
  const selectAll = sqlite.prepare("SELECT word, says FROM pronunciations ORDER BY place");
  const deleteAll = sqlite.prepare("DELETE FROM pronunciations");
  const insert = sqlite.prepare("INSERT INTO pronunciations (word, says) VALUES (?, ?)");
  let entries: readonly Pronunciation[] = [];
  let seenVersion = -1;
  return {
    list() {
      const version = database.version();
      if (version !== seenVersion) {
        const currentEntries = selectAll
          .all()
          .map((row) => ({ word: String(row["word"]), says: String(row["says"]) }));
        // The version also changes with other tables.
        if (JSON.stringify(currentEntries) !== JSON.stringify(entries)) entries = currentEntries;
        seenVersion = version;
      }
      return entries;
    },
    replace(newEntries) {
      database.change(() => {
        deleteAll.run();
        for (const { word, says } of newEntries) insert.run(word, says);
      });
    },
  };
}

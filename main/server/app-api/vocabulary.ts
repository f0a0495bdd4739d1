// /app/vocabulary: names and terms for recognition and for all narrations.

import type { VocabularyEntry } from "../../contract/vocabulary.ts";
import { type LearnDeps, learnEntry } from "../../jobs/learn-entry.ts";
import type { NarrationJobs } from "../../jobs/narration/narration-jobs.ts";
import type { Vocabulary } from "../../library/vocabulary.ts";
import { createTurns } from "../../processes/run-in-turns.ts";
import type { AppApiRoutes } from "./handlers.ts";

export type VocabularyRouteDeps = LearnDeps & {
  vocabulary: Vocabulary;
  /** Narrations change with it. */
  narrationJobs: Pick<NarrationJobs, "setVocabulary">;
};

export function vocabularyRoutes({
  vocabulary,
  narrationJobs,
  unknownWords,
}: VocabularyRouteDeps): AppApiRoutes {
  async function replace(entries: readonly VocabularyEntry[]) {
    await narrationJobs.setVocabulary(entries);
    return { entries: [...vocabulary.list()] };
  }
  // Each change starts from the list that the one before has left.
  const runInTurn = createTurns();
  return {
    handlers: {
      readVocabulary: () => ({ entries: [...vocabulary.list()] }),
      changeVocabulary: ({ entries }) => runInTurn(() => replace(entries)),
      learnWord: (fields, _, signal) =>
        runInTurn(async () =>
          replace(await learnEntry({ unknownWords }, vocabulary.list, fields, signal)),
        ),
    },
    rawRoutes: [],
  };
}

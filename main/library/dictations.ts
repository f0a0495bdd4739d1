// The last dictations, kept on this machine if the user wants it.

import { type Dictation, dictations, maxDictations } from "../contract/dictations.ts";
import type { Database } from "../storage/database.ts";
import type { PreferenceStore } from "./preferences.ts";
import { createStoredSetting } from "./stored-setting.ts";

export type DictationHistory = {
  /** The latest first. */
  list(): Dictation[];
  /** No effect if they are not kept, or it is already. */
  keep(dictation: Dictation): void;
  clear(): void;
};

export function createDictationHistory(
  database: Database,
  preferences: Pick<PreferenceStore, "read">,
): DictationHistory {
  const stored = createStoredSetting(database, "dictations", dictations, []);
  return {
    list: stored.read,
    keep(dictation) {
      const others = stored.read().filter(({ id }) => id !== dictation.id);
      if (preferences.read().keepsDictations)
        stored.save([dictation, ...others].slice(0, maxDictations));
    },
    clear: () => stored.save([]),
  };
}

// /app/dictations: the last dictations.

import type { DictationHistory } from "../../library/dictations.ts";
import type { AppApiRoutes } from "./handlers.ts";

export const dictationRoutes = (history: DictationHistory): AppApiRoutes => ({
  handlers: {
    listDictations: () => ({ dictations: history.list() }),
    keepDictation(dictation) {
      history.keep(dictation);
      return {};
    },
    clearDictations() {
      history.clear();
      return {};
    },
  },
  rawRoutes: [],
});

// The vocabulary of the app, shown in Settings and beside a narration.

import { call } from "../api/client.ts";
import { sendOnUnload } from "../api/unload-requests.ts";
import { createVocabularyStore } from "./vocabulary-store.ts";

export const vocabulary = createVocabularyStore({
  read: async () => (await call("readVocabulary", {})).entries,
  write: async (entries) => void (await call("changeVocabulary", { entries: [...entries] })),
});

sendOnUnload(
  () =>
    [vocabulary.unsaved()].flatMap((entries) =>
      entries === undefined
        ? []
        : [{ path: "/app/vocabulary", method: "PUT" as const, fields: { entries } }],
    ),
  () => void vocabulary.save(),
);

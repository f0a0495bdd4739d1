import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { maxDictations } from "../../../main/contract/dictations.ts";
import { createDictationHistory } from "../../../main/library/dictations.ts";
import { createPreferences } from "../../../main/library/preferences.ts";
import { openTestLibrary } from "../../support/library.ts";

it("keeps the last dictations, the latest first, each once, if the user wants it", () => {
  const database = openTestLibrary();
  const preferences = createPreferences(database);
  const history = createDictationHistory(database, preferences);
  for (let atMs = 0; atMs < maxDictations + 5; atMs += 1) {
    const dictation = { id: randomUUID(), text: `Dictation ${atMs}`, atMs };
    history.keep(dictation);
    history.keep(dictation);
  }
  const texts = history.list().map(({ text }) => text);
  expect(texts).toHaveLength(maxDictations);
  expect([texts[0], texts.at(-1)]).toEqual(["Dictation 24", "Dictation 5"]);
  preferences.change({ keepsDictations: false });
  history.keep({ id: randomUUID(), text: "Secret", atMs: 99 });
  expect(history.list()[0]?.text).toBe("Dictation 24");
  history.clear();
  expect(createDictationHistory(database, preferences).list()).toEqual([]);
});

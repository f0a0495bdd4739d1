import { expect, it } from "vitest";
import { createPreferences } from "../../../main/library/preferences.ts";
import { openTestLibrary } from "../../support/library.ts";

it("starts with the defaults, and stores changes", () => {
  const database = openTestLibrary();
  const { read, change } = createPreferences(database);
  expect(read()).toMatchObject({
    theme: "system",
    transcribe: { model: "whisper-1", temperature: 0 },
    narrate: { voice: "nova", speed: 1 },
    hasSeenWelcome: false,
  });
  const changed = change({
    theme: "dark",
    language: "de",
    narrate: { voice: "onyx", speed: 1.25 },
  });
  expect(changed).toMatchObject({
    theme: "dark",
    language: "de",
    narrate: { model: read().narrate.model, voice: "onyx", speed: 1.25 },
  });
  expect(createPreferences(database).read()).toEqual(changed);
});

it("changes only the fields it is passed, and resets those that are null", () => {
  const { change } = createPreferences(openTestLibrary());
  change({ theme: "dark", language: "de", desktop: { notifies: false } });
  expect(change({ language: null, desktop: { keepsRunning: true } })).toMatchObject({
    theme: "dark",
    desktop: { notifies: false, keepsRunning: true },
  });
  expect(change({ theme: null }).language).toBeUndefined();
  expect(change({})).toMatchObject({
    theme: "system",
    desktop: { notifies: false, keepsRunning: true },
  });
});

it("keeps the other fields when one has an unknown value of another version", () => {
  const database = openTestLibrary();
  database.change(() =>
    database.sqlite
      .prepare("INSERT INTO settings (name, value) VALUES ('preferences', ?)")
      .run(JSON.stringify({ theme: "sepia", language: "de", future: 1 })),
  );
  expect(createPreferences(database).read()).toMatchObject({ theme: "system", language: "de" });
});

it("notifies about a change once it can be read", () => {
  const seen: string[] = [];
  const store = createPreferences(openTestLibrary(), {
    onChange: () => seen.push(store.read().desktop.dictationKeys),
  });
  store.change({ desktop: { dictationKeys: "Alt+D" } });
  expect(seen).toEqual(["Alt+D"]);
});

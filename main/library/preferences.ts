// What a person prefers in the window, kept with the library so that every window of theirs has it.

import { z } from "zod";
import { type Fields, merged } from "../contract/merge-patch.ts";
import { type Preferences, preferences } from "../contract/studio-api.ts";
import type { Database } from "../storage/database.ts";

export type PreferenceStore = {
  read(): Preferences;
  /** @param patch a merge patch that fits. Safe from a power cut when it returns. */
  change(patch: Fields): Preferences;
};

const name = "preferences";

/** What no longer fits, since another version wrote it, gives way to what is preferred where nothing was said. */
export function createPreferences(
  { sqlite, change }: Database,
  { onChange = () => {} }: { onChange?(): void } = {},
): PreferenceStore {
  const get = sqlite.prepare("SELECT value FROM settings WHERE name = ?");
  const put = sqlite.prepare(
    "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  function read(): Preferences {
    const stored: unknown = JSON.parse(String(get.get(name)?.["value"] ?? "{}"));
    const fields = z.record(z.string(), z.unknown()).catch({}).parse(stored);
    const fitting = Object.entries(preferences.shape).filter(
      ([field, schema]) => schema.safeParse(fields[field]).success,
    );
    return preferences.parse(Object.fromEntries(fitting.map(([field]) => [field, fields[field]])));
  }

  return {
    read,
    change(patch) {
      change(() => put.run(name, JSON.stringify(preferences.parse(merged(read(), patch)))));
      onChange();
      return read();
    },
  };
}

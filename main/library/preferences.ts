// What a person prefers in the window, kept with the library so that every window of theirs has it.

import { z } from "zod";
import { type JsonObject, applyMergePatch } from "../contract/merge-patch.ts";
import { type Preferences, preferences } from "../contract/studio-api.ts";
import type { Database } from "../storage/database.ts";

export type PreferenceStore = {
  read(): Preferences;
  /** @param patch a merge patch that fits. Safe from a power cut when it returns. */
  change(patch: JsonObject): Preferences;
};

const settingName = "preferences";

/** What no longer fits, since another version wrote it, gives way to what is preferred where nothing was said. */
export function createPreferences(
  { sqlite, change }: Database,
  { onChange = () => {} }: { onChange?(): void } = {},
): PreferenceStore {
  const selectSetting = sqlite.prepare("SELECT value FROM settings WHERE name = ?");
  const upsertSetting = sqlite.prepare(
    "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  function read(): Preferences {
    const stored: unknown = JSON.parse(String(selectSetting.get(settingName)?.["value"] ?? "{}"));
    const fields = z.record(z.string(), z.unknown()).catch({}).parse(stored);
    const validEntries = Object.entries(preferences.shape).filter(
      ([field, schema]) => schema.safeParse(fields[field]).success,
    );
    return preferences.parse(
      Object.fromEntries(validEntries.map(([field]) => [field, fields[field]])),
    );
  }

  return {
    read,
    change(patch) {
      change(() =>
        upsertSetting.run(
          settingName,
          JSON.stringify(preferences.parse(applyMergePatch(read(), patch))),
        ),
      );
      onChange();
      return read();
    },
  };
}

// The user's preferences, stored with the library so that all windows share them.

import { z } from "zod";
import { type JsonObject, applyMergePatch } from "../contract/merge-patch.ts";
import { type Preferences, preferences } from "../contract/preferences.ts";
import type { Database } from "../storage/database.ts";

export type PreferenceStore = {
  read(): Preferences;
  /** @param patch a valid merge patch. Durable (survives a power cut) when it returns. */
  change(patch: JsonObject): Preferences;
};

const settingName = "preferences";

/** Stored values that are invalid, for example written by another version, fall back to defaults. */
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

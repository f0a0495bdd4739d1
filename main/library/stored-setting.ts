// A value that the app keeps in the library's settings for its next start.

import type { z } from "zod";
import type { Database } from "../storage/database.ts";

export type StoredSetting<Value> = {
  read(): Value;
  /** Durable (survives a power cut) when it returns. */
  save(value: Value): void;
};

/** @param fallback if nothing valid is stored */
export function createStoredSetting<Value>(
  { sqlite, change }: Database,
  name: string,
  schema: z.ZodType<Value>,
  fallback: Value,
): StoredSetting<Value> {
  const selectSetting = sqlite.prepare("SELECT value FROM settings WHERE name = ?");
  const upsertSetting = sqlite.prepare(
    "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  return {
    read() {
      const stored = selectSetting.get(name)?.["value"];
      if (stored === undefined) return fallback;
      return schema.safeParse(JSON.parse(String(stored))).data ?? fallback;
    },
    save: (value) => void change(() => upsertSetting.run(name, JSON.stringify(value))),
  };
}

// Reads values of the database that an older version or a person may have written: invalid ones are logged and ignored.
// A value is read again only after a change, so that callers may compare by identity.

import { z } from "zod";
import { AppError, toStorageError } from "../../contract/errors.ts";
import { removalNote } from "../../contract/removed-settings.ts";
import type { Log } from "../../log.ts";
import type { Database } from "../database.ts";

export type StoredValues = {
  /** @returns undefined if the text is no JSON, or does not match the schema */
  parse<T>(schema: z.ZodType<T>, text: string, label: string): T | undefined;
  /** Logs, once in the life of a data folder, that a setting has no effect any more. */
  noteRemoval(name: string): void;
  /** Writes a value for the next start, which is optional: storage errors are only logged. */
  saveOptional(work: () => void): void;
  /** Reads the source again after a change of the database, and converts it only if it differs. */
  cached<S, T>(read: () => S, isEqual: (a: S, b: S) => boolean, convert: (source: S) => T): () => T;
};

export function createStoredValues(database: Database, log: Log): StoredValues {
  const { sqlite } = database;
  const selectSetting = sqlite.prepare("SELECT 1 FROM settings WHERE name = ?");
  const insertSetting = sqlite.prepare(
    "INSERT INTO settings (name, value) VALUES (?, 'true') ON CONFLICT (name) DO NOTHING",
  );
  const notedRemovals = new Set<string>();

  function saveOptional(work: () => void): void {
    try {
      database.change(work);
    } catch (error) {
      if (
        toStorageError(error) === undefined &&
        !(error instanceof AppError && error.key === "library_unavailable")
      )
        throw error;
      log.warn({ err: error }, "a setting could not be stored for the next start");
    }
  }

  return {
    saveOptional,
    parse(schema, text, label) {
      const { data, error } = z.string().transform(parseJson).pipe(schema).safeParse(text);
      if (error !== undefined)
        log.warn(
          { reason: z.prettifyError(error) },
          `${label} in the library is invalid and ignored`,
        );
      return data;
    },
    noteRemoval(name) {
      if (notedRemovals.has(name)) return;
      notedRemovals.add(name);
      const settingName = `removal-noted:${name}`;
      try {
        if (selectSetting.get(settingName) !== undefined) return;
      } catch {
        // If the library is damaged, it is logged once more.
      }
      log.warn(removalNote(name) ?? "");
      saveOptional(() => insertSetting.run(settingName));
    },
    cached<S, T>(
      read: () => S,
      isEqual: (a: S, b: S) => boolean,
      convert: (source: S) => T,
    ): () => T {
      let seenVersion = -1;
      let cached: { source: S; value: T } | undefined;
      return () => {
        let source: S;
        let version: number;
        try {
          version = database.version();
          if (cached !== undefined && version === seenVersion) return cached.value;
          source = read();
        } catch (error) {
          // If the library is damaged, keep serving requests with the cached value.
          if (cached === undefined) throw error;
          return cached.value;
        }
        if (cached === undefined || !isEqual(cached.source, source))
          cached = { source, value: convert(source) };
        seenVersion = version;
        return cached.value;
      };
    },
  };
}

function parseJson(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: "is no JSON" });
    return z.NEVER;
  }
}

// Wires what is kept in the library's file: the database, the preferences, the child process for heavy tasks, backups.

import { createPreferences } from "../library/preferences.ts";
import {
  createLibraryProcess,
  delegateTasks,
  type LibraryProcess,
} from "../library/process/library-process.ts";
import { createInProcessTasks } from "../library/process/tasks.ts";
import { createLibraryBackups } from "../library/recovery/library-backups.ts";
import { openLibrary } from "../library/recovery/open-library.ts";
import { readEngineLimits } from "./engine-limits.ts";
import type { Foundation } from "./foundation.ts";

/** The library process stops after the same idle time as engines, but at the latest after this. */
const maxIdleMs = 60_000;

export type WiredLibrary = ReturnType<typeof wireLibrary>;

/** @param isOwner this app owns the data folder */
export function wireLibrary({ platform, settings, events, ...rest }: Foundation, isOwner: boolean) {
  const { dataDir, launchChild } = platform;
  const log = rest.log.child({ room: "library" });
  const library = openLibrary({
    dataDir,
    isOwner,
    launchChild,
    log,
    onChange: () => events.publish({ type: "library" }),
  });
  const { database, path, reportDamage } = library;
  const preferences = createPreferences(database, {
    onChange: () => events.publish({ type: "preferences" }),
  });
  const engineLimits = readEngineLimits(preferences, settings);
  const onDocument = (itemId: string, revision: number): void =>
    events.publish({ type: "document", itemId, revision });
  const inProcessTasks = createInProcessTasks(database, onDocument);
  let libraryProcess: LibraryProcess | undefined;
  void library.opened.then(
    () =>
      (libraryProcess = createLibraryProcess({
        path,
        launchChild,
        onDocument,
        onDamage: reportDamage,
        idleMs: Math.min(engineLimits.idleMs, maxIdleMs),
      })),
  );
  return {
    ...library,
    preferences,
    engineLimits,
    tasks: delegateTasks(() => libraryProcess?.tasks ?? inProcessTasks),
    backups: createLibraryBackups({
      dataDir,
      libraryPath: path,
      sqlite: database.sqlite,
      launchChild,
      onDamage: () => reportDamage(new Error("it could not be copied")),
      log,
    }),
    isUnavailable: () => library.health() === "unavailable",
    closeProcess: async () => libraryProcess?.close(),
  };
}

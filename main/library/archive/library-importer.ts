// Imports an exported library archive. Existing items are left unchanged, except orphaned ones, of which only files
// were found.

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError, toStorageError } from "../../contract/errors.ts";
import type { VocabularyEntry } from "../../contract/vocabulary.ts";
import type { LibraryImport } from "../../contract/window-api.ts";
import type { Platform } from "../../platform.ts";
import { mkdir } from "../../storage/disk.ts";
import { retryWhileBusy } from "../../storage/retry-while-busy.ts";
import type { Unpacked, UnpackProgress } from "./archive-child.ts";
import { unpackArchive } from "./unpack-archive.ts";
import type { Database } from "../../storage/database.ts";
import { isOrphanedItem } from "./orphaned-items.ts";
import type { Items } from "../items.ts";
import type { AsyncLibraryTasks } from "../library-tasks.ts";
import type { People } from "../people.ts";
import type { Vocabulary } from "../vocabulary.ts";

export type LibraryImporter = {
  /**
   * @returns also the items imported before the disk or library rejected writes; run it again to import the rest
   * @param archivePath of a ZIP file
   * @throws AppError if it is not an archive, or the disk has no room to unpack it: nothing is changed then; the
   * signal's reason: items imported until then are kept
   */
  run(archivePath: string, signal: AbortSignal): Promise<LibraryImport>;
};

export type LibraryImporterDeps = Pick<Platform, "launchChild"> & {
  database: Database;
  items: Pick<Items, "folder" | "updateSize">;
  tasks: Pick<AsyncLibraryTasks, "importItem">;
  vocabulary: Vocabulary;
  people: Pick<People, "addAll">;
  tempDir(): string;
  onProgress?(progress: UnpackProgress): void;
};

/** Maximum wait for another program that locks the library. */
const busyTimeoutMs = 30_000;

export function createLibraryImporter({
  database,
  items,
  tasks,
  vocabulary,
  people,
  launchChild,
  tempDir,
  onProgress = () => {},
}: LibraryImporterDeps): LibraryImporter {
  const isInLibrary = (id: string): boolean =>
    database.sqlite.prepare("SELECT 1 FROM items WHERE id = ?").get(id) !== undefined &&
    !isOrphanedItem(database.sqlite, id);

  /** Adds only words that the library does not have. */
  function addVocabulary(archivedEntries: readonly VocabularyEntry[]): void {
    const existing = new Map(vocabulary.list().map((entry) => [entry.word, entry]));
    const newEntries = archivedEntries.filter(({ word }) => !existing.has(word));
    if (newEntries.length > 0) vocabulary.replace([...existing.values(), ...newEntries]);
  }

  /** Imports items one by one until the disk or the library rejects writes. */
  async function importItems(
    { ids, failed, pronunciations: archivedEntries, people: archivedPeople }: Unpacked,
    staging: string,
    signal: AbortSignal,
  ): Promise<LibraryImport> {
    const retryBusy = <T>(work: () => T | Promise<T>): Promise<T> =>
      retryWhileBusy(work, { signal, timeoutMs: busyTimeoutMs });
    const outcome: LibraryImport = { restored: 0, existing: 0, failed };
    for (const [index, id] of ids.entries()) {
      signal.throwIfAborted();
      if (isInLibrary(id)) {
        outcome.existing += 1;
        continue;
      }
      try {
        await retryBusy(() => tasks.importItem(join(staging, id), items.folder(id)));
      } catch (error) {
        signal.throwIfAborted();
        // The process may have ended after the import, but before it responded.
        if (!isInLibrary(id)) {
          const failure = toStorageError(error);
          if (failure !== undefined)
            return { ...outcome, stopped: { left: ids.length - index, ...failure.sent } };
          if (error instanceof AppError && error.row.status >= 500) throw error;
          failed.push(id);
          continue;
        }
      }
      outcome.restored += 1;
      // On failure, the size is updated at the next change of its files.
      await items.updateSize(id).catch(() => {});
    }
    try {
      await retryBusy(() => addVocabulary(archivedEntries));
      if (archivedPeople.length > 0) await retryBusy(() => people.addAll(archivedPeople));
    } catch (error) {
      const failure = toStorageError(error);
      if (failure === undefined) throw error;
      return { ...outcome, stopped: { left: 0, ...failure.sent } };
    }
    return outcome;
  }

  return {
    async run(archivePath, signal) {
      const staging = join(tempDir(), `import-${randomUUID()}`);
      await mkdir(staging, { mode: 0o700 });
      try {
        const unpacked = await unpackArchive(archivePath, staging, {
          launchChild,
          signal,
          onProgress,
        });
        if (unpacked.ids.length === 0 && unpacked.failed.length === 0)
          throw new AppError("archive.foreign");
        return await importItems(unpacked, staging, signal);
      } finally {
        await rm(staging, { recursive: true, force: true, maxRetries: 5 });
      }
    },
  };
}

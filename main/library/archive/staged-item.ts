// An unpacked item of an archive: validated in the child process that unpacked it, then imported by the library's
// process.

import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { item } from "../../contract/library-item.ts";
import { transcriptDocument } from "../../contract/transcript-document.ts";
import { copyFile, mkdir, rename, writeFile } from "../../storage/disk.ts";
import type { Database } from "../../storage/database.ts";
import { completeNarration, type CompleteItem, writeCompleteItem } from "./complete-item.ts";

/** The validated item. No file of an archive can be unpacked to this name. */
const validatedFileName = "checked.json";

/** @param folder where it was unpacked @throws if it does not have the format of an export */
export async function validateStagedItem(folder: string, id: string): Promise<void> {
  await writeFile(
    join(folder, validatedFileName),
    JSON.stringify(await readStagedItem(folder, id)),
    {
      mode: 0o600,
    },
  );
}

/**
 * Imports the item, or leaves everything unchanged.
 * @param fromDir where it was unpacked and validated @param toDir target folder of its files
 */
export async function importStagedItem(
  database: Database,
  fromDir: string,
  toDir: string,
): Promise<void> {
  // Trusted: written by `validateStagedItem`.
  const staged = JSON.parse(
    await readFile(join(fromDir, validatedFileName), "utf8"),
  ) as CompleteItem;
  const files = join(fromDir, "files");
  await mkdir(files, { recursive: true, mode: 0o700 });
  await mkdir(join(toDir, ".."), { recursive: true, mode: 0o700 });
  const undoMove = await moveFiles(files, toDir);
  try {
    database.change(() => {
      // An orphaned item may already have files in its folder, which are kept.
      const hasExistingMedia =
        database.sqlite
          .prepare("SELECT 1 FROM items WHERE id = ? AND has_media")
          .get(staged.item.id) !== undefined;
      writeCompleteItem(database.sqlite, {
        ...staged,
        item: { ...staged.item, hasMedia: staged.item.hasMedia || hasExistingMedia },
      });
    });
  } catch (error) {
    await undoMove();
    throw error;
  }
}

/** @returns a function that undoes the move */
async function moveFiles(fromDir: string, toDir: string): Promise<() => Promise<void>> {
  const existingFiles = new Set(await listFiles(toDir).catch(() => []));
  const isMoved =
    existingFiles.size === 0 &&
    (await rename(fromDir, toDir).then(
      () => true,
      () => false,
    ));
  if (isMoved) return () => rename(toDir, fromDir);
  // Copy if the target is on another disk, or already contains files of an orphaned item: those are kept.
  const copied: string[] = [];
  const remove = async (): Promise<void> => {
    if (existingFiles.size === 0) await rm(toDir, { recursive: true, force: true, maxRetries: 5 });
    else for (const name of copied) await rm(join(toDir, name), { force: true });
  };
  try {
    for (const name of await listFiles(fromDir)) {
      if (existingFiles.has(name)) continue;
      copied.push(name);
      await mkdir(join(toDir, name, ".."), { recursive: true, mode: 0o700 });
      await copyFile(join(fromDir, name), join(toDir, name));
    }
    await mkdir(toDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    await remove();
    throw error;
  }
  return remove;
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
}

async function readStagedItem(folder: string, id: string): Promise<CompleteItem> {
  const parsedItem = item.parse(await readJson(join(folder, "item.json")));
  if (parsedItem.id !== id) throw new Error("the item has another id than its folder");
  const document = await readJson(join(folder, "document.json"));
  const narration = await readJson(join(folder, "narration.json"));
  // Work does not resume after an import, but the user can start it again.
  const wasInProgress = ["recording", "waiting", "running"].includes(parsedItem.state);
  const { leftSec: _, ...rest } = parsedItem;
  return {
    item: wasInProgress ? { ...rest, state: "cancelled" } : parsedItem,
    ...(document === undefined ? {} : { document: transcriptDocument.parse(document) }),
    ...(narration === undefined ? {} : { narration: completeNarration.parse(narration) }),
  };
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

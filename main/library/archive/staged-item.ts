// An item of an archive that was unpacked: checked in the child process that unpacked it, taken into the library by who
// then knows that it is what it should be.

import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { item, transcriptDocument } from "../../contract/studio.ts";
import { copyFile, mkdir, rename, writeFile } from "../../storage/disk.ts";
import type { Database } from "../../storage/database.ts";
import { completeNarration, type CompleteItem, writeCompleteItem } from "./complete-item.ts";

/** The whole item, as it was checked. No file of an archive is unpacked to this name. */
const validatedFileName = "checked.json";

/** @param folder where it was unpacked @throws where it is not what an export wrote */
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
 * Takes it in, or leaves everything as it was.
 * @param fromDir where it was unpacked and checked @param toDir where its files go
 */
export async function importStagedItem(
  database: Database,
  fromDir: string,
  toDir: string,
): Promise<void> {
  // `validateStagedItem` wrote it.
  const staged = JSON.parse(
    await readFile(join(fromDir, validatedFileName), "utf8"),
  ) as CompleteItem;
  const files = join(fromDir, "files");
  await mkdir(files, { recursive: true, mode: 0o700 });
  await mkdir(join(toDir, ".."), { recursive: true, mode: 0o700 });
  const undoMove = await moveFiles(files, toDir);
  try {
    database.change(() => {
      // Found beside the library, whose files stay.
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

/** @returns how to undo it */
async function moveFiles(fromDir: string, toDir: string): Promise<() => Promise<void>> {
  const existingFiles = new Set(await listFiles(toDir).catch(() => []));
  const isMoved =
    existingFiles.size === 0 &&
    (await rename(fromDir, toDir).then(
      () => true,
      () => false,
    ));
  if (isMoved) return () => rename(toDir, fromDir);
  // On another disk, or files lie there without an item: those stay.
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
  // What was being worked on is not any more: it can be begun again.
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

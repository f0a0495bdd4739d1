// The media files directly in a folder. Symbolic links are not followed, and neither are subfolders entered.

import { lstat, opendir } from "node:fs/promises";
import { extname, join } from "node:path";
import { mediaExtensions } from "../../contract/media-files.ts";

export type ListedFile = { name: string; sizeBytes: number; changedAtMs: number };

const maxEntries = 5000;

/** @throws if the folder cannot be read */
export async function listMedia(
  folder: string,
): Promise<{ files: ListedFile[]; isComplete: boolean }> {
  const files: ListedFile[] = [];
  let entryCount = 0;
  for await (const entry of await opendir(folder)) {
    entryCount += 1;
    if (entryCount > maxEntries) return { files, isComplete: false };
    if (!entry.isFile() || entry.name.startsWith(".")) continue;
    if (!mediaExtensions.includes(extname(entry.name).slice(1).toLowerCase())) continue;
    // It may have been removed meanwhile.
    const stats = await lstat(join(folder, entry.name)).catch(() => undefined);
    if (stats?.isFile() === true)
      files.push({ name: entry.name, sizeBytes: stats.size, changedAtMs: stats.mtimeMs });
  }
  return { files, isComplete: true };
}

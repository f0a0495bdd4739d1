// Lists an item's files in small batches: an audiobook has one or two per sentence.

import { opendir } from "node:fs/promises";
import { join } from "node:path";

/** Paths of all files below the folder; empty if it does not exist. */
export async function* listFiles(folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder, { recursive: true, bufferSize: 64 }).catch(() => undefined);
  if (entries === undefined) return;
  for await (const entry of entries) if (entry.isFile()) yield join(entry.parentPath, entry.name);
}

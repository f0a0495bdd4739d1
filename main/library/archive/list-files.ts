// The files of an item, a few at a time: a book has one or two a sentence.

import { opendir } from "node:fs/promises";
import { join } from "node:path";

/** Paths of all files below the folder; none where it is gone. */
export async function* listFiles(folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder, { recursive: true, bufferSize: 64 }).catch(() => undefined);
  if (entries === undefined) return;
  for await (const entry of entries) if (entry.isFile()) yield join(entry.parentPath, entry.name);
}

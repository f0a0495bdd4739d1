// Names for files and folders that are not complete yet. Whoever makes one renames it when it is on the disk.

import { randomUUID } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const suffix = ".partial";

/** Beside the path, and never the same twice: several processes may make the same file. */
export const partialPathOf = (path: string): string => `${path}.${randomUUID()}${suffix}`;

/** Deletes what processes left that were killed, as far as it can be. Nothing may be in the making in this folder. */
export async function removePartials(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => []))
    if (name.endsWith(suffix))
      await rm(join(folder, name), { recursive: true, force: true }).catch(() => {});
}

// Folders of the items' files.

import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { mkdirSync } from "../storage/disk.ts";
import { listFiles } from "./archive/list-files.ts";
import { itemNotFoundError } from "./item-table.ts";

export type ItemFolders = {
  /** An empty folder of a new item. */
  create(): { id: string; folder: string };
  /** @throws AppError `not_found` if it is no id of an item */
  path(id: string): string;
};

export const createItemFolders = (dataDir: string): ItemFolders => ({
  create() {
    const id = randomBytes(8).toString("hex");
    const folder = join(dataDir, "library", id);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return { id, folder };
  },
  path(id) {
    if (!/^[0-9a-f]{16}$/.test(id)) throw itemNotFoundError(id);
    return join(dataDir, "library", id);
  },
});

/** Total size of its files in bytes. Ignores files that disappear meanwhile. */
export async function measureFolder(folder: string): Promise<number> {
  let sum = 0;
  for await (const path of listFiles(folder))
    sum += await stat(path).then(
      ({ size }) => size,
      () => 0,
    );
  return sum;
}

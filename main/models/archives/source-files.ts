// Files of a folder that may be a model. Links to files are followed, as in the hub's cache, where all files are links;
// links to folders are not. Folders within that may not be read are left out: a disk has some of the system's.

import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { maxImportFiles } from "../../contract/model-downloads.ts";
import { isSafeFileName } from "../file-names.ts";

export type SourceFile = {
  /** Relative to the model's folder, with slashes. */
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
  /** If it is known already. */
  readonly sha256?: string;
};

/** @returns a name for the model and its files @throws AppError if there are too many; the signal's reason */
export async function readSourceFolder(
  folder: string,
  signal: AbortSignal,
): Promise<{ name: string; files: SourceFile[] }> {
  const root = (await findSnapshot(folder)) ?? folder;
  const files: SourceFile[] = [];
  let entryCount = 0;
  await collect(root, "");
  // `models--owner--name` of the hub's cache.
  return {
    name: basename(folder)
      .replace(/^models--/, "")
      .replace("--", "/"),
    files,
  };

  async function readEntries(dir: string): Promise<Dirent[]> {
    try {
      return await readdir(dir, { withFileTypes: true });
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (!["EACCES", "EPERM"].includes(code)) throw error;
      if (dir === root)
        throw new AppError("modelImport.forbidden", { path: root }, { cause: error });
      return [];
    }
  }

  async function collect(dir: string, prefix: string): Promise<void> {
    for (const entry of await readEntries(dir)) {
      signal.throwIfAborted();
      const [name, path] = [prefix + entry.name, join(dir, entry.name)];
      if (entry.name.startsWith(".") || !isSafeFileName(name)) continue;
      entryCount += 1;
      if (entryCount > maxImportFiles)
        throw new AppError("modelImport.tooMany", { max: maxImportFiles });
      if (entry.isDirectory()) await collect(path, `${name}/`);
      else if (entry.isFile() || entry.isSymbolicLink()) {
        const stats = await stat(path).catch(() => undefined);
        if (stats?.isFile() !== true) continue;
        files.push({ name, path, sizeBytes: stats.size });
      }
    }
  }
}

/** The current revision in a folder of the hub's cache. */
async function findSnapshot(folder: string): Promise<string | undefined> {
  const snapshots = join(folder, "snapshots");
  const entries = await readdir(snapshots, { withFileTypes: true }).catch(() => []);
  const revisions = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const main = await readFile(join(folder, "refs", "main"), "utf8").catch(() => "");
  const revision = revisions.find((name) => name === main.trim()) ?? revisions.sort().at(-1);
  return revision === undefined ? undefined : join(snapshots, revision);
}

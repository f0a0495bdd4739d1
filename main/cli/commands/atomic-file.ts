// Writes a file atomically: to a temporary name first, renamed when complete.

import { open, rename, rm, stat } from "node:fs/promises";
import { UsageError, commandError } from "./command.ts";
import { fileError } from "./system-error.ts";

export type AtomicFile = {
  write(bytes: Uint8Array | string): Promise<void>;
  /** Overwrites bytes that were already written. */
  replace(positionBytes: number, bytes: Uint8Array): Promise<void>;
  /** Renames the file to its final name. */
  finish(): Promise<void>;
  /** Removes the temporary file; no effect after `finish`. */
  discard(): Promise<void>;
};

/** @throws AppError if the file cannot be created, before any work is done for it */
export async function openAtomicFile(path: string): Promise<AtomicFile> {
  const throwFileError = (error: unknown): never => {
    throw fileError(error, path, "write");
  };
  const existing = await stat(path).catch(() => undefined);
  if (existing?.isDirectory() === true || isFolderPath(path))
    throw commandError(`${path} is a folder: name the file`);
  // Renaming would replace a device by a file.
  if (existing?.isFile() === false)
    throw commandError(`${path} is no file that could be written anew`);
  const partPath = `${path}.${process.pid}.part`;
  const file = await open(partPath, "wx").catch(throwFileError);
  let isFinished = false;
  return {
    write: (bytes) => file.writeFile(bytes).catch(throwFileError),
    replace: async (positionBytes, bytes) => {
      await file.write(bytes, 0, bytes.length, positionBytes).catch(throwFileError);
    },
    async finish() {
      await file.sync().catch(throwFileError);
      await file.close();
      await rename(partPath, path).catch(throwFileError);
      isFinished = true;
    },
    async discard() {
      if (isFinished) return;
      await file.close().catch(() => {});
      await rm(partPath, { force: true });
    },
  };
}

/** Whether the path is written as a folder. */
export const isFolderPath = (path: string): boolean =>
  path.endsWith("/") || (process.platform === "win32" && path.endsWith("\\"));

/** Prevents overwriting an input file. @throws UsageError if an output path is an input file, under whatever name */
export async function refuseOverwritingInputs(
  inputs: readonly string[],
  outPaths: readonly string[],
): Promise<void> {
  const inputIds = new Set(await Promise.all(inputs.map(fileId)));
  for (const path of outPaths) {
    const id = await fileId(path);
    if (id !== undefined && inputIds.has(id))
      throw new UsageError(`${path} is read: write to another file`);
  }
}

/** Equal for all names of a file; undefined if it does not exist. */
async function fileId(path: string): Promise<string | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined);
  return stats && `${stats.dev}:${stats.ino}`;
}

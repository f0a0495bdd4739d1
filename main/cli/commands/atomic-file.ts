// Writes a file so that it is either whole or not there: under another name first, renamed when it is done.

import { open, rename, rm, stat } from "node:fs/promises";
import { AppError } from "../../contract/errors.ts";
import { UsageError } from "./command.ts";
import { fileError } from "./system-error.ts";

export type AtomicFile = {
  write(bytes: Uint8Array | string): Promise<void>;
  /** Writes over bytes that were written. */
  replace(positionBytes: number, bytes: Uint8Array): Promise<void>;
  /** Gives the file its name. */
  finish(): Promise<void>;
  /** Leaves nothing behind; harmless after `finish`. */
  discard(): Promise<void>;
};

/** @throws AppError, before any work is done for it, where there can be no such file */
export async function openAtomicFile(path: string): Promise<AtomicFile> {
  const throwFileError = (error: unknown): never => {
    throw fileError(error, path, "write");
  };
  const existing = await stat(path).catch(() => undefined);
  if (existing?.isDirectory() === true || isFolderPath(path))
    throw new AppError("invalid_request", `${path} is a folder: name the file`);
  // A device would be replaced by a file.
  if (existing?.isFile() === false)
    throw new AppError("invalid_request", `${path} is no file that could be written anew`);
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

/** Does the path say that it is a folder's? */
export const isFolderPath = (path: string): boolean =>
  path.endsWith("/") || (process.platform === "win32" && path.endsWith("\\"));

/**
 * What was heard or read must not be written over.
 * @throws UsageError where a path, by whatever name, is a file that is read
 */
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

/** The same for all names of one file; undefined where there is none. */
async function fileId(path: string): Promise<string | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined);
  return stats && `${stats.dev}:${stats.ino}`;
}

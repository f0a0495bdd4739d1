// Writes a file so that it is either whole or not there: under another name first, renamed when it is done.

import { open, rename, rm, stat } from "node:fs/promises";
import { AppError } from "../../contract/errors.ts";
import { UsageError } from "./command.ts";
import { fileError } from "./system-error.ts";

export type WholeFile = {
  write(bytes: Uint8Array | string): Promise<void>;
  /** Writes over bytes that were written. */
  replace(at: number, bytes: Uint8Array): Promise<void>;
  /** Gives the file its name. */
  finish(): Promise<void>;
  /** Leaves nothing behind; harmless after `finish`. */
  discard(): Promise<void>;
};

/** @throws AppError, before any work is done for it, where there can be no such file */
export async function openWholeFile(path: string): Promise<WholeFile> {
  const told = (error: unknown): never => {
    throw fileError(error, path, "write");
  };
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory() === true || namesFolder(path))
    throw new AppError("invalid_request", `${path} is a folder: name the file`);
  // A device would be replaced by a file.
  if (there?.isFile() === false)
    throw new AppError("invalid_request", `${path} is no file that could be written anew`);
  const partPath = `${path}.${process.pid}.part`;
  const file = await open(partPath, "wx").catch(told);
  let done = false;
  return {
    write: (bytes) => file.writeFile(bytes).catch(told),
    replace: async (at, bytes) => {
      await file.write(bytes, 0, bytes.length, at).catch(told);
    },
    async finish() {
      await file.sync().catch(told);
      await file.close();
      await rename(partPath, path).catch(told);
      done = true;
    },
    async discard() {
      if (done) return;
      await file.close().catch(() => {});
      await rm(partPath, { force: true });
    },
  };
}

/** Does the path say that it is a folder's? */
export const namesFolder = (path: string): boolean =>
  path.endsWith("/") || (process.platform === "win32" && path.endsWith("\\"));

/**
 * What was heard or read must not be written over.
 * @throws UsageError where a path, by whatever name, is a file that is read
 */
export async function keepInputs(
  inputs: readonly string[],
  outPaths: readonly string[],
): Promise<void> {
  const read = new Set(await Promise.all(inputs.map(fileId)));
  for (const path of outPaths) {
    const id = await fileId(path);
    if (id !== undefined && read.has(id))
      throw new UsageError(`${path} is read: write to another file`);
  }
}

/** The same for all names of one file; undefined where there is none. */
async function fileId(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found && `${found.dev}:${found.ino}`;
}

// All writes to the data folder: node:fs with a hook before each write, so that tests can make any write fail.
// Permission errors become storage errors. The library's transactions call `beforeWrite` too. Production installs no
// hook. Also tells how much room the disk has.

import * as fs from "node:fs";
import * as fsp from "node:fs/promises";
import { toPermissionError } from "../contract/errors.ts";

/** May throw an error like the system or SQLite. `operation`: `database`, or the name of the function. */
export type WriteHook = (operation: string) => void;

let hook: WriteHook | undefined;

/** For tests. @returns a function that removes the hook */
export function hookWrites(newHook: WriteHook): () => void {
  hook = newHook;
  return () => (hook = undefined);
}

/** @throws what the hook throws */
export function beforeWrite(operation: string): void {
  hook?.(operation);
}

function withHook<Args extends unknown[], Result>(
  operation: string,
  write: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    try {
      beforeWrite(operation);
      return await write(...args);
    } catch (error) {
      throw toPermissionError(error) ?? error;
    }
  };
}

function withHookSync<Args extends unknown[], Result>(
  operation: string,
  write: (...args: Args) => Result,
): (...args: Args) => Result {
  return (...args) => {
    try {
      beforeWrite(operation);
      return write(...args);
    } catch (error) {
      throw toPermissionError(error) ?? error;
    }
  };
}

/** Disk space that copies, downloads and archives leave to other programs. */
export const diskReserveBytes = 256 * 2 ** 20;

/** Bytes that may still be written to the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await fsp.statfs(folder);
  return bavail * bsize;
}

/** As `freeBytes`. */
export function freeBytesSync(folder: string): number {
  const { bavail, bsize } = fs.statfsSync(folder);
  return bavail * bsize;
}

type MkdirOptions = { recursive?: boolean; mode: number };
/**
 * On a read-only disk, Node's recursive mkdir fails with ENOENT. Creating only the last folder gives the real error.
 */
const isMisleading = (error: unknown, { recursive }: MkdirOptions): boolean =>
  recursive === true && (error as NodeJS.ErrnoException).code === "ENOENT";

async function mkdirWithClearError(
  path: string,
  options: MkdirOptions,
): Promise<string | undefined> {
  try {
    return await fsp.mkdir(path, options);
  } catch (error) {
    if (!isMisleading(error, options)) throw error;
    await fsp.mkdir(path, { mode: options.mode });
    return path;
  }
}

function mkdirSyncWithClearError(path: string, options: MkdirOptions): string | undefined {
  try {
    return fs.mkdirSync(path, options);
  } catch (error) {
    if (!isMisleading(error, options)) throw error;
    fs.mkdirSync(path, { mode: options.mode });
    return path;
  }
}

export const mkdir = withHook("mkdir", mkdirWithClearError);
export const mkdtemp = withHook("mkdtemp", fsp.mkdtemp as (prefix: string) => Promise<string>);
export const writeFile = withHook(
  "writeFile",
  fsp.writeFile as (
    path: string,
    content: string | Uint8Array,
    options?: { mode?: number; flag?: string; flush?: boolean },
  ) => Promise<void>,
);
export const copyFile = withHook(
  "copyFile",
  fsp.copyFile as (from: string, to: string) => Promise<void>,
);
export const chmod = withHook("chmod", fsp.chmod as (path: string, mode: number) => Promise<void>);
export const link = withHook("link", fsp.link as (from: string, to: string) => Promise<void>);
export const rename = withHook("rename", fsp.rename as (from: string, to: string) => Promise<void>);

const openFile = withHook(
  "open",
  fsp.open as (path: string, flags: string, mode?: number) => Promise<fsp.FileHandle>,
);

/** @returns a file handle whose writes call the hook */
export async function openForWriting(
  path: string,
  flags: string,
  mode?: number,
): Promise<fsp.FileHandle> {
  const file = await openFile(path, flags, mode);
  if (hook === undefined) return file;
  for (const name of [
    "write",
    "writeFile",
    "appendFile",
    "truncate",
    "datasync",
    "sync",
  ] as const) {
    const write = file[name].bind(file) as (...args: unknown[]) => Promise<unknown>;
    Object.assign(file, { [name]: withHook(name, write) });
  }
  return file;
}

/** Writes what a file holds to the disk itself. */
export async function flushFile(path: string): Promise<void> {
  const file = await openForWriting(path, "r+");
  await file.sync().finally(() => file.close());
}

export const openForWritingSync = withHookSync(
  "open",
  fs.openSync as (path: string, flags: string, mode?: number) => number,
);
/** Writes all bytes: a nearly full disk may accept only part of them without an error. */
export const writeSync = withHookSync(
  "write",
  (file: number, bytes: Uint8Array, position?: number): void => {
    for (let writtenBytes = 0; writtenBytes < bytes.length;)
      writtenBytes += fs.writeSync(
        file,
        bytes,
        writtenBytes,
        bytes.length - writtenBytes,
        position === undefined ? undefined : position + writtenBytes,
      );
  },
);
export const ftruncateSync = withHookSync(
  "truncate",
  fs.ftruncateSync as (file: number, length: number) => void,
);
export const writeFileSync = withHookSync(
  "writeFile",
  fs.writeFileSync as (
    path: string,
    content: string | Uint8Array,
    options?: { mode?: number; flag?: string },
  ) => void,
);
export const renameSync = withHookSync(
  "rename",
  fs.renameSync as (from: string, to: string) => void,
);
export const appendFileSync = withHookSync(
  "appendFile",
  fs.appendFileSync as (path: string, content: Uint8Array) => void,
);
export const copyFileSync = withHookSync(
  "copyFile",
  fs.copyFileSync as (from: string, to: string) => void,
);
export const mkdirSync = withHookSync("mkdir", mkdirSyncWithClearError);
export const fsyncSync = withHookSync("sync", fs.fsyncSync);
export const chmodSync = withHookSync(
  "chmod",
  fs.chmodSync as (path: string, mode: number) => void,
);

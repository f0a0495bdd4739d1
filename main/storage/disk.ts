// Every write to the data folder goes through here: node:fs with a hook before each write, so that a test can make any
// of them fail, and a permission that is missing there told as a failure of storage. Nothing is hooked in production.
// Transactions of the library ask `beforeWrite` too.

import * as fs from "node:fs";
import * as fsp from "node:fs/promises";
import { permissionFailure } from "../contract/errors.ts";

/** May throw what the system or SQLite would. `operation`: `database`, or the name of the function. */
export type WriteHook = (operation: string) => void;

let hook: WriteHook | undefined;

/** For tests. @returns how to take it away */
export function hookWrites(wanted: WriteHook): () => void {
  hook = wanted;
  return () => (hook = undefined);
}

/** @throws what the hook throws */
export function beforeWrite(operation: string): void {
  hook?.(operation);
}

function hooked<Args extends unknown[], Result>(
  operation: string,
  write: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    try {
      beforeWrite(operation);
      return await write(...args);
    } catch (error) {
      throw permissionFailure(error) ?? error;
    }
  };
}

function hookedSync<Args extends unknown[], Result>(
  operation: string,
  write: (...args: Args) => Result,
): (...args: Args) => Result {
  return (...args) => {
    try {
      beforeWrite(operation);
      return write(...args);
    } catch (error) {
      throw permissionFailure(error) ?? error;
    }
  };
}

type MkdirOptions = { recursive?: boolean; mode: number };
/** On a read-only disk Node says of a recursive mkdir that there is no such file: asked for the last folder alone, it says why. */
const isUnclear = (error: unknown, { recursive }: MkdirOptions): boolean =>
  recursive === true && (error as NodeJS.ErrnoException).code === "ENOENT";

async function mkdirOrWhyNot(path: string, options: MkdirOptions): Promise<string | undefined> {
  try {
    return await fsp.mkdir(path, options);
  } catch (error) {
    if (!isUnclear(error, options)) throw error;
    await fsp.mkdir(path, { mode: options.mode });
    return path;
  }
}

function mkdirSyncOrWhyNot(path: string, options: MkdirOptions): string | undefined {
  try {
    return fs.mkdirSync(path, options);
  } catch (error) {
    if (!isUnclear(error, options)) throw error;
    fs.mkdirSync(path, { mode: options.mode });
    return path;
  }
}

export const mkdir = hooked("mkdir", mkdirOrWhyNot);
export const mkdtemp = hooked("mkdtemp", fsp.mkdtemp as (prefix: string) => Promise<string>);
export const writeFile = hooked(
  "writeFile",
  fsp.writeFile as (
    path: string,
    content: string | Uint8Array,
    options?: { mode?: number; flag?: string; flush?: boolean },
  ) => Promise<void>,
);
export const copyFile = hooked(
  "copyFile",
  fsp.copyFile as (from: string, to: string) => Promise<void>,
);
export const chmod = hooked("chmod", fsp.chmod as (path: string, mode: number) => Promise<void>);
export const link = hooked("link", fsp.link as (from: string, to: string) => Promise<void>);
export const rename = hooked("rename", fsp.rename as (from: string, to: string) => Promise<void>);

const openFile = hooked(
  "open",
  fsp.open as (path: string, flags: string, mode?: number) => Promise<fsp.FileHandle>,
);

/** @returns a file whose every write is hooked */
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
    Object.assign(file, { [name]: hooked(name, write) });
  }
  return file;
}

export const openForWritingSync = hookedSync(
  "open",
  fs.openSync as (path: string, flags: string, mode?: number) => number,
);
/** All of it: a disk that is about to be full takes a part of it without an error. */
export const writeSync = hookedSync(
  "write",
  (file: number, bytes: Uint8Array, position?: number): void => {
    for (let done = 0; done < bytes.length;)
      done += fs.writeSync(
        file,
        bytes,
        done,
        bytes.length - done,
        position === undefined ? undefined : position + done,
      );
  },
);
export const ftruncateSync = hookedSync(
  "truncate",
  fs.ftruncateSync as (file: number, length: number) => void,
);
export const writeFileSync = hookedSync(
  "writeFile",
  fs.writeFileSync as (
    path: string,
    content: string | Uint8Array,
    options?: { mode?: number; flag?: string },
  ) => void,
);
export const renameSync = hookedSync("rename", fs.renameSync as (from: string, to: string) => void);
export const appendFileSync = hookedSync(
  "appendFile",
  fs.appendFileSync as (path: string, content: Uint8Array) => void,
);
export const copyFileSync = hookedSync(
  "copyFile",
  fs.copyFileSync as (from: string, to: string) => void,
);
export const mkdirSync = hookedSync("mkdir", mkdirSyncOrWhyNot);
export const fsyncSync = hookedSync("sync", fs.fsyncSync);
export const chmodSync = hookedSync("chmod", fs.chmodSync as (path: string, mode: number) => void);

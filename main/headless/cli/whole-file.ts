// Writes a file so that it is either whole or not there: under another name first, renamed when it is done.

import { open, rename, rm, stat } from 'node:fs/promises';

export type WholeFile = {
  write(bytes: Uint8Array | string): Promise<void>;
  /** Writes over bytes that were written. */
  replace(at: number, bytes: Uint8Array): Promise<void>;
  /** Gives the file its name. */
  finish(): Promise<void>;
  /** Leaves nothing behind; harmless after `finish`. */
  discard(): Promise<void>;
};

/** @throws Error, before any work is done for it, where there can be no such file */
export async function openWholeFile(path: string): Promise<WholeFile> {
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory() === true) throw Object.assign(new Error(`${path} is a folder`), { code: 'EISDIR' });
  const partPath = `${path}.${process.pid}.part`;
  const file = await open(partPath, 'wx');
  let done = false;
  return {
    write: async (bytes) => {
      await file.writeFile(bytes);
    },
    replace: async (at, bytes) => {
      await file.write(bytes, 0, bytes.length, at);
    },
    async finish() {
      await file.sync();
      await file.close();
      await rename(partPath, path);
      done = true;
    },
    async discard() {
      if (done) return;
      await file.close().catch(() => {});
      await rm(partPath, { force: true });
    },
  };
}

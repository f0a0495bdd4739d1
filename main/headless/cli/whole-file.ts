// Writes a file so that it is either whole or not there: under another name first, renamed when it is done.

import { open, rename, rm } from 'node:fs/promises';

export type WholeFile = {
  write(bytes: Uint8Array | string): Promise<void>;
  /** Gives the file its name. */
  finish(): Promise<void>;
  /** Leaves nothing behind; harmless after `finish`. */
  discard(): Promise<void>;
};

export async function openWholeFile(path: string): Promise<WholeFile> {
  const partPath = `${path}.${process.pid}.part`;
  const file = await open(partPath, 'wx');
  let done = false;
  return {
    write: async (bytes) => {
      await file.writeFile(bytes);
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

// Flushes committed changes to disk off the main thread. A commit that waits for the disk would block all requests.

import { openForWriting } from "./disk.ts";

export type WalFlush = {
  /** Call it after a commit that may not be on disk yet. */
  markDirty(): void;
  /** Resolves when everything marked before is on disk. @throws the system's error if flushing fails */
  flush(): Promise<void>;
};

/** @param walPath SQLite's write-ahead log: a commit is on disk when the log is */
export function createWalFlush(walPath: string): WalFlush {
  let isDirty = false;
  let lastFlush: Promise<void> = Promise.resolve();

  async function flushWal(): Promise<void> {
    try {
      const file = await openForWriting(walPath, "r+");
      try {
        await file.datasync();
      } finally {
        await file.close();
      }
    } catch (error) {
      // Without a log, SQLite has already moved and flushed everything to the library file.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      isDirty = true;
      throw error;
    }
  }

  return {
    markDirty: () => void (isDirty = true),
    flush() {
      if (isDirty) {
        isDirty = false;
        // A running flush may have started before this change.
        lastFlush = lastFlush.catch(() => {}).then(flushWal);
        lastFlush.catch(() => {});
      }
      return lastFlush;
    },
  };
}

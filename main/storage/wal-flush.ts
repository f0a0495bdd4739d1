// Flushes committed changes from the system's cache to the disk, off the main thread: a commit that waited for the disk
// itself would hold up every request for as long as the disk takes.

import { openForWriting } from "./disk.ts";

export type WalFlush = {
  /** Something was committed to the log and may not be on the disk yet. */
  markDirty(): void;
  /** Resolves when everything that was marked before is on the disk. @throws what the system says where it cannot be flushed */
  flush(): Promise<void>;
};

/** @param walPath SQLite's write-ahead log: a commit is on the disk when the log is */
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
      // Without a log, everything is in the library's file already, and SQLite has flushed it.
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
        // A flush that is under way may have started too early for this change.
        lastFlush = lastFlush.catch(() => {}).then(flushWal);
        lastFlush.catch(() => {});
      }
      return lastFlush;
    },
  };
}

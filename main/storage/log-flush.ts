// Brings committed changes from the system's cache to the disk, off the main thread: a commit that waited for the disk
// itself would hold up every request for as long as the disk takes.

import type { FileHandle } from "node:fs/promises";
import { toStorageError } from "../contract/errors.ts";
import { openForWriting } from "./disk.ts";

export type WalFlush = {
  /** Something was committed to the log and is not on the disk yet. */
  markDirty(): void;
  /** Resolves when all that was marked before is on the disk. @throws AppError or what the system says where it cannot be */
  flush(): Promise<void>;
  close(): void;
};

/** @param walPath SQLite's write-ahead log: a commit is on the disk when the log is */
export function createWalFlush(walPath: string): WalFlush {
  let isDirty = false;
  let lastFlush: Promise<void> = Promise.resolve();
  let openedFile: Promise<FileHandle> | undefined;

  async function flushWal(): Promise<void> {
    try {
      openedFile ??= openForWriting(walPath, "r+");
      await (await openedFile).datasync();
    } catch (error) {
      close();
      // Without a log everything is in the library itself, which SQLite has flushed then.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      isDirty = true;
      throw toStorageError(error) ?? error;
    }
  }

  function close(): void {
    void openedFile?.then((file) => file.close()).catch(() => {});
    openedFile = undefined;
  }

  return {
    markDirty: () => void (isDirty = true),
    flush() {
      if (isDirty) {
        isDirty = false;
        // The one before may have begun too early for this change, and its failure is for those who waited for it.
        lastFlush = lastFlush.catch(() => {}).then(flushWal);
        lastFlush.catch(() => {});
      }
      return lastFlush;
    },
    close,
  };
}

// Brings committed changes from the system's cache to the disk, off the main thread: a commit that waited for the disk
// itself would hold up every request for as long as the disk takes.

import type { FileHandle } from "node:fs/promises";
import { storageFailure } from "../contract/errors.ts";
import { openForWriting } from "./disk.ts";

export type LogFlush = {
  /** Something was committed to the log and is not on the disk yet. */
  mark(): void;
  /** Resolves when all that was marked before is on the disk. @throws AppError or what the system says where it cannot be */
  flush(): Promise<void>;
  close(): void;
};

/** @param logPath SQLite's write-ahead log: a commit is on the disk when the log is */
export function createLogFlush(logPath: string): LogFlush {
  let isMarked = false;
  let latest: Promise<void> = Promise.resolve();
  let opened: Promise<FileHandle> | undefined;

  async function flushLog(): Promise<void> {
    try {
      opened ??= openForWriting(logPath, "r+");
      await (await opened).datasync();
    } catch (error) {
      close();
      // Without a log everything is in the library itself, which SQLite has flushed then.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      isMarked = true;
      throw storageFailure(error) ?? error;
    }
  }

  function close(): void {
    void opened?.then((file) => file.close()).catch(() => {});
    opened = undefined;
  }

  return {
    mark: () => void (isMarked = true),
    flush() {
      if (isMarked) {
        isMarked = false;
        // The one before may have begun too early for this change, and its failure is for those who waited for it.
        latest = latest.catch(() => {}).then(flushLog);
        latest.catch(() => {});
      }
      return latest;
    },
    close,
  };
}

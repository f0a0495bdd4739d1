// Imports local files that were opened with Hearsay, dropped on its icon or passed by another start of the app. They
// are handled like uploads.

import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { Item } from "../../contract/library-item.ts";
import type { TranscribeOptions } from "../../contract/transcript-document.ts";
import type { TranscriptionJobs } from "./transcription-jobs.ts";

export type FileImport = {
  /** @throws AppError if it is not a media file or cannot be read; nothing is stored then */
  add(path: string): Promise<Item>;
  /** Aborts running imports. */
  close(): Promise<void>;
};

const chunkBytes = 1 << 20;

export type FileImportDeps = {
  transcriptionJobs: Pick<TranscriptionJobs, "add">;
  /** Rejects if it is not a media file. */
  probe(path: string, signal: AbortSignal): Promise<unknown>;
  /** Returns the current preferences of the user. */
  options(): TranscribeOptions;
};

export function createFileImport({
  transcriptionJobs,
  probe,
  options,
}: FileImportDeps): FileImport {
  const closing = new AbortController();
  const pendingImports = new Set<Promise<unknown>>();

  async function importFile(path: string): Promise<Item> {
    const stats = await stat(path).catch((cause: unknown) =>
      Promise.reject(unreadableError(path, cause)),
    );
    // A folder has no audio, and a pipe or device may never end.
    if (!stats.isFile()) throw new AppError("file.notAFile", { name: basename(path) });
    // Checked before copying: the file may be large.
    await probe(path, closing.signal);
    const file = await open(path).catch((cause: unknown) =>
      Promise.reject(unreadableError(path, cause)),
    );
    try {
      const next = async (): Promise<Uint8Array | undefined> => {
        closing.signal.throwIfAborted();
        const { buffer, bytesRead } = await file
          .read(Buffer.alloc(chunkBytes), 0, chunkBytes)
          .catch((cause: unknown) => Promise.reject(unreadableError(path, cause)));
        return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead);
      };
      return await transcriptionJobs.add(
        { name: basename(path), options: options(), next },
        closing.signal,
      );
    } finally {
      await file.close();
    }
  }

  return {
    add(path) {
      const pendingImport = importFile(path);
      pendingImports.add(pendingImport);
      return pendingImport.finally(() => pendingImports.delete(pendingImport));
    },
    async close() {
      closing.abort(new AppError("closing"));
      await Promise.allSettled(pendingImports);
    },
  };
}

const unreadableError = (path: string, cause: unknown): AppError =>
  new AppError("file.unreadable", { name: basename(path) }, { cause });

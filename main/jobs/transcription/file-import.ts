// Files of this machine that come without a window: opened with Hearsay, dropped on its icon, handed over by another
// start. Each is taken in as an upload of it would be.

import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { Item, TranscribeOptions } from "../../contract/studio.ts";
import type { Transcribing } from "./transcribing.ts";

export type FileImport = {
  /** @throws AppError where it is no media file, or cannot be read; nothing is left of it then */
  add(path: string): Promise<Item>;
  /** Ends what is under way. */
  close(): Promise<void>;
};

const chunkBytes = 1 << 20;

export type FileImportDeps = {
  transcribing: Pick<Transcribing, "add">;
  /** Rejects where it is no media file. */
  probe(path: string, signal: AbortSignal): Promise<unknown>;
  /** As people prefer them at the time. */
  options(): TranscribeOptions;
};

export function createFileImport({ transcribing, probe, options }: FileImportDeps): FileImport {
  const closing = new AbortController();
  const pendingImports = new Set<Promise<unknown>>();

  async function importFile(path: string): Promise<Item> {
    const stats = await stat(path).catch((cause: unknown) =>
      Promise.reject(unreadableError(path, cause)),
    );
    // A folder has no sound, and a pipe or a device may never end.
    if (!stats.isFile()) throw new AppError("invalid_value", `'${basename(path)}' is not a file.`);
    // Before it is copied: it may be large.
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
      return await transcribing.add(
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
      closing.abort(new AppError("closing", "Hearsay is shutting down."));
      await Promise.allSettled(pendingImports);
    },
  };
}

const unreadableError = (path: string, cause: unknown): AppError =>
  new AppError("not_found", `The file '${basename(path)}' cannot be read.`, { cause });

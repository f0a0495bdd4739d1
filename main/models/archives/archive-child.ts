// Entry of the child process that unpacks an untrusted archive of a model: only regular files, below its own folder, up
// to a limit, hashed on the way.

import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, storageFullError } from "../../contract/errors.ts";
import { maxImportFiles } from "../../contract/model-downloads.ts";
import { serveTask } from "../../processes/serve-task.ts";
import { mkdir, openForWriting } from "../../storage/disk.ts";
import { isSafeFileName } from "../file-names.ts";
import { archiveEntries } from "./archive-entries.ts";

export type UnpackTask = {
  archivePath: string;
  archiveBytes: number;
  toDir: string;
  /** What the disk has room for. */
  maxBytes: number;
};
/** Bytes of the archive that were read. */
export type UnpackProgress = number;
export type UnpackedFile = { name: string; sizeBytes: number; sha256: string };

const progressIntervalMs = 200;
/** An archive made to fill the disk unpacks to a thousand times its size, and more. */
const maxFactor = 100;

serveTask<UnpackTask, UnpackProgress>(
  async ({ archivePath, archiveBytes, toDir, maxBytes }, onProgress): Promise<UnpackedFile[]> => {
    const files: UnpackedFile[] = [];
    let entryCount = 0;
    let unpackedBytes = 0;
    let readBytes = 0;
    let reportedAtMs = performance.now();
    const reportIfDue = (): void => {
      if (performance.now() - reportedAtMs < progressIntervalMs) return;
      reportedAtMs = performance.now();
      onProgress(readBytes);
    };
    const entries = archiveEntries(archivePath, (bytes) => {
      readBytes += bytes;
      reportIfDue();
    });
    for await (const entry of entries) {
      entryCount += 1;
      if (entryCount > maxImportFiles)
        throw new AppError("modelImport.tooMany", { max: maxImportFiles });
      const name = entry.name.replace(/^(\.\/)+/, "");
      if (/^([/\\]|[a-z]:)/i.test(name) || name.split(/[/\\]/).includes(".."))
        throw new AppError("modelImport.unsafe", { name: name.slice(0, 100) });
      if (!isSafeFileName(name) || isOfSystem(name)) continue;
      const file = await createFile(join(toDir, name));
      const hash = createHash("sha256");
      let sizeBytes = 0;
      try {
        for await (const bytes of entry.bytes) {
          unpackedBytes += bytes.length;
          if (unpackedBytes > maxFactor * archiveBytes)
            throw new AppError("modelImport.tooLarge", { factor: maxFactor });
          if (unpackedBytes > maxBytes) throw storageFullError();
          sizeBytes += bytes.length;
          hash.update(bytes);
          await file.appendFile(bytes);
          reportIfDue();
        }
      } finally {
        await file.close();
      }
      files.push({ name, sizeBytes, sha256: hash.digest("hex") });
    }
    return files;
  },
);

/** @throws AppError if the archive has a file or folder of this name already */
async function createFile(path: string): Promise<FileHandle> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return await openForWriting(path, "wx", 0o600);
  } catch (error) {
    if (!["EEXIST", "EISDIR", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? ""))
      throw error;
    throw new AppError("modelImport.unreadable", { why: "two files have the same name" });
  }
}

/** Hidden files, and what macOS adds to archives. */
const isOfSystem = (name: string): boolean => /(^|\/)(\.|__MACOSX\/)/.test(name);

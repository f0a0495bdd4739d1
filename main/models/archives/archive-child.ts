// Entry of the child process that unpacks an untrusted archive of a model: only regular files, below its own folder, up
// to a limit, hashed on the way.

import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { AppError, storageFullError } from "../../contract/errors.ts";
import { serveTask } from "../../processes/serve-task.ts";
import { mkdir, openForWriting } from "../../storage/disk.ts";
import { isSafeFileName } from "../file-names.ts";
import { archiveEntries } from "./archive-entries.ts";
import { maxFiles } from "./source-files.ts";

export type UnpackTask = { archivePath: string; toDir: string; maxBytes: number };
/** Bytes of the archive that were read. */
export type UnpackProgress = number;
export type UnpackedFile = { name: string; sizeBytes: number; sha256: string };

const progressIntervalMs = 200;

serveTask<UnpackTask, UnpackProgress>(
  async ({ archivePath, toDir, maxBytes }, onProgress): Promise<UnpackedFile[]> => {
    const files: UnpackedFile[] = [];
    let remainingBytes = maxBytes;
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
      const name = entry.name.replace(/^(\.\/)+/, "");
      if (name.startsWith("/") || name.split(/[/\\]/).includes(".."))
        throw new AppError("modelImport.unsafe", { name: name.slice(0, 100) });
      if (!isSafeFileName(name) || isOfSystem(name)) continue;
      if (files.length === maxFiles) throw new AppError("modelImport.tooMany", { max: maxFiles });
      const path = join(toDir, name);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const file = await openForWriting(path, "wx", 0o600);
      const hash = createHash("sha256");
      let sizeBytes = 0;
      try {
        for await (const bytes of entry.bytes) {
          remainingBytes -= bytes.length;
          if (remainingBytes < 0) throw storageFullError();
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

/** What macOS adds to archives. */
const isOfSystem = (name: string): boolean => /(^|\/)(\._|__MACOSX\/|\.DS_Store$)/.test(name);

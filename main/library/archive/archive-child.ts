// Entry of the child process that unpacks an untrusted library archive. It writes only files with names that an export
// uses, below its own folder, and checks size limits while inflating.

import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32 } from "node:zlib";
import { type Entry, openPromise } from "yauzl";
import { z } from "zod";
import { serveTask } from "../../processes/serve-task.ts";
import { AppError, toStorageError, storageFullError } from "../../contract/errors.ts";
import { type StoredPerson, storedPerson } from "../../contract/people.ts";
import { type VocabularyEntry, vocabulary } from "../../contract/vocabulary.ts";
import { mkdir, openForWriting } from "../../storage/disk.ts";
import { validateStagedItem } from "./staged-item.ts";

export type UnpackTask = {
  archivePath: string;
  toDir: string;
  /** Total of all files. */ maxBytes: number;
};
export type UnpackProgress = { done: number; total: number };
/** Ids of items that staged-item.ts can import, and names of those that are invalid. */
export type Unpacked = {
  ids: string[];
  failed: string[];
  pronunciations: VocabularyEntry[];
  people: StoredPerson[];
};

const maxEntries = 2_000_000;
/** For a transcript or script: a recording of a whole day has about 40 MB. */
const maxJsonBytes = 64 * 2 ** 20;
/** Reported during large files too, so that the stall timeout does not end the task. */
const progressIntervalMs = 1000;

const libraryName = "library.json";
const jsonNames: ReadonlySet<string> = new Set(["item.json", "document.json", "narration.json"]);
const safeFileName = /^[\w-][\w.-]{0,99}$/;

const librarySchema = z.object({
  pronunciations: vocabulary.shape.entries,
  people: z.array(storedPerson).max(1000).default([]),
});

serveTask<UnpackTask, UnpackProgress>(
  async ({ archivePath, toDir, maxBytes }, onProgress): Promise<Unpacked> => {
    let progress: UnpackProgress = { done: 0, total: 0 };
    let reportedAtMs = 0;
    function reportProgress(): void {
      reportedAtMs = performance.now();
      onProgress(progress);
    }
    const reportProgressIfDue = (): void => {
      if (performance.now() - reportedAtMs > progressIntervalMs) reportProgress();
    };
    await unpackArchive(archivePath, toDir, maxBytes, reportProgressIfDue, (done, total) => {
      progress = { done, total };
      if (done % 20 === 0 || done === total) reportProgress();
    });
    const unpacked: Unpacked = { ids: [], failed: [], pronunciations: [], people: [] };
    for (const entry of await readdir(toDir, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const isChecked = await succeeds(() =>
        validateStagedItem(join(toDir, entry.name), entry.name),
      );
      unpacked[isChecked ? "ids" : "failed"].push(entry.name);
      reportProgressIfDue();
    }
    if (existsSync(join(toDir, libraryName))) {
      const isRead = await succeeds(async () => {
        Object.assign(
          unpacked,
          librarySchema.parse(JSON.parse(await readFile(join(toDir, libraryName), "utf8"))),
        );
      });
      if (!isRead) unpacked.failed.push(libraryName);
    }
    return unpacked;
  },
);

/** @returns false if the content is invalid @throws if the disk rejects writes */
async function succeeds(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (toStorageError(error) !== undefined) throw error;
    return false;
  }
}

async function unpackArchive(
  archivePath: string,
  toDir: string,
  maxBytes: number,
  onBytes: () => void,
  onEntry: (done: number, total: number) => void,
): Promise<void> {
  let remainingBytes = maxBytes;
  const zip = await openPromise(archivePath, { lazyEntries: true, strictFileNames: true }).catch(
    (error: unknown) => Promise.reject(toArchiveError(error)),
  );
  try {
    if (zip.entryCount > maxEntries) throw new AppError("archive.tooManyFiles");
    let done = 0;
    for await (const entry of zip.eachEntry()) {
      const path = toTargetPath(entry.fileName);
      if (path !== undefined)
        remainingBytes -= await unpack(
          entry,
          join(toDir, ...path),
          Math.min(
            remainingBytes,
            path.at(-1)?.endsWith(".json") === true ? maxJsonBytes : Infinity,
          ),
        );
      done += 1;
      onEntry(done, zip.entryCount);
    }
  } catch (error) {
    throw toArchiveError(error);
  } finally {
    zip.close();
  }

  async function unpack(entry: Entry, path: string, limitBytes: number): Promise<number> {
    if (entry.uncompressedSize > limitBytes) throw tooLargeError(limitBytes);
    await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
    let sizeBytes = 0;
    let crc = 0;
    const byteCounter = new Transform({
      transform(chunk: Buffer, _, next) {
        sizeBytes += chunk.length;
        crc = crc32(chunk, crc);
        onBytes();
        next(sizeBytes > limitBytes ? tooLargeError(limitBytes) : null, chunk);
      },
    });
    const file = await openForWriting(path, "wx", 0o600);
    await pipeline(await zip.openReadStreamPromise(entry), byteCounter, file.createWriteStream());
    if (crc !== entry.crc32) throw new AppError("archive.checksum");
    return sizeBytes;
  }

  function tooLargeError(limitBytes: number): AppError {
    return limitBytes < remainingBytes ? new AppError("archive.textTooLarge") : storageFullError();
  }
}

/** Maps `<title> <id>/item.json` or `<title> <id>/files/source.mp3` to a target path; undefined for other names. */
function toTargetPath(name: string): string[] | undefined {
  if (name === libraryName) return [name];
  const [folder = "", ...rest] = name.split("/");
  const id = /(?:^| )([0-9a-f]{16})$/.exec(folder)?.[1];
  if (id === undefined || rest.length === 0 || !rest.every((part) => safeFileName.test(part)))
    return undefined;
  const [first = "", ...subPath] = rest;
  if (first === "files")
    return subPath.length === 0 || subPath.length > 3 ? undefined : [id, "files", ...subPath];
  return subPath.length === 0 && jsonNames.has(first) ? [id, first] : undefined;
}

/** Error codes if two entries have the same name, or one is a file and the other a folder. */
const nameClashCodes: ReadonlySet<unknown> = new Set(["EEXIST", "EISDIR", "ENOTDIR"]);

function toArchiveError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (nameClashCodes.has(code)) return new AppError("archive.nameClash");
  if (code?.startsWith("E") === true) return error;
  return new AppError("archive.unreadable", { why: message });
}

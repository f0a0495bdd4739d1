// Files of a ZIP or TAR archive, one after the other as streams. Names and sizes are as untrusted as the content.

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { crc32, createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import unbzip2Stream from "unbzip2-stream";
import { type Entry, openPromise } from "yauzl";
import { AppError } from "../../contract/errors.ts";
import { archiveStartBytes } from "../../contract/model-downloads.ts";

export type ArchiveEntry = {
  name: string;
  /** Has to be read before the next entry. */
  bytes: AsyncIterable<Uint8Array>;
};

/** Only regular files: links and devices are left out. @throws AppError, and errors of the disk */
export async function* archiveEntries(
  path: string,
  onRead: (bytes: number) => void,
): AsyncGenerator<ArchiveEntry> {
  for await (const { name, bytes } of withArchiveErrors(openEntries(path, onRead)))
    yield { name, bytes: withArchiveErrors(bytes) };
}

async function* openEntries(
  path: string,
  onRead: (bytes: number) => void,
): AsyncGenerator<ArchiveEntry> {
  const format = archiveFormat(await readStart(path));
  if (format === "zip") yield* zipEntries(path, onRead);
  else yield* tarEntries(path, format, onRead);
}

async function* withArchiveErrors<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw toArchiveError(error);
  }
}

const unsafeNameError = (name: string): AppError =>
  new AppError("modelImport.unsafe", { name: name.slice(0, 100) });

async function* zipEntries(
  path: string,
  onRead: (bytes: number) => void,
): AsyncGenerator<ArchiveEntry> {
  const zip = await openPromise(path, { lazyEntries: true });
  try {
    for await (const entry of zip.eachEntry()) {
      const isFile = !entry.fileName.endsWith("/") && !isLink(entry.externalFileAttributes >>> 16);
      if (isFile) yield { name: entry.fileName, bytes: readEntry(entry) };
      onRead(entry.compressedSize);
    }
  } finally {
    zip.close();
  }

  async function* readEntry(entry: Entry): AsyncGenerator<Uint8Array> {
    let checksum = 0;
    for await (const bytes of await zip.openReadStreamPromise(entry)) {
      checksum = crc32(bytes as Uint8Array, checksum);
      yield bytes as Uint8Array;
    }
    if (checksum !== entry.crc32) throw new Error("wrong checksum");
  }
}

/** The type in the mode of a Unix file. */
const isLink = (mode: number): boolean => (mode & 0o170000) === 0o120000;

async function* tarEntries(
  path: string,
  format: "tar" | "gzip" | "bzip2",
  onRead: (bytes: number) => void,
): AsyncGenerator<ArchiveEntry> {
  const source = createReadStream(path, { highWaterMark: 2 ** 18 });
  source.on("data", (chunk) => onRead(chunk.length));
  const entries = extract();
  const unpacked =
    format === "tar"
      ? pipeline(source, entries)
      : pipeline(source, format === "gzip" ? createGunzip() : unbzip2Stream(), entries);
  // The loop throws the same error.
  unpacked.catch(() => {});
  for await (const entry of entries) {
    if (entry.header.type === "file" || entry.header.type === "contiguous-file")
      yield { name: entry.header.name, bytes: entry as AsyncIterable<Uint8Array> };
    entry.resume();
  }
  await unpacked;
}

async function readStart(path: string): Promise<Buffer> {
  const file = await open(path, "r");
  const start = Buffer.alloc(archiveStartBytes);
  await file.read(start).finally(() => file.close());
  return start;
}

/** @param start the first `archiveStartBytes` of the archive @throws AppError */
export function archiveFormat(start: Buffer): "zip" | "tar" | "gzip" | "bzip2" {
  const startsWith = (magic: string, at = 0): boolean =>
    start.toString("latin1", at, at + magic.length) === magic;
  if (startsWith("PK\u0003\u0004")) return "zip";
  if (startsWith("\u001f\u008b")) return "gzip";
  if (startsWith("BZh")) return "bzip2";
  if (startsWith("ustar", 257)) return "tar";
  throw new AppError("modelImport.format");
}

function toArchiveError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  // yauzl refuses such names itself.
  const unsafeName = /^(?:invalid relative path|absolute path): (.*)$/.exec(message)?.[1];
  if (unsafeName !== undefined) return unsafeNameError(unsafeName);
  if (code?.startsWith("E") === true && !code.startsWith("ERR_")) return error;
  // unbzip2-stream reads past the end of incomplete data.
  const why = error instanceof TypeError ? "unexpected end of data" : message || "damaged data";
  return new AppError("modelImport.unreadable", { why });
}

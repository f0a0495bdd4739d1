// Reads files of a ZIP archive one at a time with yauzl. Counts bytes while inflating, since the sizes in the archive
// cannot be trusted.

import { fromBufferPromise, type Entry } from "yauzl";
import { AppError } from "../../contract/errors.ts";
import { decodeText } from "../../text/script/import-text.ts";

export type Archive = {
  readonly names: readonly string[];
  /** undefined if no file has that name. @throws AppError `file_too_large`; Error if it is damaged */
  read(name: string): Promise<Uint8Array | undefined>;
  close(): void;
};

export type ArchiveLimits = {
  maxEntries: number;
  /** Total of all files that are read, unpacked. */
  maxBytes: number;
};

/** @throws AppError `file_too_large`; Error if it is damaged */
export async function openArchive(
  bytes: Uint8Array,
  { maxEntries, maxBytes }: ArchiveLimits,
): Promise<Archive> {
  const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), {
    lazyEntries: true,
    autoClose: false,
  });
  if (zip.entryCount > maxEntries) throw tooLargeError();
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry())
    if (!entries.has(entry.fileName)) entries.set(entry.fileName, entry);
  let remainingBytes = maxBytes;
  return {
    names: [...entries.keys()],
    async read(name) {
      const entry = entries.get(name);
      if (entry === undefined) return undefined;
      const chunks: Buffer[] = [];
      const stream = await zip.openReadStreamPromise(entry);
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        remainingBytes -= chunk.length;
        if (remainingBytes < 0) throw tooLargeError();
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    },
    close: () => zip.close(),
  };
}

const tooLargeError = (): AppError => new AppError("document.tooLargeUnpacked");

/** Empty if the archive has no such file. */
export async function readArchiveText(archive: Archive, path: string): Promise<string> {
  const file = await archive.read(path);
  return file === undefined ? "" : decodeText(file);
}

/** With a slash at its end; empty at the top. */
export const parentFolder = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

/** Path in the archive, from an address relative to `base`, which ends with `/` or is empty. */
export function resolvePath(base: string, href: string): string {
  try {
    return decodeURIComponent(
      new URL(
        href,
        `archive:///${base.split("/").map(encodeURIComponent).join("/")}`,
      ).pathname.slice(1),
    );
  } catch {
    return "";
  }
}

// Writes an EPUB file: its texts compressed, audio and pictures as they are, the media type first and uncompressed (OCF
// 3.3, section 4). Streams the audio, since that of a book does not fit into memory.

import { createReadStream } from "node:fs";
import { strToU8, Zip, ZipDeflate, ZipPassThrough } from "fflate";
import { openForWriting } from "../storage/disk.ts";
import { epubMimeType } from "./epub.ts";

export type EpubContent = {
  /** Path in the book → content. */
  readonly texts: ReadonlyMap<string, string>;
  readonly cover?: { readonly path: string; readonly bytes: Uint8Array } | undefined;
  /** Path in the book → file, of up to 4 GB together. */
  readonly audio: ReadonlyMap<string, string>;
};

/** @throws the signal's reason, and errors of the disk */
export async function writeEpub(
  path: string,
  { texts, cover, audio }: EpubContent,
  signal: AbortSignal,
): Promise<void> {
  const file = await openForWriting(path, "wx", 0o600);
  try {
    let chunks: Uint8Array[] = [];
    let failure: Error | undefined;
    const zip = new Zip((error, chunk) => {
      failure ??= error ?? undefined;
      if (error === null) chunks.push(chunk);
    });
    const flush = async (): Promise<void> => {
      signal.throwIfAborted();
      if (failure !== undefined) throw failure;
      const written = Buffer.concat(chunks);
      chunks = [];
      await file.writeFile(written);
    };
    const store = (name: string, bytes: Uint8Array): void => {
      const entry = new ZipPassThrough(name);
      zip.add(entry);
      entry.push(bytes, true);
    };
    store("mimetype", strToU8(epubMimeType));
    for (const [name, text] of texts) {
      const entry = new ZipDeflate(name);
      zip.add(entry);
      entry.push(strToU8(text), true);
      await flush();
    }
    if (cover !== undefined) store(cover.path, cover.bytes);
    for (const [name, audioPath] of audio) {
      const entry = new ZipPassThrough(name);
      zip.add(entry);
      for await (const bytes of createReadStream(audioPath)) {
        entry.push(bytes as Uint8Array);
        await flush();
      }
      entry.push(new Uint8Array(), true);
    }
    zip.end();
    await flush();
  } finally {
    await file.close();
  }
}

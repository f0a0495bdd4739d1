// Stores an uploaded media file as a new item that waits for its transcription.

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Item } from "../../contract/library-item.ts";
import type { TranscribeOptions } from "../../contract/transcript-document.ts";
import type { Documents } from "../../library/documents.ts";
import type { Items } from "../../library/items.ts";
import { openForWriting } from "../../storage/disk.ts";
import { emptyTranscript } from "./empty-transcript.ts";
import type { Media } from "./media.ts";

export type Upload = {
  /** Name of the user's file. */
  name: string;
  options: TranscribeOptions;
  /** The next bytes; undefined at the end. */
  next(): Promise<Uint8Array | undefined>;
};

export type StoreUploadDeps = {
  items: Items;
  documents: Documents;
  media: Media;
  tempDir: () => string;
};

/** @throws AppError if it is not a media file; nothing is stored then */
export async function storeUpload(
  { items, documents, media, tempDir }: StoreUploadDeps,
  { name, options, next }: Upload,
  signal: AbortSignal,
): Promise<Item> {
  const path = join(tempDir(), `media-${randomUUID()}`);
  try {
    await receive(path, next);
    const { durationSec = 0 } = await media.probe(path, signal);
    return await items.createWithFiles(
      { kind: "transcript", title: titleOf(name), source: "file", durationSec },
      (folder) => media.moveToItem(folder, path, extensionOf(name)),
      (id) => void documents.save(id, emptyTranscript(options, durationSec)),
    );
  } finally {
    await rm(path, { force: true });
  }
}

/** Writes the upload to a file. It is on disk when this resolves. */
async function receive(path: string, next: Upload["next"]): Promise<void> {
  const file = await openForWriting(path, "wx");
  try {
    for (let bytes = await next(); bytes !== undefined; bytes = await next())
      await file.appendFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** File name without its last extension. */
function titleOf(name: string): string {
  const baseName = name.split(/[\\/]/).at(-1) ?? "";
  const extension = extname(baseName);
  return (baseName.slice(0, baseName.length - extension.length).trim() || "Untitled").slice(0, 300);
}

/** Only characters that every file system supports. */
const extensionOf = (name: string): string =>
  /\.[a-z0-9]{1,8}$/i.exec(name)?.[0].toLowerCase() ?? ".media";

// A transcript as a file. An HTML file has the recording in it, or as a file beside it where that would be too large.

import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { extname } from "node:path";
import {
  maxEmbeddedSoundBytes,
  type TranscriptExport,
  type TranscriptExportOptions,
} from "../../contract/transcript-export.ts";
import type { Media } from "../../jobs/transcription/media.ts";
import type { ZipEntry } from "../../library/archive/zip.ts";
import type { Items } from "../../library/items.ts";
import type { AsyncLibraryTasks } from "../../library/library-tasks.ts";

export type TranscriptFileDeps = {
  items: Items;
  tasks: Pick<AsyncLibraryTasks, "exportTranscript">;
  media: Pick<Media, "playable">;
};

/** Stands for the recording until its bytes are put there. */
const soundMarker = "hearsay-sound-goes-here";

/**
 * @param name of the files, without extension
 * @returns the transcript, and the recording if that is a file of its own
 */
export async function createTranscriptFile(
  { items, tasks, media }: TranscriptFileDeps,
  { itemId, name }: { itemId: string; name: string },
  format: TranscriptExport,
  options?: TranscriptExportOptions,
): Promise<{ entry: ZipEntry; bytes: Uint8Array<ArrayBuffer>; sound?: ZipEntry }> {
  const { title, changedAtMs } = items.read(itemId);
  const sound = format === "html" ? await findSound({ items, media }, itemId) : undefined;
  const soundName = `${name}${extname(sound?.path ?? "")}`;
  const isEmbedded = sound !== undefined && sound.sizeBytes <= maxEmbeddedSoundBytes;
  const soundUrl =
    sound === undefined ? undefined : isEmbedded ? soundMarker : encodeURIComponent(soundName);
  const file = await tasks.exportTranscript(itemId, title, format, options, soundUrl);
  const bytes = isEmbedded ? await embedSound(file, sound) : file;
  const entry = createBytesEntry(`${name}.${format}`, changedAtMs, bytes);
  if (sound === undefined || isEmbedded) return { entry, bytes };
  const { path, sizeBytes } = sound;
  return {
    entry,
    bytes,
    sound: {
      name: soundName,
      modifiedAtMs: changedAtMs,
      sizeBytes,
      isCompressed: false,
      bytes: () => createReadStream(path, { end: sizeBytes - 1 }),
    },
  };
}

type Sound = { path: string; type: string; sizeBytes: number };

/** Undefined if the item has none, or none any more. */
async function findSound(
  { items, media }: Pick<TranscriptFileDeps, "items" | "media">,
  itemId: string,
): Promise<Sound | undefined> {
  if (!items.read(itemId).hasMedia) return undefined;
  const { path, type } = await media.playable(itemId);
  const { size } = await stat(path);
  return size === 0 ? undefined : { path, type, sizeBytes: size };
}

async function embedSound(
  html: Uint8Array,
  { path, type }: Sound,
): Promise<Uint8Array<ArrayBuffer>> {
  const page = Buffer.from(html.buffer, html.byteOffset, html.length);
  // The page's own element comes before any text, except for the title, in which the quotes would be escaped.
  const markerAt = page.indexOf(`"${soundMarker}"`) + 1;
  return Buffer.concat([
    page.subarray(0, markerAt),
    Buffer.from(`data:${type};base64,${(await readFile(path)).toString("base64")}`),
    page.subarray(markerAt + soundMarker.length),
  ]);
}

export function createBytesEntry(
  name: string,
  modifiedAtMs: number,
  content: string | Uint8Array,
): ZipEntry {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return {
    name,
    modifiedAtMs,
    sizeBytes: bytes.length,
    isCompressed: true,
    bytes: () => singleChunk(bytes),
  };
}

export async function* singleChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

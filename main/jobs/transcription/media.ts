// Audio files in an item's folder: `source.…` is the upload or recording, `copy.ogg` a copy if browsers cannot play the
// source, `peaks.bin` the waveform. The last two are created in the background, and again if missing.

import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { sniffBytes, sniffContainer } from "../../audio/codec/formats.ts";
import { playableMediaType } from "../../audio/codec/browser-playback.ts";
import { AppError } from "../../contract/errors.ts";
import type { Pool } from "../../engines/pool/pool.ts";
import type { Items } from "../../library/items.ts";
import { copyFile, link, rename } from "../../storage/disk.ts";
import type { RetriedWrites } from "../../storage/retried-writes.ts";
import { copyName, peaksName, preparePlayback } from "./prepare-playback.ts";

export type Media = {
  /** @throws AppError `not_found` if the item has no audio */
  source(itemId: string): Promise<string>;
  /** Moves a file into the folder of an item; `extension` includes the dot, as in `.mp3`. */
  moveToItem(folder: string, path: string, extension: string): Promise<void>;
  /** Links or copies the audio files into the folder of another item. */
  linkToItem(fromId: string, toFolder: string): Promise<void>;
  /** Reads duration and format. @throws AppError if the file cannot be decoded */
  probe(
    path: string,
    signal: AbortSignal,
  ): Promise<{ durationSec: number | undefined; isPlayable: boolean }>;
  /** Creates missing copy and peaks, and stores the exact duration. Concurrent calls share one run. */
  prepare(itemId: string): Promise<void>;
  /** A file that browsers can play. */
  playable(itemId: string): Promise<{ path: string; type: string }>;
  peaks(itemId: string): Promise<string>;
  close(): Promise<void>;
};

export function createMedia({
  items,
  pool,
  writes,
}: {
  items: Items;
  pool: Pool;
  writes: RetriedWrites;
}): Media {
  const preparing = new Map<string, Promise<void>>();
  const closing = new AbortController();

  async function source(itemId: string): Promise<string> {
    const folder = items.folder(items.read(itemId).id);
    const name = (await readdir(folder)).find((file) => file.startsWith("source."));
    if (name === undefined) throw new AppError("item.noAudio", {}, { param: "id" });
    return join(folder, name);
  }

  async function prepareFiles(itemId: string): Promise<void> {
    const files = { mediaPath: await source(itemId), folder: items.folder(itemId) };
    const durationSec = await preparePlayback(pool, files, closing.signal);
    await writes.run(() => items.change(itemId, { durationSec, hasMedia: true }), closing.signal);
    await writes.run(() => items.updateSize(itemId), closing.signal);
  }

  function prepare(itemId: string): Promise<void> {
    const preparation =
      preparing.get(itemId) ?? prepareFiles(itemId).finally(() => preparing.delete(itemId));
    preparing.set(itemId, preparation);
    return preparation;
  }

  /** Path of a file in the item's folder; undefined if it does not exist. */
  async function findFile(itemId: string, name: string): Promise<string | undefined> {
    const folder = items.folder(items.read(itemId).id);
    return (await readdir(folder)).includes(name) ? join(folder, name) : undefined;
  }

  return {
    source,
    moveToItem: (folder, path, extension) => rename(path, join(folder, `source${extension}`)),
    async linkToItem(fromId, to) {
      const from = items.folder(fromId);
      const shared = (await readdir(from)).filter(
        (name) => name.startsWith("source.") || name === peaksName || name === copyName,
      );
      // Hard links where the file system supports them: these files are never modified.
      for (const name of shared)
        await link(join(from, name), join(to, name)).catch(() =>
          copyFile(join(from, name), join(to, name)),
        );
    },
    probe: (mediaPath, signal) => pool.job(signal).run("probe", { mediaPath }),
    prepare,
    async playable(itemId) {
      if (!items.read(itemId).hasMedia) await prepare(itemId);
      const path = (await findFile(itemId, copyName)) ?? (await source(itemId));
      return {
        path,
        type:
          playableMediaType(sniffContainer(await readHeader(path))) ?? "application/octet-stream",
      };
    },
    async peaks(itemId) {
      const path = await findFile(itemId, peaksName);
      if (path !== undefined) return path;
      await prepare(itemId);
      return join(items.folder(itemId), peaksName);
    },
    async close() {
      closing.abort(new AppError("closing"));
      await Promise.allSettled(preparing.values());
    },
  };
}

async function readHeader(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sniffBytes), 0, sniffBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

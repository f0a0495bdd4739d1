// Audio files in an item's folder: `source.…` is the upload or recording, `copy.ogg` a copy if browsers cannot play the
// source, `peaks.bin` the waveform. The last two are created in the background, and again if missing.

import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { sniffBytes, sniffContainer } from "../../audio/codec/formats.ts";
import { playableMediaType } from "../../audio/codec/browser-playback.ts";
import { createChildLossCheck } from "../../engines/pool/retry-on-child-loss.ts";
import { AppError } from "../../contract/errors.ts";
import type { Pool } from "../../engines/pool/pool.ts";
import type { Items } from "../../library/items.ts";
import { copyFile, link, rename } from "../../storage/disk.ts";
import type { RetriedWrites } from "../../storage/retried-writes.ts";

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

const windowSec = 120;
const peaksName = "peaks.bin";
const copyName = "copy.ogg";

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

  async function preparePlayback(itemId: string): Promise<void> {
    const mediaPath = await source(itemId);
    const folder = items.folder(itemId);
    const job = pool.job(closing.signal);
    const { isPlayable } = await job.run("probe", { mediaPath });
    // Written under a temporary name and renamed when complete.
    const outputs = [peaksName, ...(isPlayable ? [] : [copyName])].map((name) => ({
      path: join(folder, name),
      part: join(folder, `${name}.part`),
    }));
    const [peaks, copy] = outputs;
    const restart = createChildLossCheck(() => new AppError("file.undecodable"));
    let durationSec: number | undefined;
    while (durationSec === undefined) {
      const child = job.pin();
      const { session } = child;
      try {
        await child.run("prepare-playback.open", {
          session,
          mediaPath,
          peaksPath: peaks?.part ?? "",
          ...(copy === undefined ? {} : { copyPath: copy.part }),
        });
        let step = await child.run("prepare-playback.step", { session, windowSec });
        while (!step.ended) step = await child.run("prepare-playback.step", { session, windowSec });
        durationSec = step.doneSec;
      } catch (error) {
        restart(error);
      } finally {
        child.release();
      }
    }
    for (const { path, part: partialPath } of outputs) await rename(partialPath, path);
    await writes.run(() => items.change(itemId, { durationSec, hasMedia: true }), closing.signal);
    await writes.run(() => items.updateSize(itemId), closing.signal);
  }

  /** Partial files would waste space on a full disk. */
  async function removePartialFiles(itemId: string): Promise<void> {
    await Promise.all(
      [peaksName, copyName].map((name) =>
        rm(join(items.folder(itemId), `${name}.part`), { force: true }),
      ),
    );
  }

  function prepare(itemId: string): Promise<void> {
    const preparation =
      preparing.get(itemId) ??
      preparePlayback(itemId)
        .catch(async (error: unknown) => {
          await removePartialFiles(itemId).catch(() => {});
          throw error;
        })
        .finally(() => preparing.delete(itemId));
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

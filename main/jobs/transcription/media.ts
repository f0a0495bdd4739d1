// The sound of an item as it lies in its folder: `source.…`, the file that came or was recorded; `copy.ogg` where
// browsers do not play that one; `peaks.bin`, its picture. The last two are made in the background, and again if need be.

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
  /** @throws AppError `not_found` where the item has no sound */
  source(itemId: string): Promise<string>;
  /** Moves a file into the folder of an item; `extension` as in `.mp3`. */
  moveToItem(folder: string, path: string, extension: string): Promise<void>;
  /** Gives the folder of another item the same sound. */
  linkToItem(fromId: string, toFolder: string): Promise<void>;
  /** What the file says of itself. @throws AppError where it cannot be decoded */
  probe(
    path: string,
    signal: AbortSignal,
  ): Promise<{ durationSec: number | undefined; isPlayable: boolean }>;
  /** Makes what is not there yet, and tells the item's true length. Waits for the same where it is under way. */
  prepare(itemId: string): Promise<void>;
  /** Something that browsers play. */
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
    if (name === undefined)
      throw new AppError("not_found", "This item has no sound.", { param: "id" });
    return join(folder, name);
  }

  async function preparePlayback(itemId: string): Promise<void> {
    const mediaPath = await source(itemId);
    const folder = items.folder(itemId);
    const job = pool.job(closing.signal);
    const { isPlayable } = await job.run("probe", { mediaPath });
    // Half of a file must not be taken for the whole: they get their names when they are done.
    const outputs = [peaksName, ...(isPlayable ? [] : [copyName])].map((name) => ({
      path: join(folder, name),
      part: join(folder, `${name}.part`),
    }));
    const [peaks, copy] = outputs;
    const restart = createChildLossCheck(
      () => new AppError("undecodable_audio", "The file could not be decoded."),
    );
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

  /** Half of a file that had no room is not left on a full disk. */
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

  /** A file beside the sound; undefined where it is not there. */
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
      // One file under two names, where the disk can do that: nothing ever writes to either.
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
      closing.abort(new AppError("closing", "Hearsay is shutting down."));
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

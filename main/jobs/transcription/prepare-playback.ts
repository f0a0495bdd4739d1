// Creates what playback needs beside the source: the waveform, and a copy if browsers cannot play the source.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { PinnedChild, Pool } from "../../engines/pool/pool.ts";
import { rename } from "../../storage/disk.ts";

/** Unsigned bytes: minimum and maximum per 10 ms. */
export const peaksName = "peaks.bin";
export const copyName = "copy.ogg";

const windowSec = 120;

/** @returns the exact duration in seconds. On failure, nothing is left in the folder */
export async function preparePlayback(
  pool: Pool,
  { mediaPath, folder }: { mediaPath: string; folder: string },
  signal: AbortSignal,
): Promise<number> {
  const job = pool.job(signal);
  // Written under a temporary name and renamed when complete.
  const peaks = { path: join(folder, peaksName), partialPath: join(folder, `${peaksName}.part`) };
  const copy = { path: join(folder, copyName), partialPath: join(folder, `${copyName}.part`) };

  async function decode(child: PinnedChild, isPlayable: boolean): Promise<number> {
    const { session } = child;
    await child.run("prepare-playback.open", {
      session,
      mediaPath,
      peaksPath: peaks.partialPath,
      ...(isPlayable ? {} : { copyPath: copy.partialPath }),
    });
    let step = await child.run("prepare-playback.step", { session, windowSec });
    while (!step.ended) step = await child.run("prepare-playback.step", { session, windowSec });
    return step.doneSec;
  }

  try {
    const { isPlayable } = await job.run("probe", { mediaPath });
    const durationSec = await job.runPinned(
      (child) => decode(child, isPlayable),
      () => new AppError("file.undecodable"),
    );
    for (const { path, partialPath } of isPlayable ? [peaks] : [peaks, copy])
      await rename(partialPath, path);
    return durationSec;
  } catch (error) {
    // Partial files would waste space on a full disk.
    for (const { partialPath } of [peaks, copy])
      await rm(partialPath, { force: true }).catch(() => {});
    throw error;
  }
}

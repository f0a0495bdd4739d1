// Tells the speakers of a file apart, whoever transcribes it: one child decodes it, all children analyze its windows,
// and one brings them together.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../contract/errors.ts";
import type { InstalledModel } from "../contract/models.ts";
import type {
  FindSpeakers,
  FollowSpeakers,
  GrowingRecording,
  SpeakerCount,
  Speakers,
} from "../contract/speakers.ts";
import type { TranscriptionJob } from "../contract/speech.ts";
import type { DiarizedWindow } from "../engines/diarization/diarizer.ts";
import { windowCount } from "../engines/diarization/windows.ts";
import type { Pool, PoolJob } from "../engines/pool/pool.ts";
import { createChildLossCheck } from "../engines/pool/retry-on-child-loss.ts";
import { mkdtemp } from "../storage/disk.ts";
import { mediaFile } from "../storage/media-file.ts";

export type DiarizationDeps = {
  pool: Pool;
  vad: InstalledModel;
  /** The model that tells speakers apart, if it is on this machine. */
  diarizer(): InstalledModel | undefined;
  tempDir: () => string;
};

type Media = Pick<TranscriptionJob, "mediaPath" | "mediaBytes">;

export type Diarization = {
  /** @throws AppError if this installation cannot tell speakers apart */
  check(): void;
  readonly findSpeakers: FindSpeakers;
  readonly followSpeakers: FollowSpeakers;
};

export function createDiarization({ diarizer, ...deps }: DiarizationDeps): Diarization {
  function requireModel(): InstalledModel {
    const model = diarizer();
    if (model === undefined || model.damaged !== undefined)
      throw new AppError("model.noDiarization", {}, { param: "response_format" });
    return model;
  }
  return {
    check: () => void requireModel(),
    findSpeakers: async (media, count, signal) =>
      findSpeakers({ ...deps, model: requireModel() }, media, count, signal),
    followSpeakers: (recording, count, signal) =>
      followSpeakers({ pool: deps.pool, model: requireModel() }, recording, count, signal),
  };
}

/** Decoded in one task. */
const decodedSec = 120;
/** About a minute, which is analyzed in two seconds. */
const windowsPerTask = 12;

async function findSpeakers(
  { pool, vad, model, tempDir }: Omit<DiarizationDeps, "diarizer"> & { model: InstalledModel },
  media: Media,
  count: SpeakerCount,
  signal: AbortSignal,
): Promise<Speakers> {
  const stop = new AbortController();
  const poolJob = pool.job(AbortSignal.any([signal, stop.signal]));
  const folder = await mkdtemp(join(tempDir(), "speakers-"));
  try {
    const parts: Promise<DiarizedWindow[]>[] = [];
    let submitted = 0;
    let durationSec = 0;
    for await (const decoded of decode(poolJob, vad, await mediaFile(media), folder)) {
      ({ durationSec } = decoded);
      // What the last window counts for depends on where the file ends.
      const end = windowCount(durationSec) - (decoded.ended ? 0 : 1);
      while (decoded.ended ? submitted < end : end - submitted >= windowsPerTask) {
        const endWindow = Math.min(end, submitted + windowsPerTask);
        const part = poolJob.run("diarize", {
          model,
          pcmPath: decoded.pcmPath,
          firstWindow: submitted,
          endWindow,
          durationSec,
        });
        // A rejection is reported when all are awaited.
        part.catch(() => {});
        parts.push(part);
        submitted = endWindow;
      }
    }
    const windows = (await Promise.all(parts)).flat();
    return await poolJob.run("join-speakers", { windows, durationSec, count });
  } finally {
    stop.abort();
    // Retries, because a cancelled task may still be reading its last window.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function followSpeakers(
  { pool, model }: { pool: Pool; model: InstalledModel },
  { path, headerBytes }: GrowingRecording,
  count: SpeakerCount,
  signal: AbortSignal,
): (durationSec: number) => Promise<Speakers> {
  const poolJob = pool.job(signal);
  const windows: DiarizedWindow[] = [];
  return async (durationSec) => {
    const diarize = (firstWindow: number, endWindow: number): Promise<DiarizedWindow[]> =>
      poolJob.run("diarize", {
        model,
        pcmPath: path,
        firstWindow,
        endWindow,
        durationSec,
        headerBytes,
      });
    const last = windowCount(durationSec) - 1;
    while (windows.length < last)
      windows.push(
        ...(await diarize(windows.length, Math.min(last, windows.length + windowsPerTask))),
      );
    // The last window grows.
    const all = [...windows, ...(await diarize(last, last + 1))];
    return poolJob.run("join-speakers", { windows: all, durationSec, count });
  };
}

/** Yields how much is decoded, step by step; a lost child is replaced, and decodes into a file of its own. */
async function* decode(
  poolJob: PoolJob,
  vad: InstalledModel,
  mediaPath: string,
  folder: string,
): AsyncGenerator<{ pcmPath: string; durationSec: number; ended: boolean }, void, undefined> {
  const checkRestart = createChildLossCheck(
    () => new AppError("audio.undecodable", {}, { param: "file" }),
  );
  for (let attempt = 1; ; attempt += 1) {
    const pinned = poolJob.pin();
    const { session } = pinned;
    const pcmPath = join(folder, `attempt-${attempt}.pcm`);
    try {
      await pinned.run("segment.open", { session, vad, mediaPath, pcmPath });
      for (let ended = false; !ended;) {
        const step = await pinned.run("segment.step", { session, windowSec: decodedSec });
        ({ ended } = step);
        yield { pcmPath, durationSec: step.processedSec, ended };
      }
      return;
    } catch (error) {
      checkRestart(error);
    } finally {
      pinned.release();
    }
  }
}

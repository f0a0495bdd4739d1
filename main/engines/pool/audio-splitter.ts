// A part of a media file as WAV files of a bounded length, cut where it is quiet, one at a time.

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createChildLossCheck } from "./retry-on-child-loss.ts";
import { AppError } from "../../contract/errors.ts";
import type { ModelBundle } from "../../contract/speech.ts";
import type { Pool } from "./pool.ts";

/** A file that is there until the next one is asked for; times are places in the whole. */
export type AudioPart = { path: string; fromSec: number; toSec: number };
export type SplitOptions = {
  mediaPath: string;
  fromSec: number;
  /** Optional; default the end. */
  toSec?: number | undefined;
  maxSec: number;
  /** What is silent for long is left out, as this model hears it. */
  vad?: ModelBundle;
};

/** What no model hears anything in, and most refuse. */
const minPartSec = 0.1;

/** @throws AppError where the file cannot be decoded, or `signal` is aborted */
export async function* splitAudio(
  pool: Pool,
  tempDir: () => string,
  { mediaPath, fromSec, toSec, maxSec, vad }: SplitOptions,
  signal: AbortSignal,
): AsyncGenerator<AudioPart, void, undefined> {
  const job = pool.job(signal);
  const checkRestart = createChildLossCheck(
    () => new AppError("undecodable_audio", "The file could not be decoded."),
  );
  const path = join(tempDir(), `stretch-${randomUUID()}.wav`);
  let positionSec = fromSec;
  try {
    for (let ended = false; !ended;) {
      const pinned = job.pin();
      const { session } = pinned;
      try {
        await pinned.run("split.open", {
          session,
          mediaPath,
          fromSec: positionSec,
          ...(toSec === undefined ? {} : { toSec }),
          ...(vad === undefined ? {} : { vad }),
        });
        while (!ended) {
          const part = await pinned.run("split.step", { session, maxSec, wavPath: path });
          if (part.toSec - part.fromSec >= minPartSec)
            yield { path, fromSec: part.fromSec, toSec: part.toSec };
          positionSec = part.toSec;
          ended = part.ended;
        }
      } catch (error) {
        checkRestart(error);
      } finally {
        pinned.release();
      }
    }
  } finally {
    await rm(path, { force: true });
  }
}

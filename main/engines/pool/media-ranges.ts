// A part of a media file as WAV files of a bounded length, cut where it is quiet, one at a time.

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createRestarts } from "./retry-on-child-loss.ts";
import { AppError } from "../../contract/errors.ts";
import type { ModelBundle } from "../../contract/speech.ts";
import type { Pool } from "./pool.ts";

/** A file that is there until the next one is asked for; times are places in the whole. */
export type Stretch = { path: string; fromSec: number; toSec: number };
export type Part = {
  mediaPath: string;
  fromSec: number;
  /** Optional; default the end. */
  toSec?: number | undefined;
  maxSec: number;
  /** What is silent for long is left out, as this model hears it. */
  voiceActivity?: ModelBundle;
};

/** What no model hears anything in, and most refuse. */
const minSec = 0.1;

/** @throws AppError where the file cannot be decoded, or `signal` is aborted */
export async function* cutStretches(
  pool: Pool,
  tempDir: () => string,
  { mediaPath, fromSec, toSec, maxSec, voiceActivity }: Part,
  signal: AbortSignal,
): AsyncGenerator<Stretch, void, undefined> {
  const job = pool.job(signal);
  const restart = createRestarts(
    () => new AppError("undecodable_audio", "The file could not be decoded."),
  );
  const path = join(tempDir(), `stretch-${randomUUID()}.wav`);
  let place = fromSec;
  try {
    for (let ended = false; !ended;) {
      const pinned = job.pin();
      const { session } = pinned;
      try {
        await pinned.run("cut.open", {
          session,
          mediaPath,
          fromSec: place,
          ...(toSec === undefined ? {} : { toSec }),
          ...(voiceActivity === undefined ? {} : { voiceActivity }),
        });
        while (!ended) {
          const stretch = await pinned.run("cut.step", { session, maxSec, wavPath: path });
          if (stretch.toSec - stretch.fromSec >= minSec)
            yield { path, fromSec: stretch.fromSec, toSec: stretch.toSec };
          place = stretch.toSec;
          ended = stretch.ended;
        }
      } catch (error) {
        restart(error);
      } finally {
        pinned.release();
      }
    }
  } finally {
    await rm(path, { force: true });
  }
}

// Splits a range of a media file into WAV files of bounded length, one at a time, with the cuts at quiet positions.

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createChildLossCheck } from "./retry-on-child-loss.ts";
import { AppError } from "../../contract/errors.ts";
import type { InstalledModel } from "../../contract/models.ts";
import type { AudioPart } from "../../contract/speech.ts";
import type { TaskRunner } from "./task-runner.ts";

export type SplitOptions = {
  mediaPath: string;
  fromSec: number;
  /** Default: the end of the file. */
  toSec?: number | undefined;
  maxSec: number;
  /** If given, long silence is left out, as found by this VAD model. */
  vad?: InstalledModel;
  /** Index of the only channel that is read; default: the mean of all. */
  channel?: number | undefined;
};

/** Shorter parts are skipped: models find nothing in them, and most providers refuse them. */
const minPartSec = 0.1;

/** @throws AppError if the file cannot be decoded, or the job's signal is aborted */
export async function* splitAudio(
  runner: Pick<TaskRunner, "pin">,
  tempDir: string,
  { mediaPath, fromSec, toSec, maxSec, vad, channel }: SplitOptions,
): AsyncGenerator<AudioPart, void, undefined> {
  const checkRestart = createChildLossCheck(() => new AppError("file.undecodable"));
  const path = join(tempDir, `part-${randomUUID()}.wav`);
  let positionSec = fromSec;
  try {
    for (let ended = false; !ended;) {
      const pinned = runner.pin();
      const { session } = pinned;
      try {
        await pinned.run("split.open", {
          session,
          mediaPath,
          fromSec: positionSec,
          ...(toSec === undefined ? {} : { toSec }),
          ...(vad === undefined ? {} : { vad }),
          ...(channel === undefined ? {} : { channel }),
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

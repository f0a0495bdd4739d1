// Goes through a media file once, for the window: the picture of its sound, and a copy that browsers play where they
// do not play the file itself.

import { closeSync } from "node:fs";
import { openDecoder } from "../../audio/codec/decode.ts";
import { openEncoder } from "../../audio/codec/encode.ts";
import { createPeaks } from "../../audio/dsp/peaks.ts";
import { openForWritingSync, writeSync } from "../../storage/disk.ts";
import type { MediaLimits } from "./protocol.ts";
import { createTempSpace } from "./temp-space.ts";

/** What is left of speech above half of it is not missed. */
const sampleRateHz = 24_000;

export type Preparing = {
  /** About `windowSec` more. */
  step(windowSec: number, signal: AbortSignal): { doneSec: number; ended: boolean };
  close(): void;
};

/**
 * @param peaksPath gets what audio/dsp/peaks.ts makes
 * @param copyPath gets the sound as Opus in Ogg, mono; optional; without it no copy is made
 * @throws AppError where the file cannot be decoded
 */
export function openPreparing(
  mediaPath: string,
  peaksPath: string,
  copyPath: string | undefined,
  limits: MediaLimits,
): Preparing {
  const decoder = openDecoder(mediaPath, { sampleRateHz, maxDurationSec: limits.maxDurationSec });
  const space = createTempSpace(mediaPath, peaksPath, limits);
  const peaks = createPeaks(sampleRateHz);
  const peaksFile = openForWritingSync(peaksPath, "w");
  const copy =
    copyPath === undefined
      ? undefined
      : {
          file: openForWritingSync(copyPath, "w"),
          encoder: openEncoder({ format: "opus", quality: "high", sampleRateHz }),
        };
  let done = 0;
  const write = (file: number, bytes: Uint8Array): void => {
    space.add(bytes.length);
    writeSync(file, bytes);
  };
  return {
    step(windowSec, signal) {
      const until = done + windowSec * sampleRateHz;
      while (done < until) {
        signal.throwIfAborted();
        const block = decoder.read();
        if (block === undefined) {
          write(peaksFile, peaks.finish());
          if (copy !== undefined) write(copy.file, copy.encoder.finish());
          return { doneSec: done / sampleRateHz, ended: true };
        }
        done += block.length;
        write(peaksFile, peaks.push(block));
        if (copy !== undefined) write(copy.file, copy.encoder.encode(block));
      }
      return { doneSec: done / sampleRateHz, ended: false };
    },
    close() {
      decoder.close();
      closeSync(peaksFile);
      copy?.encoder.close();
      if (copy !== undefined) closeSync(copy.file);
    },
  };
}

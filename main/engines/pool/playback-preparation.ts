// Reads a media file once for the window: computes peaks for the waveform, and writes a copy that browsers can play if
// they cannot play the file itself.

import { closeSync } from "node:fs";
import { openDecoder } from "../../audio/codec/decode.ts";
import { openEncoder } from "../../audio/codec/encode.ts";
import { createPeakExtractor } from "../../audio/dsp/peaks.ts";
import { openForWritingSync, writeSync } from "../../storage/disk.ts";
import type { MediaLimits } from "./protocol.ts";
import { createTempSpace } from "./temp-space.ts";

/** Enough for speech: little of it lies above 12 kHz. */
const sampleRateHz = 24_000;

export type PlaybackPreparation = {
  /** Processes about `windowSec` more. */
  step(windowSec: number, signal: AbortSignal): { doneSec: number; ended: boolean };
  close(): void;
};

/**
 * @param peaksPath gets the output of audio/dsp/peaks.ts
 * @param copyPath gets mono Opus in Ogg; without it no copy is written
 * @throws AppError if the file cannot be decoded
 */
export function openPlaybackPreparation(
  mediaPath: string,
  peaksPath: string,
  copyPath: string | undefined,
  limits: MediaLimits,
): PlaybackPreparation {
  const decoder = openDecoder(mediaPath, { sampleRateHz, maxDurationSec: limits.maxDurationSec });
  const tempSpace = createTempSpace(mediaPath, peaksPath, limits);
  const peaks = createPeakExtractor(sampleRateHz);
  const peaksFile = openForWritingSync(peaksPath, "w");
  const copy =
    copyPath === undefined
      ? undefined
      : {
          file: openForWritingSync(copyPath, "w"),
          encoder: openEncoder({ format: "opus", quality: "high", sampleRateHz }),
        };
  let doneSamples = 0;
  const write = (file: number, bytes: Uint8Array): void => {
    tempSpace.add(bytes.length);
    writeSync(file, bytes);
  };
  return {
    step(windowSec, signal) {
      const stepEnd = doneSamples + windowSec * sampleRateHz;
      while (doneSamples < stepEnd) {
        signal.throwIfAborted();
        const block = decoder.read();
        if (block === undefined) {
          write(peaksFile, peaks.finish());
          if (copy !== undefined) write(copy.file, copy.encoder.finish());
          return { doneSec: doneSamples / sampleRateHz, ended: true };
        }
        doneSamples += block.length;
        write(peaksFile, peaks.push(block));
        if (copy !== undefined) write(copy.file, copy.encoder.encode(block));
      }
      return { doneSec: doneSamples / sampleRateHz, ended: false };
    },
    close() {
      decoder.close();
      closeSync(peaksFile);
      copy?.encoder.close();
      if (copy !== undefined) closeSync(copy.file);
    },
  };
}

// Normalizes the loudness of a whole recording in two passes: measure, then apply one gain to all of it and limit peaks
// above full scale. FFmpeg measures (EBU R 128, ITU-R BS.1770) and limits, so this must run in a child process.

import { openFilter } from "../codec/filter.ts";

/** Common loudness of audiobooks and podcasts. */
export const targetLufs = -16;
/** Encoders overshoot, so this leaves headroom below full scale. */
const ceilingDbTp = -1.5;
/** Limits the gain, so that audio without speech is not made loud. */
const maxGainDb = 30;

export type LoudnessMeter = {
  add(samples: Float32Array): void;
  /** Integrated loudness of all samples so far; undefined for silence. */
  lufs(): number | undefined;
  close(): void;
};

export function openLoudnessMeter(sampleRateHz: number): LoudnessMeter {
  const filter = openFilter([["ebur128", "metadata=1"]], sampleRateHz);
  return {
    add: (samples) => void filter.run(samples),
    lufs() {
      filter.finish();
      const lufs = Number(filter.metadata()["lavfi.r128.I"]);
      return lufs > -69 ? lufs : undefined;
    },
    close: filter.close,
  };
}

export type LoudnessNormalizer = {
  run(samples: Float32Array): Float32Array;
  finish(): Float32Array;
  close(): void;
};

/** @param measuredLufs loudness of the whole recording, from the first pass */
export function openLoudnessNormalizer(
  measuredLufs: number,
  sampleRateHz: number,
): LoudnessNormalizer {
  const gainDb = Math.min(maxGainDb, targetLufs - measuredLufs);
  const peakLimit = 10 ** (ceilingDbTp / 20);
  return openFilter(
    [
      ["volume", `${gainDb.toFixed(3)}dB:precision=double`],
      ["alimiter", `limit=${peakLimit.toFixed(4)}:level=disabled:attack=5:release=50:latency=1`],
    ],
    sampleRateHz,
  );
}

// Brings a whole recording to one loudness in two passes: measured first, then one gain for all of it, with peaks
// that would leave full scale held down. FFmpeg measures (EBU R 128, ITU-R BS.1770) and limits. For child processes.

import { openFilter } from "../codec/filter.ts";

/** What audiobooks and podcasts are brought to. */
export const targetLufs = -16;
/** Encoders overshoot: room up to full scale. */
const ceilingDbTp = -1.5;
/** Sound without speech is not made loud. */
const maxGainDb = 30;

export type LoudnessMeter = {
  add(samples: Float32Array): void;
  /** Integrated loudness of all that was taken; undefined for silence. */
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

/** @param measuredLufs of the whole, by a first pass */
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

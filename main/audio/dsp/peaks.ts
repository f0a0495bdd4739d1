// Waveform data: minimum and maximum sample of every hundredth of a second. Pure.

export const peaksPerSec = 100;

export type PeakExtractor = {
  /** Pairs of unsigned bytes, minimum and maximum; 128 is silence, 1 and 255 are −1 and 1. */
  push(samples: Float32Array): Uint8Array;
  /** The pair for the remaining samples, if any. */
  finish(): Uint8Array;
};

/** @param sampleRateHz a multiple of `peaksPerSec` */
export function createPeakExtractor(sampleRateHz: number): PeakExtractor {
  const samplesPerPeak = sampleRateHz / peaksPerSec;
  let min = 1;
  let max = -1;
  let sampleCount = 0;

  function writePair(bytes: Uint8Array, at: number): void {
    bytes[at] = toByte(min);
    bytes[at + 1] = toByte(max);
    [min, max, sampleCount] = [1, -1, 0];
  }

  return {
    push(samples) {
      const pairs = new Uint8Array(2 * Math.floor((sampleCount + samples.length) / samplesPerPeak));
      let at = 0;
      for (const sample of samples) {
        if (sample < min) min = sample;
        if (sample > max) max = sample;
        sampleCount += 1;
        if (sampleCount < samplesPerPeak) continue;
        writePair(pairs, at);
        at += 2;
      }
      return pairs;
    },
    finish() {
      const pair = new Uint8Array(sampleCount === 0 ? 0 : 2);
      if (sampleCount > 0) writePair(pair, 0);
      return pair;
    },
  };
}

const toByte = (sample: number): number =>
  128 + Math.round(Math.max(-1, Math.min(1, sample)) * 127);

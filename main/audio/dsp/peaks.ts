// The picture of a sound: the least and the greatest sample of every hundredth of a second. Pure.

export const peaksPerSec = 100;

export type Peaks = {
  /** Pairs of unsigned bytes, least and greatest; 128 is silence, 1 and 255 are −1 and 1. */
  push(samples: Float32Array): Uint8Array;
  /** The pair of what is left, if anything is. */
  finish(): Uint8Array;
};

/** @param sampleRateHz a multiple of `peaksPerSec` */
export function createPeaks(sampleRateHz: number): Peaks {
  const samplesPerPeak = sampleRateHz / peaksPerSec;
  let least = 1;
  let greatest = -1;
  let taken = 0;

  function endPair(bytes: Uint8Array, at: number): void {
    bytes[at] = asByte(least);
    bytes[at + 1] = asByte(greatest);
    [least, greatest, taken] = [1, -1, 0];
  }

  return {
    push(samples) {
      const pairs = new Uint8Array(2 * Math.floor((taken + samples.length) / samplesPerPeak));
      let at = 0;
      for (const sample of samples) {
        if (sample < least) least = sample;
        if (sample > greatest) greatest = sample;
        taken += 1;
        if (taken < samplesPerPeak) continue;
        endPair(pairs, at);
        at += 2;
      }
      return pairs;
    },
    finish() {
      const pair = new Uint8Array(taken === 0 ? 0 : 2);
      if (taken > 0) endPair(pair, 0);
      return pair;
    },
  };
}

const asByte = (sample: number): number =>
  128 + Math.round(Math.max(-1, Math.min(1, sample)) * 127);

// Makes the model's harmonic spectrum usable at another pitch. The model was trained only at its own harmonics; bins
// between them may be up to a thousand times too loud, which becomes audible once a harmonic moves there.

import type { AcousticFrames } from "./acoustic-model.ts";
import { ttsSampleRateHz as sampleRateHz } from "../../engine.ts";
import { binCount, fftSize, minPitchHz } from "./pulse-train.ts";

/** A formant between two harmonics may stand out this far (6 dB), in ln. */
const maxDeviation = 0.7;

/** Frames processed together: the array is bin after bin, and a cache line holds 16 floats of one bin. */
const blockFrames = 16;

/** Keeps `lh` of voiced frames within 6 dB of the straight lines from harmonic to harmonic, in place. */
export function limitHarmonicEnvelope({ lh, f0Hz, frameCount, stride }: AcousticFrames): void {
  const columns = new Float32Array(blockFrames * binCount);
  for (let start = 0; start < frameCount; start += blockFrames) {
    const count = Math.min(blockFrames, frameCount - start);
    for (let k = 0; k < binCount; k++) {
      for (let j = 0; j < count; j++) columns[j * binCount + k] = lh[k * stride + start + j]!;
    }
    for (let j = 0; j < count; j++) {
      const pitch = f0Hz[start + j]!;
      if (pitch > minPitchHz)
        limitColumn(
          columns.subarray(j * binCount, (j + 1) * binCount),
          (pitch * fftSize) / sampleRateHz,
        );
    }
    for (let k = 0; k < binCount; k++) {
      for (let j = 0; j < count; j++) lh[k * stride + start + j] = columns[j * binCount + k]!;
    }
  }
}

/** One frame's bins, with a harmonic every `harmonicSpacing` bins. */
function limitColumn(column: Float32Array, harmonicSpacing: number): void {
  let from = 0;
  let fromValue = column[Math.round(harmonicSpacing)]!;
  for (let harmonic = 1; from < binCount; harmonic++) {
    const to = Math.round(harmonic * harmonicSpacing);
    // Above the last harmonic the envelope is taken as level.
    const toValue = to < binCount ? column[to]! : fromValue;
    const slope = (toValue - fromValue) / (to - from);
    const end = Math.min(to, binCount);
    for (let k = from; k < end; k++) {
      const expected = fromValue + slope * (k - from);
      const value = column[k]!;
      column[k] =
        value > expected + maxDeviation
          ? expected + maxDeviation
          : value < expected - maxDeviation
            ? expected - maxDeviation
            : value;
    }
    from = to;
    fromValue = toValue;
  }
}

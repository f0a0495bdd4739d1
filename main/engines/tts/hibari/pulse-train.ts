// The voice source before spectral shaping: a pulse train at the pitch, with all harmonics below 11 kHz equally strong.

import { ttsSampleRateHz as sampleRateHz } from "../../engine.ts";

/** Samples per frame: 12.5 ms. */
export const hopSize = 300;
/** Samples in the window of a frame's spectrum. */
export const fftSize = 1200;
/** Bins of a frame's spectrum: 0 Hz to half the sample rate. */
export const binCount = fftSize / 2 + 1;

const maxHarmonicHz = 11_000;
/** At or below this pitch a frame is voiceless and silent here. */
export const minPitchHz = 40;

const twoPi = 2 * Math.PI;
const sineSteps = 8192;
/** One period of the sine and a guard point; linear interpolation is off by at most 1e-7. */
const sineTable = Float64Array.from({ length: sineSteps + 1 }, (_, i) =>
  Math.sin((twoPi * i) / sineSteps),
);

/** sin(2π·turns) for turns ≥ 0. */
function sineAtTurns(phaseTurns: number): number {
  const position = (phaseTurns - Math.floor(phaseTurns)) * sineSteps;
  const i = position | 0;
  const low = sineTable[i]!;
  return low + (sineTable[i + 1]! - low) * (position - i);
}

/**
 * Pitch per frame in Hz → `f0Hz.length · 300` samples at 24 kHz. The sum of H harmonics in closed form, sin((H+½)t) /
 * (2·sin(t/2)) − ½ (Dirichlet kernel), with H = ⌊11000/f⌋ and the limit H at t = 0.
 */
export function pulseTrain(f0Hz: Float32Array, out: Float32Array): void {
  const frames = f0Hz.length;
  let phaseTurns = 0;
  for (let n = 0; n < frames * hopSize; n++) {
    const position = (n + 0.5) / hopSize - 0.5;
    const before = Math.floor(position);
    const a = f0Hz[Math.max(before, 0)]!;
    const b = f0Hz[Math.min(before + 1, frames - 1)]!;
    const pitch = a + (b - a) * (position - before);
    phaseTurns += pitch / sampleRateHz;
    if (phaseTurns >= 1) phaseTurns -= 1;
    if (pitch <= minPitchHz) {
      out[n] = 0;
      continue;
    }
    const harmonics = Math.floor(maxHarmonicHz / pitch);
    const denominator = 2 * sineAtTurns(phaseTurns / 2);
    out[n] =
      Math.abs(denominator) <= 0.002
        ? harmonics
        : sineAtTurns((harmonics + 0.5) * phaseTurns) / denominator - 0.5;
  }
}

// The voice's source before the spectrum shapes it: a train of pulses at the pitch, every harmonic below 11 kHz
// at the same strength.

export const sampleRateHz = 24_000;
/** Samples a frame: 12.5 ms. */
export const hopSize = 300;
/** Samples a frame's spectrum is taken over. */
export const fftSize = 1200;
/** Bins of a frame's spectrum: 0 Hz to half the sample rate. */
export const binCount = fftSize / 2 + 1;

const highestHarmonicHz = 11_000;
/** At and below this pitch a frame is voiceless and silent here. */
export const lowestPitchHz = 40;

const twoPi = 2 * Math.PI;
const sineSteps = 8192;
/** One period of the sine and a guard point; straight lines between points are off by at most 1e-7. */
const sine = Float64Array.from({ length: sineSteps + 1 }, (_, i) =>
  Math.sin((twoPi * i) / sineSteps),
);

/** sin(2π·turns) for turns ≥ 0. */
function sineOfTurns(turns: number): number {
  const place = (turns - Math.floor(turns)) * sineSteps;
  const i = place | 0;
  const low = sine[i]!;
  return low + (sine[i + 1]! - low) * (place - i);
}

/**
 * Pitch per frame in Hz → `f0Hz.length · 300` samples at 24 kHz. The sum of H harmonics in closed form,
 * sin((H+½)t) / (2·sin(t/2)) − ½ (Dirichlet's kernel), with H = ⌊11000/f⌋ and its limit H at t = 0.
 */
export function pulseTrain(f0Hz: Float32Array, out: Float32Array): void {
  const frames = f0Hz.length;
  let turns = 0;
  for (let n = 0; n < frames * hopSize; n++) {
    const place = (n + 0.5) / hopSize - 0.5;
    const before = Math.floor(place);
    const a = f0Hz[Math.max(before, 0)]!;
    const b = f0Hz[Math.min(before + 1, frames - 1)]!;
    const pitch = a + (b - a) * (place - before);
    turns += pitch / sampleRateHz;
    if (turns >= 1) turns -= 1;
    if (pitch <= lowestPitchHz) {
      out[n] = 0;
      continue;
    }
    const harmonics = Math.floor(highestHarmonicHz / pitch);
    const below = 2 * sineOfTurns(turns / 2);
    out[n] =
      Math.abs(below) <= 0.002 ? harmonics : sineOfTurns((harmonics + 0.5) * turns) / below - 0.5;
  }
}

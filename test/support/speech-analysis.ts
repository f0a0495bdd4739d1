// Pitch and brightness of speech, for tests.

import { createFrameFft } from "../../main/audio/dsp/frame-fft.ts";
import { binCount, fftSize } from "../../main/engines/tts/hibari/pulse-train.ts";

/** Median pitch in Hz of the voiced parts, by autocorrelation over 50 ms every 25 ms; NaN if nothing is voiced. */
export function medianPitchHz(samples: Float32Array, sampleRateHz: number): number {
  const size = Math.round(sampleRateHz / 20);
  const minLag = Math.floor(sampleRateHz / 400);
  const maxLag = Math.ceil(sampleRateHz / 60);
  const energyTable = cumulativeEnergy(samples);
  const pitches: number[] = [];
  for (let start = 0; start + size + maxLag <= samples.length; start += size / 2) {
    const scores = new Float64Array(maxLag + 2);
    const frame = samples.subarray(start, start + size);
    const frameEnergy = energyInRange(energyTable, start, size);
    for (let lag = minLag - 1; lag <= maxLag; lag++) {
      const shiftedFrame = samples.subarray(start + lag, start + lag + size);
      scores[lag] =
        dotProduct(frame, shiftedFrame) /
        Math.sqrt(frameEnergy * energyInRange(energyTable, start + lag, size));
    }
    const best = Math.max(...scores);
    if (best < 0.7) continue;
    // Takes the first peak that is nearly as good as the best, since multiples of the period fit as well.
    for (let lag = minLag; lag <= maxLag; lag++) {
      const score = scores[lag] ?? 0;
      if (score < 0.9 * best || score < (scores[lag - 1] ?? 0) || score < (scores[lag + 1] ?? 0))
        continue;
      pitches.push(sampleRateHz / lag);
      break;
    }
  }
  return pitches.sort((a, b) => a - b)[pitches.length >> 1] ?? Number.NaN;
}

/** Energy of all samples before each position, so that the energy of any range is one subtraction. */
function cumulativeEnergy(samples: Float32Array): Float64Array {
  const cumulative = new Float64Array(samples.length + 1);
  for (const [index, sample] of samples.entries())
    cumulative[index + 1] = (cumulative[index] as number) + sample * sample;
  return cumulative;
}

/** Never 0, so that silence correlates with nothing. */
const energyInRange = (cumulative: Float64Array, start: number, size: number): number =>
  1e-6 + (cumulative[start + size] as number) - (cumulative[start] as number);

function dotProduct(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += (one[i] as number) * (other[i] as number);
  return sum;
}

/** Mean frequency in Hz, weighted by the amplitude of the bins, over the whole audio. */
export function centroidHz(samples: Float32Array, sampleRateHz: number): number {
  const { re, im, forward } = createFrameFft(fftSize);
  let weighted = 0;
  let total = 0;
  for (let start = 0; start + fftSize <= samples.length; start += fftSize / 2) {
    for (let i = 0; i < fftSize; i++)
      re[i] = (samples[start + i] ?? 0) * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / fftSize));
    im.fill(0);
    forward();
    for (let k = 1; k < binCount; k++) {
      const amplitude = Math.hypot(re[k] ?? 0, im[k] ?? 0);
      weighted += (amplitude * k * sampleRateHz) / fftSize;
      total += amplitude;
    }
  }
  return weighted / total;
}

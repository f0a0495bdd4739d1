// What tests ask of speech: how high it is and how bright.

import { createFrameFft } from "../../main/audio/dsp/frame-fft.ts";
import { binCount, fftSize } from "../../main/engines/tts/hibari/pulse-train.ts";

/** Median pitch in Hz of the voiced stretches, by autocorrelation over 50 ms every 25 ms; NaN where nothing is voiced. */
export function medianPitchHz(samples: Float32Array, sampleRateHz: number): number {
  const size = Math.round(sampleRateHz / 20);
  const shortest = Math.floor(sampleRateHz / 400);
  const longest = Math.ceil(sampleRateHz / 60);
  const energies = energySums(samples);
  const pitches: number[] = [];
  for (let start = 0; start + size + longest <= samples.length; start += size / 2) {
    const scores = new Float64Array(longest + 2);
    const here = samples.subarray(start, start + size);
    const hereEnergy = energyOf(energies, start, size);
    for (let lag = shortest - 1; lag <= longest; lag++) {
      const there = samples.subarray(start + lag, start + lag + size);
      scores[lag] =
        dotProduct(here, there) / Math.sqrt(hereEnergy * energyOf(energies, start + lag, size));
    }
    const best = Math.max(...scores);
    if (best < 0.7) continue;
    // The first peak that is nearly as good as the best: its multiples fit as well.
    for (let lag = shortest; lag <= longest; lag++) {
      const score = scores[lag] ?? 0;
      if (score < 0.9 * best || score < (scores[lag - 1] ?? 0) || score < (scores[lag + 1] ?? 0))
        continue;
      pitches.push(sampleRateHz / lag);
      break;
    }
  }
  return pitches.sort((a, b) => a - b)[pitches.length >> 1] ?? Number.NaN;
}

/** At each place the energy of all samples before it, so that the energy of any stretch is one subtraction. */
function energySums(samples: Float32Array): Float64Array {
  const sums = new Float64Array(samples.length + 1);
  for (const [index, sample] of samples.entries())
    sums[index + 1] = (sums[index] as number) + sample * sample;
  return sums;
}

/** Never 0: silence is like nothing. */
const energyOf = (sums: Float64Array, start: number, size: number): number =>
  1e-6 + (sums[start + size] as number) - (sums[start] as number);

function dotProduct(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += (one[i] as number) * (other[i] as number);
  return sum;
}

/** Mean frequency in Hz, weighted by the amplitude of the bins over the whole sound. */
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

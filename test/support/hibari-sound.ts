// What tests ask of speech: how high it is and how bright.

import { createFrameFft } from '../../main/audio/frame-fft.ts';
import { binCount, fftSize } from '../../main/engines/tts/hibari/pulse-train.ts';

/** Median pitch in Hz of the voiced stretches, by autocorrelation over 50 ms every 25 ms; NaN where nothing is voiced. */
export function medianPitchHz(samples: Float32Array, sampleRateHz: number): number {
  const size = Math.round(sampleRateHz / 20);
  const shortest = Math.floor(sampleRateHz / 400);
  const longest = Math.ceil(sampleRateHz / 60);
  const pitches: number[] = [];
  for (let start = 0; start + size + longest <= samples.length; start += size / 2) {
    const scores = new Float64Array(longest + 2);
    for (let lag = shortest - 1; lag <= longest; lag++) scores[lag] = likeness(samples, start, lag, size);
    const best = Math.max(...scores);
    if (best < 0.7) continue;
    // The first peak that is nearly as good as the best: its multiples fit as well.
    for (let lag = shortest; lag <= longest; lag++) {
      const score = scores[lag] ?? 0;
      if (score < 0.9 * best || score < (scores[lag - 1] ?? 0) || score < (scores[lag + 1] ?? 0)) continue;
      pitches.push(sampleRateHz / lag);
      break;
    }
  }
  return pitches.sort((a, b) => a - b)[pitches.length >> 1] ?? Number.NaN;
}

function likeness(samples: Float32Array, start: number, lag: number, size: number): number {
  let dot = 0;
  let here = 1e-6;
  let there = 1e-6;
  for (let i = start; i < start + size; i++) {
    const a = samples[i] ?? 0;
    const b = samples[i + lag] ?? 0;
    dot += a * b;
    here += a * a;
    there += b * b;
  }
  return dot / Math.sqrt(here * there);
}

/** Mean frequency in Hz, weighted by the amplitude of the bins over the whole sound. */
export function centroidHz(samples: Float32Array, sampleRateHz: number): number {
  const { re, im, forward } = createFrameFft(fftSize);
  let weighted = 0;
  let total = 0;
  for (let start = 0; start + fftSize <= samples.length; start += fftSize / 2) {
    for (let i = 0; i < fftSize; i++) re[i] = (samples[start + i] ?? 0) * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / fftSize));
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

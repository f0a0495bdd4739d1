// Input of the voice print model: the log mel filter bank of Kaldi's `compute-fbank-feats`, as its models are trained
// on it: frames of 25 ms every 10 ms (only whole ones), Hamming window, 80 bands, no dither, and the mean over time
// taken out.

import { createFrameFft } from "../../audio/dsp/frame-fft.ts";
import { sttSampleRateHz } from "../engine.ts";

export const filterBankBands = 80;
const frameSamples = 400;
export const filterBankHopSamples = 160;
const fftSize = 512;
const preemphasis = 0.97;
const lowestHz = 20;
/** Kaldi takes samples as 16-bit integers. */
const fullScale = 32_768;
/** Lower energy counts as this: the smallest step of a 32-bit float at 1. */
const minEnergy = 2 ** -23;

/** Whole frames in that many samples. */
export const filterBankFrames = (sampleCount: number): number =>
  sampleCount < frameSamples
    ? 0
    : 1 + Math.floor((sampleCount - frameSamples) / filterBankHopSamples);

/** 16 kHz mono in −1..1 → 80 values a frame, frame after frame. */
export function createFilterBank(): (samples: Float32Array) => Float32Array {
  const { re, im, forward } = createFrameFft(fftSize);
  const hamming = Float64Array.from(
    { length: frameSamples },
    (_, i) => 0.54 - 0.46 * Math.cos((2 * Math.PI * i) / (frameSamples - 1)),
  );
  const filters = melFilters();
  const powerA = new Float64Array(fftSize / 2);
  const powerB = new Float64Array(fftSize / 2);

  /** One frame, weighted, into `into`; the rest of it stays 0. */
  function loadFrame(samples: Float32Array, start: number, into: Float64Array): void {
    let mean = 0;
    for (let i = 0; i < frameSamples; i++) mean += samples[start + i]!;
    mean /= frameSamples;
    // The first sample has itself as its predecessor.
    let previous = samples[start]! - mean;
    for (let i = 0; i < frameSamples; i++) {
      const sample = samples[start + i]! - mean;
      into[i] = fullScale * (sample - preemphasis * previous) * hamming[i]!;
      previous = sample;
    }
    into.fill(0, frameSamples);
  }

  /** Power spectra of two frames by one transform: X[k] = A[k] + i·B[k], where A and B are spectra of real signals. */
  function transformPair(): void {
    forward();
    for (let k = 1; k < fftSize / 2; k++) {
      const sumRe = re[k]! + re[fftSize - k]!;
      const difRe = re[k]! - re[fftSize - k]!;
      const sumIm = im[k]! + im[fftSize - k]!;
      const difIm = im[k]! - im[fftSize - k]!;
      powerA[k] = (sumRe * sumRe + difIm * difIm) / 4;
      powerB[k] = (sumIm * sumIm + difRe * difRe) / 4;
    }
  }

  return (samples) => {
    const frames = filterBankFrames(samples.length);
    const out = new Float32Array(frames * filterBankBands);
    for (let frame = 0; frame < frames; frame += 2) {
      const second = Math.min(frame + 1, frames - 1);
      loadFrame(samples, frame * filterBankHopSamples, re);
      loadFrame(samples, second * filterBankHopSamples, im);
      transformPair();
      for (let band = 0; band < filterBankBands; band++) {
        const { firstBin, weights } = filters[band]!;
        let a = 0;
        let b = 0;
        for (let i = 0; i < weights.length; i++) {
          a += weights[i]! * powerA[firstBin + i]!;
          b += weights[i]! * powerB[firstBin + i]!;
        }
        out[second * filterBankBands + band] = Math.log(Math.max(b, minEnergy));
        out[frame * filterBankBands + band] = Math.log(Math.max(a, minEnergy));
      }
    }
    return subtractMean(out, frames);
  };
}

/** In place, band by band. */
function subtractMean(values: Float32Array, frames: number): Float32Array {
  for (let band = 0; band < filterBankBands; band++) {
    let sum = 0;
    for (let i = band; i < values.length; i += filterBankBands) sum += values[i]!;
    const mean = sum / Math.max(1, frames);
    for (let i = band; i < values.length; i += filterBankBands) values[i]! -= mean;
  }
  return values;
}

type MelFilter = {
  /** Bin of the first weight; all bins outside `weights` have weight 0. */
  firstBin: number;
  weights: Float64Array;
};

/** Triangles over mel (not Hz), with corners evenly spaced from 20 Hz to half the sample rate. */
function melFilters(): MelFilter[] {
  const lowestMel = hzToMel(lowestHz);
  const stepMel = (hzToMel(sttSampleRateHz / 2) - lowestMel) / (filterBankBands + 1);
  const binMel = Float64Array.from({ length: fftSize / 2 }, (_, bin) =>
    hzToMel((bin * sttSampleRateHz) / fftSize),
  );
  return Array.from({ length: filterBankBands }, (_, band) => {
    const low = lowestMel + band * stepMel;
    const isInside = (mel: number): boolean => mel > low && mel < low + 2 * stepMel;
    const firstBin = binMel.findIndex(isInside);
    const lastBin = binMel.findLastIndex(isInside);
    const weights = binMel
      .slice(firstBin, lastBin + 1)
      .map((mel) => 1 - Math.abs(mel - low - stepMel) / stepMel);
    return { firstBin, weights };
  });
}

const hzToMel = (hz: number): number => 1127 * Math.log1p(hz / 700);

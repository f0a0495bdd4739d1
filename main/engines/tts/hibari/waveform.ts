// Turns the acoustic model's spectra into samples: the pulse train's short-time spectrum is shaped (spectral-shape.ts),
// and frames are overlap-added.

import { createFrameFft } from "../../../audio/dsp/frame-fft.ts";
import type { AcousticFrames } from "./acoustic-model.ts";
import { createNoiseTable, createRandom } from "./noise.ts";
import { binCount, fftSize, hopSize, pulseTrain } from "./pulse-train.ts";
import { type BlockSpectra, shapeBlock, type SpectralShape } from "./spectral-shape.ts";

/** Frames processed together: the model's arrays are bin after bin, and a cache line holds 16 floats of one bin. */
const blockFrames = 16;
const half = fftSize / 2;

/** Periodic Hann window. */
const hann = Float64Array.from(
  { length: fftSize },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / fftSize),
);
const overlap = fftSize / hopSize;
/** Sum of four squared windows, 300 samples apart; constant at every sample. */
const fullOverlap = 1.5;
/** Includes the 1/1200 of the inverse transform and the sum of the windows. */
const synthesisWindow = hann.map((weight) => weight / fftSize / fullOverlap);
const analysisWindow = hann.map((weight) => weight / hopSize);

type Waveform = {
  /** F frames → F · 300 samples at 24 kHz, before loudness correction. */
  render(
    frames: AcousticFrames,
    f0Hz: Float32Array,
    shape: SpectralShape,
    seed: number,
  ): Float32Array;
};

export function createWaveform(): Waveform {
  const { re, im, forward } = createFrameFft(fftSize);
  const noise = createNoiseTable();
  const spectra: BlockSpectra = {
    re: new Float32Array(blockFrames * binCount),
    im: new Float32Array(blockFrames * binCount),
    noiseStart: new Int32Array(blockFrames),
  };
  const { re: specRe, im: specIm, noiseStart } = spectra;

  /** Two frames of pulses, centred on samples 300·k and 300·(k+1), reflected at the ends. */
  function analyzeFrames(pulses: Float32Array, frame: number, slot: number): void {
    const length = pulses.length;
    const first = slot * binCount;
    const second = first + binCount;
    let isVoiced = false;
    for (let i = 0; i < fftSize; i++) {
      const weight = analysisWindow[i]!;
      const a = frame * hopSize + i - half;
      const b = a + hopSize;
      re[i] = pulses[mirroredIndex(a, length)]! * weight;
      im[i] = pulses[mirroredIndex(b, length)]! * weight;
      isVoiced ||= re[i] !== 0 || im[i] !== 0;
    }
    if (!isVoiced) {
      specRe.fill(0, first, second + binCount);
      specIm.fill(0, first, second + binCount);
      return;
    }
    forward();
    for (let k = 0; k < binCount; k++) {
      const m = k === 0 ? 0 : fftSize - k;
      specRe[first + k] = (re[k]! + re[m]!) / 2;
      specIm[first + k] = (im[k]! - im[m]!) / 2;
      specRe[second + k] = (im[k]! + im[m]!) / 2;
      specIm[second + k] = (re[m]! - re[k]!) / 2;
    }
  }

  /** Adds two frames to the sum. Swapping real and imaginary parts makes the transform an inverse one. */
  function synthesizeFrames(
    slot: number,
    sum: Float32Array,
    frame: number,
    hasSecondFrame: boolean,
  ): void {
    const first = slot * binCount;
    const second = first + binCount;
    for (let k = 0; k < binCount; k++) {
      // A real signal has no imaginary part at 0 Hz and at half the sample rate.
      const isRealBin = k === 0 || k === half;
      const ar = specRe[first + k]!;
      const ai = isRealBin ? 0 : specIm[first + k]!;
      const br = hasSecondFrame ? specRe[second + k]! : 0;
      const bi = isRealBin || !hasSecondFrame ? 0 : specIm[second + k]!;
      im[k] = ar - bi;
      re[k] = ai + br;
      if (isRealBin) continue;
      im[fftSize - k] = ar + bi;
      re[fftSize - k] = br - ai;
    }
    forward();
    const a = frame * hopSize;
    for (let i = 0; i < fftSize; i++) {
      const weight = synthesisWindow[i]!;
      sum[a + i]! += im[i]! * weight;
      sum[a + hopSize + i]! += re[i]! * weight;
    }
  }

  function render(
    frames: AcousticFrames,
    f0Hz: Float32Array,
    shape: SpectralShape,
    seed: number,
  ): Float32Array {
    const { frameCount } = frames;
    const random = createRandom(seed);
    const pulses = new Float32Array(frameCount * hopSize);
    pulseTrain(f0Hz, pulses);
    const sum = new Float32Array((frameCount + 1) * hopSize + fftSize);
    for (let start = 0; start < frameCount; start += blockFrames) {
      const count = Math.min(blockFrames, frameCount - start);
      for (let j = 0; j < count; j += 2) analyzeFrames(pulses, start + j, j);
      for (let j = 0; j < count; j++) noiseStart[j] = noise.randomStart(2 * binCount, random);
      shapeBlock(spectra, noise.values, frames, start, count, shape);
      for (let j = 0; j < count; j += 2) synthesizeFrames(j, sum, start + j, j + 1 < count);
    }
    normalizeEnds(sum, frameCount);
    return sum.slice(half, half + frameCount * hopSize);
  }

  return { render };
}

/** Sample index after reflection at the ends; an index that would need a second reflection is clamped to the edge. */
function mirroredIndex(i: number, length: number): number {
  if (i >= 0 && i < length) return i;
  const j = i < 0 ? -i : 2 * (length - 1) - i;
  return Math.min(Math.max(j, 0), length - 1);
}

/** Undoes the squared window where fewer than four frames overlap; elsewhere their sum is `fullOverlap`. */
function normalizeEnds(sum: Float32Array, frameCount: number): void {
  const end = half + frameCount * hopSize;
  for (let n = half; n < end; n++) {
    const newestFrame = Math.floor(n / hopSize);
    if (newestFrame >= overlap - 1 && newestFrame < frameCount) {
      n = Math.max(n, frameCount * hopSize - 1);
      continue;
    }
    let weight = 0;
    for (
      let k = Math.max(0, newestFrame - overlap + 1);
      k <= Math.min(newestFrame, frameCount - 1);
      k++
    )
      weight += hann[n - k * hopSize]! ** 2;
    sum[n]! *= fullOverlap / Math.max(weight, 1e-3);
  }
}

// Turns the acoustic model's spectra into samples: lh and theta shape the pulse train's short-time spectrum, ln shapes
// noise, the remainder (lr, phi) is added, and frames are overlap-added. A voice's frequency warp, tilt and breath are
// applied per bin.

import { createFrameFft } from "../../../audio/dsp/frame-fft.ts";
import type { AcousticFrames } from "./acoustic-model.ts";
import { createNoiseTable, createRandom } from "./noise.ts";
import { binCount, fftSize, hopSize, pulseTrain } from "./pulse-train.ts";

/** How a voice's spectrum differs from the model's. */
export type SpectralShape = {
  /** Factor of the frequency axis: below 1 for a longer vocal tract. */
  warp: number;
  /** Added to ln of the harmonics: keeps the loudness when the pitch changes. */
  harmonicGain: number;
  /** Added to ln of the harmonics at 12 kHz, proportionally less below. */
  tilt: number;
  /** Added to ln of the noise. */
  breath: number;
};

/** Frames processed together: the model's arrays are bin after bin, and a cache line holds 16 floats of one bin. */
const blockFrames = 16;
const half = fftSize / 2;
const expMax = 7;

// Tables without interpolation, small enough for the processor's near cache. Their error (0.1 % and 0.003 radian) is 50
// dB below each bin, far under the noise that the model itself adds.

/** e^x over −15..7; smaller values are negligible. */
const expMin = -15;
const expPerUnit = 1024;
const expLastIndex = (expMax - expMin) * expPerUnit;
const expTable = Float32Array.from({ length: expLastIndex + 1 }, (_, i) =>
  Math.exp(expMin + (i + 0.5) / expPerUnit),
);

/** Interleaved cosine and sine: of an angle (modulo a full turn), and of π·tanh(x) over ±8. */
const angleSteps = 4096;
const anglesPerRadian = angleSteps / (2 * Math.PI);
const angleTable = new Float32Array(2 * angleSteps);
for (let i = 0; i < angleSteps; i++) {
  angleTable[2 * i] = Math.cos(i / anglesPerRadian);
  angleTable[2 * i + 1] = Math.sin(i / anglesPerRadian);
}
const tanhLimit = 8;
const tanhPerUnit = 1024;
const tanhLast = 2 * tanhLimit * tanhPerUnit;
const tanhTable = new Float32Array(2 * (tanhLast + 1));
for (let i = 0; i <= tanhLast; i++) {
  const angle = Math.PI * Math.tanh((i + 0.5) / tanhPerUnit - tanhLimit);
  tanhTable[2 * i] = Math.cos(angle);
  tanhTable[2 * i + 1] = Math.sin(angle);
}

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

/** `render(frames, f0Hz, shape, seed)`: F frames → F · 300 samples at 24 kHz, before loudness correction. */
export function createWaveform(): {
  render(
    frames: AcousticFrames,
    f0Hz: Float32Array,
    shape: SpectralShape,
    seed: number,
  ): Float32Array;
} {
  const { re, im, forward } = createFrameFft(fftSize);
  const noise = createNoiseTable();
  // Spectra of one block, frame after frame: first of the pulses, then of the speech.
  const specRe = new Float32Array(blockFrames * binCount);
  const specIm = new Float32Array(blockFrames * binCount);
  const noiseStart = new Int32Array(blockFrames);

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

  /** Step 3 of the model's definition, for one block, in place on the pulses' spectra. */
  function shapeBlock(
    frames: AcousticFrames,
    start: number,
    count: number,
    shape: SpectralShape,
  ): void {
    const { lh, theta, ln, lr, phi, stride } = frames;
    const noiseValues = noise.values;
    const { warp, harmonicGain, tilt, breath } = shape;
    for (let k = 0; k < binCount; k++) {
      const source = k / warp;
      if (source > binCount - 1) {
        for (let j = 0, o = k; j < count; j++, o += binCount) specRe[o] = specIm[o] = 0;
        continue;
      }
      const low = Math.floor(source);
      const part = source - low;
      const row = low * stride + start;
      const nextRow = Math.min(low + 1, binCount - 1) * stride + start;
      const nearRow = part < 0.5 ? row : nextRow;
      const harmonicOffset = harmonicGain + (tilt * k) / (binCount - 1) - expMin;
      const breathOffset = breath - expMin;
      for (let j = 0, o = k; j < count; j++, o += binCount) {
        const a = row + j;
        const b = nextRow + j;
        const harmonicIndex = (lh[a]! + (lh[b]! - lh[a]!) * part + harmonicOffset) * expPerUnit;
        const noiseIndex = (ln[a]! + (ln[b]! - ln[a]!) * part + breathOffset) * expPerUnit;
        const restIndex = (lr[a]! + (lr[b]! - lr[a]!) * part - expMin) * expPerUnit;
        const phaseIndex = (theta[nearRow + j]! + tanhLimit) * tanhPerUnit;
        const harmonicAmplitude =
          harmonicIndex <= 0
            ? 0
            : expTable[harmonicIndex >= expLastIndex ? expLastIndex : harmonicIndex | 0]!;
        const noiseGain =
          noiseIndex <= 0
            ? 0
            : expTable[noiseIndex >= expLastIndex ? expLastIndex : noiseIndex | 0]!;
        const restAmplitude =
          restIndex <= 0 ? 0 : expTable[restIndex >= expLastIndex ? expLastIndex : restIndex | 0]!;
        const t = 2 * (phaseIndex <= 0 ? 0 : phaseIndex >= tanhLast ? tanhLast : phaseIndex | 0);
        const p = 2 * ((phi[nearRow + j]! * anglesPerRadian) & (angleSteps - 1));
        const c = tanhTable[t]! * harmonicAmplitude;
        const s = tanhTable[t + 1]! * harmonicAmplitude;
        const z = noiseStart[j]! + 2 * k;
        const er = specRe[o]!;
        const ei = specIm[o]!;
        specRe[o] = c * er - s * ei + noiseGain * noiseValues[z]! + restAmplitude * angleTable[p]!;
        specIm[o] =
          c * ei + s * er + noiseGain * noiseValues[z + 1]! + restAmplitude * angleTable[p + 1]!;
      }
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
      shapeBlock(frames, start, count, shape);
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

import { describe, expect, it } from "vitest";
import type { AcousticFrames } from "../../../../../main/engines/tts/hibari/acoustic-model.ts";
import { createRandom } from "../../../../../main/engines/tts/hibari/noise.ts";
import {
  binCount,
  fftSize,
  hopSize,
  pulseTrain,
} from "../../../../../main/engines/tts/hibari/pulse-train.ts";
import { ttsSampleRateHz as sampleRateHz } from "../../../../../main/engines/engine.ts";
import { createWaveform } from "../../../../../main/engines/tts/hibari/waveform.ts";

const asModel = { warp: 1, harmonicGain: 0, tilt: 0, breath: 0 };
const silent = -20;
const hann = (i: number): number => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / fftSize);

function framesOf(
  frameCount: number,
  value: (name: string, bin: number, frame: number) => number,
): AcousticFrames {
  const rows = (name: string): Float32Array =>
    Float32Array.from({ length: binCount * frameCount }, (_, i) =>
      value(name, Math.floor(i / frameCount), i % frameCount),
    );
  return {
    frameCount,
    stride: frameCount,
    lh: rows("lh"),
    ln: rows("ln"),
    lr: rows("lr"),
    theta: rows("theta"),
    phi: rows("phi"),
    f0Hz: Float32Array.from({ length: frameCount }, (_, j) => value("f0", 0, j)),
  };
}

/** Direct implementation of the model's definition, without its noise: slow transforms, no tables. */
function bySpecification(
  { frameCount, lh, theta, lr, phi }: AcousticFrames,
  pulses: Float32Array,
): Float64Array {
  const length = frameCount * hopSize;
  const sum = new Float64Array(length + 2 * fftSize);
  const weight = new Float64Array(length + 2 * fftSize);
  for (let j = 0; j < frameCount; j++) {
    const re = new Float64Array(binCount);
    const im = new Float64Array(binCount);
    for (let k = 0; k < binCount; k++) {
      let er = 0;
      let ei = 0;
      for (let i = 0; i < fftSize; i++) {
        let n = j * hopSize + i - fftSize / 2;
        if (n < 0) n = -n;
        if (n >= length) n = 2 * (length - 1) - n;
        const x = ((pulses[n] ?? 0) * hann(i)) / hopSize;
        const angle = (-2 * Math.PI * ((k * i) % fftSize)) / fftSize;
        er += x * Math.cos(angle);
        ei += x * Math.sin(angle);
      }
      const at = k * frameCount + j;
      const turn = Math.PI * Math.tanh(theta[at] ?? 0);
      const gain = Math.exp(Math.min(lh[at] ?? 0, 7));
      const rest = Math.exp(Math.min(lr[at] ?? 0, 7));
      re[k] = gain * (er * Math.cos(turn) - ei * Math.sin(turn)) + rest * Math.cos(phi[at] ?? 0);
      im[k] = gain * (er * Math.sin(turn) + ei * Math.cos(turn)) + rest * Math.sin(phi[at] ?? 0);
    }
    for (let i = 0; i < fftSize; i++) {
      let x = (re[0] ?? 0) + (re[binCount - 1] ?? 0) * (i % 2 === 0 ? 1 : -1);
      for (let k = 1; k < binCount - 1; k++) {
        const angle = (2 * Math.PI * ((k * i) % fftSize)) / fftSize;
        x += 2 * ((re[k] ?? 0) * Math.cos(angle) - (im[k] ?? 0) * Math.sin(angle));
      }
      sum[j * hopSize + i] = (sum[j * hopSize + i] ?? 0) + (x / fftSize) * hann(i);
      weight[j * hopSize + i] = (weight[j * hopSize + i] ?? 0) + hann(i) ** 2;
    }
  }
  return sum
    .map((x, n) => x / Math.max(weight[n] ?? 0, 1e-3))
    .slice(fftSize / 2, fftSize / 2 + length);
}

const rms = (samples: ArrayLike<number>): number =>
  Math.sqrt(Array.from(samples).reduce((sum, x) => sum + x * x, 0) / samples.length);

/** Zero crossings per second, where an upward and a downward one count as one. */
function crossings(samples: Float32Array): number {
  let count = 0;
  samples.forEach((x, n) => (count += x * (samples[n - 1] ?? 0) < 0 ? 1 : 0));
  return (count / 2 / samples.length) * sampleRateHz;
}

describe("waveform", () => {
  it("matches the model's definition within 0.002", () => {
    const random = createRandom(5);
    const frames = framesOf(7, (name, _bin, frame) => {
      if (name === "f0") return frame === 6 ? 0 : 150 + 10 * frame;
      if (name === "ln") return silent;
      return name === "phi" ? 20 * (random() - 0.5) : 2 * random() - 1;
    });
    const pulses = new Float32Array(7 * hopSize);
    pulseTrain(frames.f0Hz, pulses);
    const expected = bySpecification(frames, pulses);
    const actual = createWaveform().render(frames, frames.f0Hz, asModel, 1);
    expect(actual).toHaveLength(7 * hopSize);
    expect(rms(expected)).toBeGreaterThan(0.01);
    expect(rms(actual.map((x, n) => x - (expected[n] ?? 0)))).toBeLessThan(0.002 * rms(expected));
  });

  it("adds noise with the level of ln", () => {
    const frames = framesOf(200, (name) =>
      name === "ln" ? Math.log(3) : name === "f0" ? 0 : silent,
    );
    const out = createWaveform().render(frames, frames.f0Hz, asModel, 1);
    // Unit variance in the real and imaginary parts of 601 bins, divided by 1.5, the sum of four squared windows.
    const expected = 3 * Math.sqrt((2 * 2 * 600) / fftSize ** 2 / 1.5);
    expect(rms(out) / expected).toBeGreaterThan(0.97);
    expect(rms(out) / expected).toBeLessThan(1.03);
  });

  it("is the same for the same seed and differs for another", () => {
    const frames = framesOf(20, (name) => (name === "ln" ? 0 : silent));
    const waveform = createWaveform();
    const first = waveform.render(frames, frames.f0Hz, asModel, 1);
    expect(waveform.render(frames, frames.f0Hz, asModel, 2)).not.toEqual(first);
    expect(waveform.render(frames, frames.f0Hz, asModel, 1)).toEqual(first);
  });

  it("shifts the spectrum down with the warp and leaves nothing above it", () => {
    const frames = framesOf(40, (name, bin) => (name === "ln" && bin > 400 ? 0 : silent));
    const waveform = createWaveform();
    // Noise from 8 to 12 kHz crosses zero about 10,000 times a second; with the frequency axis halved, half as often.
    expect(crossings(waveform.render(frames, frames.f0Hz, asModel, 1))).toBeGreaterThan(9500);
    const half = crossings(waveform.render(frames, frames.f0Hz, { ...asModel, warp: 0.5 }, 1));
    expect(half).toBeGreaterThan(4700);
    expect(half).toBeLessThan(5400);
  });
});

describe("pulseTrain", () => {
  it("is silent without pitch, and has pulses at the pitch otherwise", () => {
    const out = new Float32Array(80 * hopSize);
    pulseTrain(new Float32Array(80).fill(200), out);
    let peaks = 0;
    out.forEach((x) => (peaks += x > 50 ? 1 : 0));
    // With 55 harmonics, a pulse is one or two samples wide.
    expect(peaks).toBeGreaterThanOrEqual(199);
    expect(peaks).toBeLessThanOrEqual(400);
    pulseTrain(new Float32Array(80).fill(30), out);
    expect(out.every((x) => x === 0)).toBe(true);
  });
});

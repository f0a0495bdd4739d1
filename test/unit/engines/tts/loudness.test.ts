import { describe, expect, it } from "vitest";
import { amplify, loudnessLufs } from "../../../../main/engines/tts/loudness.ts";

const sine = (frequencyHz: number, amplitude: number, rateHz: number, seconds = 3): Float32Array =>
  Float32Array.from(
    { length: seconds * rateHz },
    (_, i) => amplitude * Math.sin((2 * Math.PI * frequencyHz * i) / rateHz),
  );

describe("loudnessLufs", () => {
  // BS.1770: a full-scale sine of 997 Hz in one channel reads −3.01 LUFS.
  it.each([24_000, 48_000])("measures the reference tone of the standard at %d Hz", (rateHz) => {
    expect(loudnessLufs(sine(997, 1, rateHz), rateHz)).toBeCloseTo(-3.01, 1);
    expect(loudnessLufs(sine(997, 0.1, rateHz), rateHz)).toBeCloseTo(-23.01, 1);
  });

  it("ignores pauses", () => {
    const withPause = new Float32Array(5 * 24_000);
    withPause.set(sine(997, 0.1, 24_000));
    expect(loudnessLufs(withPause, 24_000)).toBeCloseTo(-23.01, 0);
  });

  it("weights low tones less, is minus infinity for silence, and accepts less than a block", () => {
    expect(loudnessLufs(sine(40, 0.1, 24_000), 24_000)).toBeLessThan(-26);
    expect(loudnessLufs(new Float32Array(24_000), 24_000)).toBe(-Infinity);
    expect(loudnessLufs(new Float32Array(0), 24_000)).toBe(-Infinity);
    expect(loudnessLufs(sine(997, 0.1, 24_000).subarray(0, 4800), 24_000)).toBeCloseTo(-23.01, 0);
  });
});

describe("amplify", () => {
  it("applies a plain gain where no peak exceeds the ceiling", () => {
    const samples = sine(200, 0.2, 24_000);
    amplify(samples, 2, 0.9, 24_000);
    expect(
      samples.every(
        (x, i) => Math.abs(x - 0.4 * Math.sin((2 * Math.PI * 200 * i) / 24_000)) < 1e-5,
      ),
    ).toBe(true);
  });

  it("keeps a peak under the ceiling and leaves distant samples unchanged", () => {
    const samples = sine(200, 0.2, 24_000);
    samples.set(sine(200, 0.9, 24_000).subarray(0, 240), 36_000);
    amplify(samples, 3, 0.9, 24_000);
    expect(Math.max(...samples.map(Math.abs))).toBeLessThanOrEqual(0.9 + 1e-6);
    expect(Math.max(...samples.subarray(36_000, 36_240).map(Math.abs))).toBeGreaterThan(0.85);
    expect(Math.max(...samples.subarray(0, 35_000).map(Math.abs))).toBeCloseTo(0.6, 4);
    expect(Math.max(...samples.subarray(39_000).map(Math.abs))).toBeCloseTo(0.6, 4);
  });
});

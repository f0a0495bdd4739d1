import { describe, expect, it } from "vitest";
import { stretchTime } from "../../../../main/audio/dsp/time-stretch.ts";
import { medianPitchHz } from "../../../support/speech-analysis.ts";

const rateHz = 24_000;
const pitchHz = 170;
/** Two seconds of a voice-like tone: ten harmonics with decreasing amplitude. */
const tone = Float32Array.from({ length: 2 * rateHz }, (_, i) => {
  let sum = 0;
  for (let h = 1; h <= 10; h++) sum += Math.sin((2 * Math.PI * pitchHz * h * i) / rateHz) / h;
  return sum / 4;
});
const peakOf = (samples: Float32Array): number =>
  samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
const tonePeak = peakOf(tone);

describe("stretchTime", () => {
  it.each([0.25, 0.5, 0.8, 1.3, 2, 3, 4])(
    "at speed %d changes the duration accordingly and keeps the pitch",
    (pace) => {
      const out = stretchTime(tone, pace, rateHz);
      expect(out.length).toBe(Math.round(tone.length / pace));
      const pitchOutHz = medianPitchHz(out, rateHz);
      expect(pitchOutHz).toBeGreaterThan(pitchHz * 0.97);
      expect(pitchOutHz).toBeLessThan(pitchHz * 1.03);
    },
  );

  it.each([0.25, 0.5, 1.3, 2, 4])(
    "at speed %d keeps the level except in the first and last 15 ms",
    (pace) => {
      const out = stretchTime(tone, pace, rateHz);
      const period = Math.ceil(rateHz / pitchHz);
      for (let start = 360; start + period <= out.length - 360; start += period) {
        const peak = peakOf(out.subarray(start, start + period));
        expect(peak).toBeGreaterThan(0.7 * tonePeak);
        expect(peak).toBeLessThan(1.05 * tonePeak);
      }
    },
  );

  it("keeps events in order and proportionally spaced", () => {
    const clicks = new Float32Array(rateHz);
    for (const at of [0.2, 0.5, 0.8]) clicks.set(tone.subarray(0, 1200), at * rateHz);
    const out = stretchTime(clicks, 0.5, rateHz);
    for (const at of [0.4, 1, 1.6])
      expect(peakOf(out.subarray(at * rateHz, at * rateHz + 2400))).toBeGreaterThan(0.2);
    for (const at of [0.2, 0.7, 1.3, 1.9])
      expect(peakOf(out.subarray(at * rateHz, at * rateHz + 1200))).toBe(0);
  });

  it("returns a copy at speed 1 and accepts audio that is shorter than a frame", () => {
    expect(stretchTime(tone, 1, rateHz)).toEqual(tone);
    expect(stretchTime(new Float32Array(10), 2, rateHz)).toHaveLength(5);
    expect(stretchTime(new Float32Array(0), 0.5, rateHz)).toHaveLength(0);
  });
});

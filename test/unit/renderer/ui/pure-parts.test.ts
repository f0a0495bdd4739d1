import { describe, expect, it } from "vitest";
import { everyNth, axisTicks } from "../../../../renderer/ui/chart-scale.ts";
import { keyCaps } from "../../../../renderer/ui/key-caps.ts";
import { waveformColumns, waveformGain } from "../../../../renderer/ui/waveform-columns.ts";

describe("the axis of a chart", () => {
  it("has round values that cover the maximum", () => {
    expect(axisTicks(132, 4)).toEqual([0, 50, 100, 150]);
    expect(axisTicks(0.0031, 4)).toEqual([0, 0.001, 0.002, 0.003, 0.004]);
    expect(axisTicks(100, 4)).toEqual([0, 50, 100]);
    expect(axisTicks(0, 4)).toEqual([0, 1]);
  });

  it("labels at most the given number of days, always including the last", () => {
    expect(everyNth([1, 2, 3, 4, 5, 6, 7], 3)).toEqual([1, 4, 7]);
    expect(everyNth([1, 2, 3], 8)).toEqual([1, 2, 3]);
  });
});

describe("keys", () => {
  const names = { space: "Space", enter: "Enter", escape: "Esc", delete: "Del" };
  it("are written as on the keyboard of the system", () => {
    expect(keyCaps("mod+shift+z", false, names)).toEqual(["Ctrl", "⇧", "Z"]);
    expect(keyCaps("mod+k", true, names)).toEqual(["⌘", "K"]);
    expect(keyCaps("g t", false, names)).toEqual(["G", "T"]);
    expect(keyCaps("mod++", false, names)).toEqual(["Ctrl", "+"]);
  });
});

/** `count` hundredths of a second for each part, with its loudness. */
const peaksOf = (...parts: [count: number, loudness: number][]) =>
  Uint8Array.from(
    parts.flatMap(([count, loudness]) =>
      Array.from({ length: count }, () => [
        128 - Math.round(loudness * 128),
        128 + Math.round(loudness * 127),
      ]).flat(),
    ),
  );

describe("the columns of a waveform", () => {
  it("take the minimum and the maximum of their range", () => {
    // Two seconds: silence, with full scale in one hundredth.
    const peaks = new Uint8Array(400).fill(128);
    peaks[2 * 150] = 0;
    peaks[2 * 150 + 1] = 255;
    expect([...waveformColumns(peaks, 0, 2, 4)]).toEqual([0, 0, 0, 0, 0, 0, -1, 1]);
  });

  it("are silent after the last peak and where there are no peaks", () => {
    expect([...waveformColumns(new Uint8Array(), 0, 10, 2)]).toEqual([0, 0, 0, 0]);
  });

  it("are scaled up where the recording is quiet, but noise is not", () => {
    expect(waveformGain(peaksOf([500, 0], [500, 0.25])) * 0.25).toBeCloseTo(0.95);
    expect(waveformGain(peaksOf([1000, 1]))).toBe(1);
    expect(waveformGain(peaksOf([1000, 0.01])) * 0.01).toBeLessThan(0.15);
  });

  it("ignore a few clicks when they are scaled, in recordings of any length", () => {
    expect(waveformGain(peaksOf([1000, 0.125], [5, 1], [1000, 0.125], [5, 1])) * 0.125).toBeCloseTo(
      0.95,
    );
    expect(waveformGain(peaksOf([90_000, 0.02], [30_000, 0.125], [100, 1])) * 0.125).toBeCloseTo(
      0.95,
    );
    // Half a minute of speech in an hour still determines the scale.
    expect(waveformGain(peaksOf([357_000, 0.05], [3000, 0.8]))).toBeLessThan(1.3);
  });

  it("are flat for silence, whatever the gain", () => {
    const silent = peaksOf([1000, 0]);
    expect(
      Math.max(...waveformColumns(silent, 0, 10, 50).map(Math.abs)) * waveformGain(silent),
    ).toBe(0);
    const quiet = peaksOf([500, 0], [500, 0.1], [3, 1]);
    expect(Math.max(...waveformColumns(quiet, 0, 5, 50).map(Math.abs)) * waveformGain(quiet)).toBe(
      0,
    );
    expect(waveformGain(new Uint8Array())).toBeLessThan(11);
  });

  it("skip no peak where there are more columns than peaks", () => {
    const peaks = Uint8Array.from([64, 192]);
    expect([...waveformColumns(peaks, 0, 0.01, 3)].filter((value) => value === -0.5)).toHaveLength(
      3,
    );
  });
});

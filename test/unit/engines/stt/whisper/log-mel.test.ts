import { expect, it } from "vitest";
import { createLogMel } from "../../../../../main/engines/stt/whisper/log-mel.ts";

const windowFrames = 3000;

/** A tone, a sweep from 200 Hz to 7.3 kHz and a little pseudo-noise. */
const sound = (length: number): Float32Array =>
  Float32Array.from({ length }, (_, i) => {
    const t = i / 16_000;
    return (
      0.4 * Math.sin(2 * Math.PI * 440 * t) +
      0.3 * Math.sin(2 * Math.PI * (200 * t + 7000 * t * t)) +
      0.01 * (((i * i) % 1009) / 1009 - 0.5)
    );
  });

/** Compares value by value; `toEqual` takes a second for this many. */
const same = (a: Float32Array, b: Float32Array): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

// The values come from FeatureExtractor of faster-whisper 1.2.1 for `sound` (feature_size 80 or 128, padding 0), which
// computes in float32 where this code uses float64. `mean` and `lowest` cover all values of the existing frames. The
// last of 51 frames has no second one for its transform. 170 samples are fewer than the 200 of the reflection.
it.each([
  {
    melBands: 80,
    length: 8200,
    frames: 51,
    lowest: -0.53038,
    mean: 0.0104689,
    bands: [0, 10, 25, 45, 79],
    values: {
      0: [1.14906, 1.26873, 0.70475, 0.31208, -0.06583],
      1: [0.60505, 1.33329, 0.18446, -0.15587, -0.1465],
      25: [0.14224, 1.30051, -0.04259, -0.08535, -0.28158],
      50: [0.08114, 1.30058, -0.08585, -0.10252, 0.01914],
    },
  },
  {
    melBands: 128,
    length: 8200,
    frames: 51,
    lowest: -0.48599,
    mean: -0.0193794,
    bands: [0, 16, 40, 70, 127],
    values: {
      0: [1.0733, 1.3394, 0.7601, 0.39829, -0.0599],
      1: [0.52929, 1.32891, 0.23234, -0.02611, -0.18721],
      25: [0.06648, 1.29645, 0.01183, -0.00772, -0.27047],
      50: [0.00538, 1.29654, -0.03726, -0.03586, -0.22318],
    },
  },
  {
    melBands: 80,
    length: 170,
    frames: 1,
    lowest: -0.06592,
    mean: 0.5040481,
    bands: [0, 10, 25, 45, 79],
    values: { 0: [1.14954, 1.26878, 0.70781, 0.31213, -0.06592] },
  },
])(
  "matches Whisper's own definition for $length samples in $melBands bands",
  ({ melBands, length, frames, lowest, mean, bands, values }) => {
    const mel = createLogMel({ melBands })(sound(length), windowFrames);
    expect(mel).toHaveLength(melBands * windowFrames);
    for (const [frame, expected] of Object.entries(values)) {
      const got = bands.map((band) => mel[band * windowFrames + Number(frame)] ?? Number.NaN);
      expect(
        Math.max(...got.map((value, i) => Math.abs(value - (expected[i] ?? Number.NaN)))),
      ).toBeLessThan(2e-5);
    }
    const rows = Array.from({ length: melBands }, (_, band) =>
      mel.subarray(band * windowFrames, (band + 1) * windowFrames),
    );
    const filled = rows.flatMap((row) => Array.from(row.subarray(0, frames)));
    expect(Math.min(...filled)).toBeCloseTo(lowest, 4);
    expect(filled.reduce((sum, value) => sum + value, 0) / filled.length).toBeCloseTo(mean, 5);
    expect(rows.every((row) => row.subarray(frames).every((value) => value === 0))).toBe(true);
  },
);

it("distinguishes silence, which is low, from padding, which is 0", () => {
  const mel = createLogMel({ melBands: 2 })(new Float32Array(350), 4);
  expect(Array.from(mel)).toEqual([-1.5, -1.5, 0, 0, -1.5, -1.5, 0, 0]);
});

it("returns zeros for less than one hop of samples", () => {
  const logMel = createLogMel({ melBands: 80 });
  for (const length of [0, 1, 2, 159])
    expect(same(logMel(sound(length), windowFrames), new Float32Array(80 * windowFrames))).toBe(
      true,
    );
});

it("reflects very short audio without gaps", () => {
  const logMel = createLogMel({ melBands: 8, hopSamples: 1 });
  // A repeated sample is a constant, and so is its reflection, however often it is repeated.
  const steady = logMel(new Float32Array(300).fill(0.5), 300);
  for (const length of [1, 2, 3, 199]) {
    const mel = logMel(new Float32Array(length).fill(0.5), 300);
    for (let band = 0; band < 8; band++) {
      for (let frame = 0; frame < length; frame++)
        expect(mel[band * 300 + frame]).toBeCloseTo(steady[band * 300] ?? Number.NaN, 5);
    }
  }
});

it("does not read past the window", () => {
  const logMel = createLogMel({ melBands: 80 });
  const samples = sound(20 * 160);
  const longer = new Float32Array(30 * 160).fill(1);
  longer.set(samples);
  expect(same(logMel(longer, 20), logMel(samples, 20))).toBe(true);
});

it("keeps no state of earlier audio", () => {
  const logMel = createLogMel({ melBands: 80 });
  const first = logMel(sound(8200), windowFrames);
  logMel(new Float32Array(16_000).fill(0.9), windowFrames);
  expect(same(logMel(sound(8200), windowFrames), first)).toBe(true);
});

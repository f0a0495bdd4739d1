import { expect, it } from "vitest";
import {
  chunksOf,
  runsOf,
  windowCount,
  windowFrames,
  windowStartSec,
} from "../../../../main/engines/diarization/windows.ts";

const framesOf = (bitsAt: (sec: number) => number): Uint8Array =>
  Uint8Array.from({ length: windowFrames }, (_, frame) =>
    bitsAt((10 * (frame + 0.5)) / windowFrames),
  );

it.each([0.3, 5, 10, 10.05, 10.2, 14.9, 15, 15.2, 61.37])(
  "the parts that count of all windows make up a file of %s s",
  (durationSec) => {
    const runs = Array.from({ length: windowCount(durationSec) }, (_, index) =>
      runsOf({ index, frames: framesOf((sec) => (sec % 2 < 1 ? 1 : 0)) }, durationSec),
    ).flat();
    expect(runs[0]?.fromSec).toBe(0);
    expect(runs.at(-1)?.toSec).toBe(durationSec);
    for (const [index, { fromSec, toSec }] of runs.entries()) {
      expect(toSec).toBeGreaterThanOrEqual(fromSec);
      expect(runs[index + 1]?.fromSec ?? toSec).toBe(toSec);
    }
  },
);

it("no window lacks more than a moment of its audio, but the last", () => {
  for (let durationSec = 10; durationSec < 40; durationSec += 0.07) {
    const next = windowStartSec(windowCount(durationSec) - 2);
    expect(next + 10).toBeLessThanOrEqual(durationSec);
    expect(durationSec - windowStartSec(windowCount(durationSec) - 1)).toBeLessThanOrEqual(10.1);
  }
});

it("a run lasts while the same speakers talk", () => {
  const frames = framesOf((sec) => (sec < 2 ? 0 : sec < 4 ? 1 : sec < 5 ? 3 : 2));
  const runs = runsOf({ index: 0, frames }, 10);
  expect(runs.map(({ bits }) => bits)).toEqual([0, 1, 3, 2]);
  for (const [index, sec] of [2, 4, 5].entries()) expect(runs[index]?.toSec).toBeCloseTo(sec, 1);
});

const lengths = (toSec: number, bits = 2): number[] =>
  chunksOf({ fromSec: 1, toSec: 1 + toSec, bits }).map((chunk) => chunk.toSec - chunk.fromSec);

it("chunks have about 1.5 s, one speaker, and at least half a second", () => {
  expect(lengths(0.4)).toEqual([]);
  expect(lengths(4, 3)).toEqual([]);
  expect(lengths(4, 0)).toEqual([]);
  expect(lengths(0.6)).toEqual([expect.closeTo(0.6)]);
  expect(lengths(4.5)).toEqual([1.5, 1.5, 1.5]);
  expect(chunksOf({ fromSec: 0, toSec: 1, bits: 4 })).toEqual([
    { fromSec: 0, toSec: 1, speaker: 2 },
  ]);
});

import { expect, it } from "vitest";
import { splitAtTimestamps } from "../../../../../main/engines/stt/whisper/timestamps.ts";

const first = 1000;
const at = (sec: number): number => first + Math.round(sec / 0.02);
const split = (...tokens: number[]) => {
  const { segments, processedSec } = splitAtTimestamps(tokens, first, 20);
  return {
    segments: segments.map(({ startSec, endSec, tokens: own }) => [
      startSec,
      endSec,
      own.filter((token) => token < first),
    ]),
    processedSec,
  };
};

it("ends a segment between two adjacent timestamps, and transcribes the unfinished rest again", () => {
  expect(split(at(0), 1, 2, at(4), at(5), 3, at(9), at(9), 4)).toEqual({
    segments: [
      [0, 4, [1, 2]],
      [5, 9, [3]],
    ],
    processedSec: 9,
  });
});

it("is complete when the last segment ends with its timestamp", () => {
  expect(split(at(0), 1, at(4), at(5), 2, at(9))).toEqual({
    segments: [
      [0, 4, [1]],
      [5, 9, [2]],
    ],
    processedSec: 20,
  });
});

it("returns one segment when no two timestamps are adjacent", () => {
  expect(split(at(0), 1, 2, at(7))).toEqual({ segments: [[0, 7, [1, 2]]], processedSec: 20 });
  expect(split(at(0), 1, 2)).toEqual({ segments: [[0, 20, [1, 2]]], processedSec: 20 });
});

import { expect, it } from "vitest";
import type { SpeechSegmentSpan } from "../../../main/audio/dsp/vad-segmenter.ts";
import { groupByLength, groupAdjacent } from "../../../main/inference/segment-batches.ts";

const speechSegment = (fromSec: number, toSec: number): SpeechSegmentSpan => ({
  fromSec,
  toSec,
  startSec: fromSec,
  endSec: toSec,
  voicedSec: toSec - fromSec,
  voiceProb: 1,
});
const begins = (groups: readonly SpeechSegmentSpan[][]): number[][] =>
  groups.map((group) => group.map(({ fromSec }) => fromSec));

it("distributes speech segments over the pool, grouped by similar length", () => {
  const speechSegments = [
    speechSegment(0, 9),
    speechSegment(10, 12),
    speechSegment(13, 22),
    speechSegment(23, 25),
  ];
  expect(begins(groupByLength(speechSegments, 2))).toEqual([
    [0, 13],
    [10, 23],
  ]);
  expect(begins(groupByLength(speechSegments, 4)).flat()).toEqual([0, 10, 13, 23]);
});

it("keeps adjacent speech segments together up to a length, and uses the whole pool", () => {
  const speechSegments = [
    speechSegment(0, 9),
    speechSegment(10, 19),
    speechSegment(20, 29),
    speechSegment(30, 39),
  ];
  expect(begins(groupAdjacent(speechSegments, 20, 30, 2))).toEqual([
    [0, 10],
    [20, 30],
  ]);
  expect(begins(groupAdjacent(speechSegments, 20, 30, 1))).toEqual([[0, 10, 20, 30]]);
});

it("divides many runs evenly, so that no process ends long before the others", () => {
  const speechSegments = Array.from({ length: 18 }, (_, index) =>
    speechSegment(20 * index, 20 * index + 19),
  );
  expect(groupAdjacent(speechSegments, 20, 30, 2).map(({ length }) => length)).toEqual([
    4, 5, 4, 5,
  ]);
  expect(groupAdjacent(speechSegments.slice(0, 7), 20, 30, 2).map(({ length }) => length)).toEqual([
    3, 4,
  ]);
});

it("divides runs by their length, not by their number", () => {
  const speechSegments = [
    speechSegment(0, 19),
    speechSegment(20, 39),
    ...[40, 60, 80, 100].map((fromSec) => speechSegment(fromSec, fromSec + 11)),
  ];
  expect(begins(groupAdjacent(speechSegments, 20, 30, 2))).toEqual([
    [0, 20],
    [40, 60, 80, 100],
  ]);
});

it("does not split a file that fits one window with the silence around its speech", () => {
  const speechSegments = [{ ...speechSegment(5, 14), quietFromSec: 5 }, speechSegment(15, 29)];
  expect(begins(groupAdjacent(speechSegments, 20, 30, 2))).toEqual([[5, 15]]);
  expect(
    begins(
      groupAdjacent(
        [
          { ...speechSegment(5, 14), quietFromSec: 1 },
          { ...speechSegment(15, 29), quietToSec: 32 },
        ],
        20,
        30,
        2,
      ),
    ),
  ).toEqual([[5], [15]]);
  expect(groupAdjacent([], 20, 30, 2)).toEqual([]);
});

it("splits as short a part of a longer file, whose segments have no bounds of silence", () => {
  expect(begins(groupAdjacent([speechSegment(5, 14), speechSegment(15, 29)], 20, 30, 2))).toEqual([
    [5],
    [15],
  ]);
});

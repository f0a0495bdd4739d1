import { expect, it } from "vitest";
import type { SpeechSegmentSpan } from "../../../main/audio/dsp/vad-segmenter.ts";
import { groupByLength, groupAdjacent } from "../../../main/inference/segment-batches.ts";

const piece = (fromSec: number, toSec: number): SpeechSegmentSpan => ({
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
  const pieces = [piece(0, 9), piece(10, 12), piece(13, 22), piece(23, 25)];
  expect(begins(groupByLength(pieces, 2))).toEqual([
    [0, 13],
    [10, 23],
  ]);
  expect(begins(groupByLength(pieces, 4)).flat()).toEqual([0, 10, 13, 23]);
});

it("keeps adjacent speech segments together up to a length, and uses the whole pool", () => {
  const pieces = [piece(0, 9), piece(10, 19), piece(20, 29), piece(30, 39)];
  expect(begins(groupAdjacent(pieces, 20, 30, 2))).toEqual([
    [0, 10],
    [20, 30],
  ]);
  expect(begins(groupAdjacent(pieces, 20, 30, 1))).toEqual([[0, 10, 20, 30]]);
});

it("does not split speech segments that fit one window with the silence around them", () => {
  const pieces = [piece(5, 14), piece(15, 29)];
  expect(begins(groupAdjacent(pieces, 20, 30, 2))).toEqual([[5, 15]]);
  expect(
    begins(
      groupAdjacent(
        [
          { ...piece(5, 14), quietFromSec: 1 },
          { ...piece(15, 29), quietToSec: 32 },
        ],
        20,
        30,
        2,
      ),
    ),
  ).toEqual([[5], [15]]);
  expect(groupAdjacent([], 20, 30, 2)).toEqual([]);
});

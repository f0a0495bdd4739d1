import { expect, it } from "vitest";
import {
  type DocumentSegment,
  transcribeOptions,
} from "../../../../main/contract/transcript-document.ts";
import {
  listPendingRanges,
  pendingLengthSec,
} from "../../../../main/jobs/transcription/pending-ranges.ts";

const options = transcribeOptions.parse({});
const segment = (startSec: number, endSec: number): DocumentSegment => ({
  id: startSec,
  startSec,
  endSec,
  text: "x",
  words: [],
  language: "en",
  avgLogprob: 0,
  noSpeechProb: 0,
  compressionRatio: 1,
  isEdited: false,
});
const failedRange = (startSec: number, endSec: number) => ({ startSec, endSec, message: "failed" });
const open = (
  segments: DocumentSegment[],
  failed: ReturnType<typeof failedRange>[],
  more: Partial<typeof options> = {},
) =>
  listPendingRanges({ options: { ...options, ...more }, segments, failed }, 600).map(
    ({ fromSec, toSec }) => [fromSec, toSec],
  );

it("are everything, a part of it, the rest after the last segment, or nothing", () => {
  expect(open([], [])).toEqual([[0, undefined]]);
  expect(open([], [], { fromSec: 30, toSec: 60 })).toEqual([[30, 60]]);
  expect(open([segment(0, 200)], [])).toEqual([[200, undefined]]);
  expect(open([segment(0, 600)], [])).toEqual([]);
});

it("are failed ranges first, without what was transcribed since", () => {
  expect(open([segment(0, 100), segment(120, 150)], [failedRange(100, 300)])).toEqual([
    [150, 300],
    [300, undefined],
  ]);
});

it("contain nothing twice when the app ended after a part of a failed range had failed again", () => {
  const [whole, again] = [failedRange(100, 300), failedRange(100, 200)];
  expect(open([segment(0, 100)], [whole, again])).toEqual([
    [200, 300],
    [100, 200],
    [300, undefined],
  ]);
  expect(open([segment(0, 100)], [whole, failedRange(100, 300)])).toEqual([
    [300, 300],
    [100, 300],
    [300, undefined],
  ]);
});

it("are those of each track, and progress counts the one at work", () => {
  const ranges = listPendingRanges(
    {
      options: { ...options, tracks: ["Me", "Others"] },
      segments: [
        { ...segment(0, 500), track: 0 },
        { ...segment(0, 200), track: 1 },
      ],
      failed: [{ ...failedRange(50, 80), track: 1 }],
    },
    600,
  );
  expect(ranges.map(({ fromSec, toSec, track }) => [fromSec, toSec, track])).toEqual([
    [500, undefined, 0],
    [50, 80, 1],
    [200, undefined, 1],
  ]);
  expect(pendingLengthSec(ranges, 600)).toBe(530);
  expect(pendingLengthSec(ranges, 600, { range: ranges[2], processedSec: 300 })).toBe(230);
});

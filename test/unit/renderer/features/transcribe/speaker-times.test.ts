// When and how long each speaker talks, and which range is played as a sample.

import { expect, it } from "vitest";
import type { DocumentSegment } from "../../../../../main/contract/transcript-document.ts";
import {
  speakerSample,
  speakerTimes,
} from "../../../../../renderer/features/transcribe/document/speaker-times.ts";
import { segment } from "./segments.ts";

const said = (
  speaker: string | undefined,
  id: number,
  [startSec, endSec]: readonly [number, number],
  text: string,
  probabilities?: readonly number[],
): DocumentSegment => ({
  ...segment(id, startSec, endSec, text, probabilities),
  ...(speaker === undefined ? {} : { speaker }),
});

it("sums what each speaker says, without pauses and what nobody is named for", () => {
  const talk = [
    said("Anna", 1, [0, 2], "good morning"),
    said("Anna", 2, [2.2, 4], "how are you"),
    said("Ben", 3, [5, 6], "well"),
    said(undefined, 4, [6, 9], "somebody coughs"),
    said("Anna", 5, [10, 12], "I see"),
  ];
  const [anna, ben, ...more] = speakerTimes(talk);
  expect(more).toEqual([]);
  expect(anna).toMatchObject({
    name: "Anna",
    hue: 1,
    count: 3,
    ranges: [
      { startSec: 0, endSec: 4 },
      { startSec: 10, endSec: 12 },
    ],
    spokenSec: 6,
  });
  expect(anna?.share).toBeCloseTo(6 / 7, 6);
  expect(ben).toMatchObject({ name: "Ben", hue: 2, ranges: [{ startSec: 5, endSec: 6 }] });
  expect(speakerTimes([])).toEqual([]);
});

it("does not join what a speaker says before and after another one", () => {
  const talk = [
    said("Anna", 1, [0, 2], "good morning"),
    said("Ben", 2, [2, 2.3], "yes"),
    said("Anna", 3, [2.3, 4], "and you"),
  ];
  expect(speakerTimes(talk)[0]?.ranges).toHaveLength(2);
});

it("plays the longest range that is sure and nobody else's, at most ten seconds of it", () => {
  const talk = [
    said("Anna", 1, [0, 3], "good morning to you"),
    said("Ben", 2, [4, 20], "a long and clear answer"),
    said("Anna", 3, [21, 25], "mumbled words hardly heard", [0.3, 0.2, 0.3, 0.2]),
    said("Anna", 4, [30, 38], "she talks over somebody for long"),
    said("Ben", 5, [33, 34], "no"),
  ];
  expect(speakerSample(talk, "Anna")).toEqual({ startSec: 0, endSec: 3 });
  expect(speakerSample(talk, "Ben")).toEqual({ startSec: 4, endSec: 14 });
  expect(speakerSample(talk, "Carla")).toBeUndefined();
  // Better than nothing.
  expect(speakerSample(talk.slice(3), "Ben")).toEqual({ startSec: 33, endSec: 34 });
});

it("plays segments without word times as well", () => {
  const untimed = { ...said("Anna", 1, [2, 5], "typed by hand"), words: [] };
  expect(speakerSample([untimed], "Anna")).toEqual({ startSec: 2, endSec: 5 });
});

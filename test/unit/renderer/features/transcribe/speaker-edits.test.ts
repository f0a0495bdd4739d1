// A range is given to somebody, and somebody else begins: segments are split where words are.

import { expect, it } from "vitest";
import type { DocumentSegment } from "../../../../../main/contract/transcript-document.ts";
import {
  applyPatch,
  invertPatch,
  type Patch,
} from "../../../../../renderer/features/transcribe/document/segments.ts";
import {
  applyFoundSpeakers,
  assignRange,
  sameSpeakerFrom,
  splitSpeaker,
  unusedSpeakerName,
} from "../../../../../renderer/features/transcribe/document/speaker-edits.ts";
import { segment } from "./segments.ts";

/** A word a second. */
const talk: readonly DocumentSegment[] = [
  { ...segment(1, 0, 4, "good morning to you"), speaker: "Anna" },
  { ...segment(2, 4, 6, "thank you"), speaker: "Ben" },
  { ...segment(3, 6, 10, "how was your journey"), speaker: "Anna" },
];
const lines = (segments: readonly DocumentSegment[]): string[] =>
  segments.map(({ speaker = "-", text }) => `${speaker}: ${text}`);
/** Also checks that one step takes it back. */
function applied(patch: Patch): string[] {
  const changed = applyPatch(talk, patch);
  expect(applyPatch(changed, invertPatch(talk, patch))).toEqual(talk);
  return lines(changed);
}

it("gives a range to a speaker, and splits segments that only partly lie in it", () => {
  expect(applied(assignRange(talk, { fromSec: 1.9, toSec: 7.2 }, "Carla"))).toEqual([
    "Anna: good morning",
    "Carla: to you",
    "Carla: thank you",
    "Carla: how",
    "Anna: was your journey",
  ]);
  expect(applied(assignRange(talk, { fromSec: 1, toSec: 2 }, undefined))).toEqual([
    "Anna: good",
    "-: morning",
    "Anna: to you",
    "Ben: thank you",
    "Anna: how was your journey",
  ]);
});

it("leaves segments whole that are hardly touched, without word times, or the speaker's already", () => {
  expect(applied(assignRange(talk, { fromSec: 3.8, toSec: 6.3 }, "Carla"))).toEqual([
    "Anna: good morning to you",
    "Carla: thank you",
    "Anna: how was your journey",
  ]);
  const typed = talk.map((each) => ({ ...each, words: [] }));
  const patch = assignRange(typed, { fromSec: 1, toSec: 7 }, "Carla");
  expect(lines(applyPatch(typed, patch)).map((line) => line.split(":")[0])).toEqual([
    "Carla",
    "Carla",
    "Anna",
  ]);
  expect(assignRange(talk, { fromSec: 1, toSec: 3 }, "Anna")).toEqual({ put: [], remove: [] });
});

it("gives the rest of what one speaker says to another, from a word on", () => {
  expect(applied(splitSpeaker(talk, { id: 1, offset: 5 }, "C"))).toEqual([
    "Anna: good",
    "C: morning to you",
    "Ben: thank you",
    "C: how was your journey",
  ]);
  expect(applied(splitSpeaker(talk, { id: 3, offset: 0 }, "C"))).toEqual([
    "Anna: good morning to you",
    "Ben: thank you",
    "C: how was your journey",
  ]);
  expect(sameSpeakerFrom(talk, 1).map(({ id }) => id)).toEqual([1, 3]);
  expect(sameSpeakerFrom(talk, 9)).toEqual([]);
});

it("names somebody new by a letter that nobody has", () => {
  expect(unusedSpeakerName(["Anna", "A", "C"])).toBe("B");
  expect(unusedSpeakerName([])).toBe("A");
});

/** The first line is shared by Anna and Carla; the others are Ben's. */
const found = talk.map((line, at): DocumentSegment[] =>
  at === 0
    ? [
        { ...line, endSec: 1, text: "good", speaker: "Anna" },
        { ...line, startSec: 1, text: "morning to you", speaker: "Carla" },
      ]
    : [{ ...line, text: "as transcribed", speaker: "Ben" }],
);

it("gives segments the speakers found for them, split where two share one", () => {
  expect(applied(applyFoundSpeakers(talk, talk, found))).toEqual([
    "Anna: good",
    "Carla: morning to you",
    "Ben: thank you",
    "Ben: how was your journey",
  ]);
});

it("keeps the text of what was edited, added or removed meanwhile", () => {
  const [first, , third] = talk as [DocumentSegment, DocumentSegment, DocumentSegment];
  const added = { ...segment(4, 10, 12, "fine"), speaker: "Anna" };
  const edited = [{ ...first, text: "good evening to you" }, third, added];
  expect(lines(applyPatch(edited, applyFoundSpeakers(edited, talk, found)))).toEqual([
    "Carla: good evening to you",
    "Ben: how was your journey",
    "Anna: fine",
  ]);
});

import { expect, it } from "vitest";
import type { Speakers } from "../../../../main/contract/speakers.ts";
import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import {
  labelSegments,
  relabelSegments,
} from "../../../../main/jobs/transcription/document-speakers.ts";
import { transcribedSegments } from "../../../support/transcripts.ts";

/** A segment every two seconds. */
const segments = (...speakers: readonly (string | undefined)[]): DocumentSegment[] =>
  transcribedSegments(...speakers.map((_, at) => `Sentence ${at}.`)).map((segment, id) => {
    const speaker = speakers[id];
    return { ...segment, id, ...(speaker === undefined ? {} : { speaker }) };
  });

const axis = (index: number): Float32Array =>
  Float32Array.from({ length: 4 }, (_, i) => Number(i === index));

/** Speaker 0 and 1 take turns, two seconds each. */
const found = (count: number): Speakers => ({
  turns: Array.from({ length: count }, (_, at) => ({
    fromSec: 2 * at,
    toSec: 2 * at + 1.5,
    speaker: at % 2,
  })),
  prints: [axis(0), axis(1)],
});

const namesOf = (put: readonly DocumentSegment[]) => put.map(({ speaker }) => speaker);

it("names known voices and says how sure that is, and gives letters to all others", () => {
  const { put, recognized } = labelSegments(
    { segments: segments(undefined, undefined) },
    found(2),
    [
      { name: "Ada", print: Float32Array.from([0.2, 1, 0, 0]) },
      { name: "Bob", print: axis(2) },
    ],
  );
  expect(namesOf(put)).toEqual(["A", "Ada"]);
  expect(Object.keys(recognized)).toEqual(["Ada"]);
  expect(recognized["Ada"]).toBeGreaterThan(0.9);
  expect(recognized["Ada"]).toBeLessThanOrEqual(1);
});

it("gives no letter and no known name to music before what is said", () => {
  const music = { fromSec: 0, toSec: 6, speaker: 0 };
  const speech = segments(undefined).map((each) => ({ ...each, startSec: 10, endSec: 12 }));
  const speakers: Speakers = {
    turns: [music, { fromSec: 10, toSec: 12, speaker: 1 }],
    prints: [axis(0), axis(1)],
  };
  const voices = [{ name: "Ada", print: axis(0) }];
  expect(namesOf(labelSegments({ segments: speech }, speakers, voices).put)).toEqual(["A"]);
  const { parts } = relabelSegments({ segments: speech }, speakers, voices);
  expect(namesOf(parts.flat())).toEqual(["A"]);
});

it("gives nobody the letter that a person is called by", () => {
  const voices = [{ name: "A", print: axis(3) }];
  const { put } = labelSegments({ segments: segments(undefined) }, found(1), voices);
  expect(namesOf(put)).toEqual(["B"]);
});

it("keeps initials, which are no letters of its own", () => {
  expect(relabelled(["JD", "B", "JD", "B"])).toEqual(["JD", "A", "JD", "A"]);
});

const sureOf = (...print: number[]): number =>
  labelSegments({ segments: segments(undefined) }, found(1), [
    { name: "Ada", print: Float32Array.from(print) },
  ]).recognized["Ada"] ?? 0;

it("is less sure of a voice that sounds less alike", () => {
  expect(sureOf(1, 0, 0, 1)).toBeLessThan(sureOf(1, 0, 0, 0.5));
  expect(sureOf(1, 0, 0, 4)).toBe(0);
});

it("keeps names that speakers have, and gives them to what they say elsewhere", () => {
  const { put, recognized } = labelSegments(
    { segments: segments("Eve", "Ada", undefined, undefined) },
    found(4),
    [{ name: "Ada", print: axis(0) }],
  );
  expect(namesOf(put)).toEqual(["Eve", "Ada"]);
  expect(put.map(({ id }) => id)).toEqual([2, 3]);
  expect(recognized).toEqual({});
});

const relabelled = (
  speakers: readonly (string | undefined)[],
  recognized: Record<string, number> = {},
) => {
  const { parts } = relabelSegments({ segments: segments(...speakers), recognized }, found(4), []);
  return parts.map((each) => namesOf(each).join(" + "));
};

it("labels all segments again, and keeps each given name where it stands longest", () => {
  expect(relabelled(["B", undefined, "B", "A"])).toEqual(["A", "B", "A", "B"]);
  expect(relabelled(["Ben", "Ben", "Ben", undefined])).toEqual(["Ben", "A", "Ben", "A"]);
  expect(relabelled(["Ben", "Eve", "Ben", "Ben"])).toEqual(["Ben", "Eve", "Ben", "Eve"]);
});

it("keeps no name that was only a guess", () => {
  expect(relabelled(["Ada", "Eve"].concat("Ada", "Eve"), { Ada: 0.9 })).toEqual([
    "A",
    "Eve",
    "A",
    "Eve",
  ]);
});

it("splits segments at words when it labels them again, and keeps what somebody wrote", () => {
  const [first, ...others] = segments("A", "A");
  const shared = {
    ...(first as DocumentSegment),
    endSec: 4,
    text: "Good morning. Thank you.",
    isEdited: true,
    words: ["Good", "morning.", "Thank", "you."].map((word, at) => ({
      word,
      startSec: at,
      endSec: at + 0.9,
      probability: 1,
    })),
  };
  const { parts } = relabelSegments({ segments: [shared, ...others] }, found(2), []);
  expect(parts[0]?.map(({ id, text, speaker, isEdited }) => [id, text, speaker, isEdited])).toEqual(
    [
      [0, "Good morning.", "A", true],
      [0, "Thank you.", "B", true],
    ],
  );
});

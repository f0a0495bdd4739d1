import { expect, it } from "vitest";
import type { SpeakerTurn } from "../../../main/contract/speakers.ts";
import {
  createSpeakerAssignment,
  type Spoken,
} from "../../../main/transcript/speaker-assignment.ts";

const assignSpeakers = <Segment extends Spoken>(
  segments: readonly Segment[],
  turns: readonly SpeakerTurn[],
) => segments.flatMap(createSpeakerAssignment(turns));

const turn = (speaker: number, fromSec: number, toSec: number) => ({ speaker, fromSec, toSec });

/** A segment with a word every half second. */
function spoken(text: string, startSec = 0) {
  const words = text.split(" ").map((word, i) => ({
    word: ` ${word}`,
    startSec: startSec + i / 2,
    endSec: startSec + i / 2 + 0.4,
  }));
  return { startSec, endSec: words.at(-1)?.endSec ?? startSec, text, words };
}

const summary = (segments: readonly { speaker?: number; text: string }[]): string[] =>
  segments.map(({ speaker, text }) => `${speaker}: ${text}`);

it("splits a segment at the word where somebody else begins", () => {
  const parts = assignSpeakers(
    [spoken("How are you? Fine, thank you.")],
    [turn(0, 0, 1.5), turn(1, 1.6, 4)],
  );
  expect(summary(parts)).toEqual(["0: How are you?", "1: Fine, thank you."]);
  expect(parts[0]).toMatchObject({ startSec: 0, endSec: 1.4 });
  expect(parts[1]).toMatchObject({ startSec: 1.5, endSec: 2.9 });
  expect(parts.map(({ words }) => words.length)).toEqual([3, 3]);
});

it("moves a change to the end of a sentence nearby, where the times of words are not exact", () => {
  const text = "This is Diane. And I am Sheila. Hi there you two.";
  const splits = (changeSec: number): string[] =>
    summary(assignSpeakers([spoken(text)], [turn(0, 0, changeSec), turn(1, changeSec, 9)]));
  const atSentence = ["0: This is Diane.", "1: And I am Sheila. Hi there you two."];
  expect(splits(1.5)).toEqual(atSentence);
  expect(splits(2)).toEqual(atSentence);
  expect(splits(1)).toEqual(atSentence);
  expect(splits(2.5)).toEqual(["0: This is Diane. And I", "1: am Sheila. Hi there you two."]);
});

it("leaves an interjection of one word to the one who says it", () => {
  const turns = [turn(0, 0, 1.4), turn(1, 1.5, 1.9), turn(0, 2, 4)];
  expect(summary(assignSpeakers([spoken("I went there yes and came back")], turns))).toEqual([
    "0: I went there",
    "1: yes",
    "0: and came back",
  ]);
});

it("leaves a sentence whole where somebody else only talks over it", () => {
  const turns = [turn(0, 0, 4), turn(1, 1.4, 2.6)];
  expect(summary(assignSpeakers([spoken("I went there and came back again")], turns))).toEqual([
    "0: I went there and came back again",
  ]);
});

it("gives words between turns to the nearest one, and a word on a border to the longer part", () => {
  const turns = [turn(0, 0, 0.9), turn(1, 2.15, 4)];
  expect(summary(assignSpeakers([spoken("one two three four five six")], turns))).toEqual([
    "0: one two three",
    "1: four five six",
  ]);
  expect(summary(assignSpeakers([spoken("far away", 60)], turns))).toEqual(["1: far away"]);
});

it("without times of words splits by length, but not for less than a second", () => {
  const turns = [turn(0, 0, 5), turn(1, 5, 10)];
  const segment = { startSec: 0, endSec: 10, text: "abcd abcd abcd efgh efgh efgh" };
  expect(summary(assignSpeakers([segment], turns))).toEqual([
    "0: abcd abcd abcd",
    "1: efgh efgh efgh",
  ]);
  expect(summary(assignSpeakers([segment], [turn(0, 0, 9.5), turn(1, 9.5, 12)]))).toEqual([
    `0: ${segment.text}`,
  ]);
  const chinese = { startSec: 0, endSec: 10, text: "一二三四五六七八九十" };
  expect(summary(assignSpeakers([chinese], turns))).toEqual(["0: 一二三四五", "1: 六七八九十"]);
});

it("uses an edited text as it is, though the words no longer make it up", () => {
  const segment = { ...spoken("How are you? Fine."), text: "Hello? Good." };
  expect(summary(assignSpeakers([segment], [turn(0, 0, 9)]))).toEqual(["0: Hello? Good."]);
});

it("has one speaker where nobody talks", () => {
  expect(assignSpeakers([spoken("Hello")], [])).toEqual([{ ...spoken("Hello"), speaker: 0 }]);
});

import { describe, expect, it } from "vitest";
import {
  findEdit,
  rangeIndexAt,
  shiftRanges,
} from "../../../../../renderer/features/narrate/script/text-ranges.ts";
import { staleIds } from "../../../../../renderer/features/narrate/script/sentence-updates.ts";
import { narrationOf } from "./sentences.ts";

const wordsOf = (script: string) => narrationOf(script).sentences;

describe("an edit between two texts", () => {
  it("is the range between their common start and end", () => {
    expect(findEdit("one two three", "one 2 three")).toEqual({ start: 4, oldEnd: 7, newEnd: 5 });
    expect(findEdit("aa", "aaa")).toEqual({ start: 2, oldEnd: 2, newEnd: 3 });
    expect(findEdit("same", "same")).toBeUndefined();
  });
});

describe("sentences during typing", () => {
  it("move along with the text, without those that are being changed", () => {
    const [before, after] = ["One. Two. Three.", "One. Twenty two. Three."];
    expect(
      shiftRanges(wordsOf(before), before, after).map(({ start, end }) => after.slice(start, end)),
    ).toEqual(["One.", "Three."]);
  });

  it("stay unchanged when text is added after them", () => {
    const [before, after] = ["One.", "One. Tw"];
    expect(shiftRanges(wordsOf(before), before, after)).toEqual(wordsOf(before));
  });

  it("are found by a position in the text", () => {
    const places = wordsOf("One. Two. Three.");
    expect([0, 4, 5, 99].map((at) => rangeIndexAt(places, at))).toEqual([0, 0, 1, 2]);
    expect(rangeIndexAt([], 3)).toBe(-1);
  });
});

describe("stale sentences", () => {
  it("are those without a take that had one", () => {
    const before = narrationOf("One. Two. Three.", ["One.", "Two."]).sentences;
    const made = before.filter(({ takes }) => takes.length > 0);
    expect(staleIds(narrationOf("One. Two. Three.", ["One."]).sentences, made)).toEqual(
      new Set(["Two."]),
    );
    expect(staleIds(before, made)).toEqual(new Set());
  });
});

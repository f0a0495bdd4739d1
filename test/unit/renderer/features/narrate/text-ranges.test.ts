import { describe, expect, it } from "vitest";
import {
  findEdit,
  mergeEdits,
  rangeIndexAt,
  shiftRanges,
} from "../../../../../renderer/features/narrate/script/text-ranges.ts";
import { staleIds } from "../../../../../renderer/features/narrate/script/sentence-updates.ts";
import { narrationOf } from "./sentences.ts";

const wordsOf = (script: string) => narrationOf(script).sentences;

describe("an edit between two texts", () => {
  it("is the stretch between their common ends", () => {
    expect(findEdit("one two three", "one 2 three")).toEqual({ start: 4, oldEnd: 7, newEnd: 5 });
    expect(findEdit("aa", "aaa")).toEqual({ start: 2, oldEnd: 2, newEnd: 3 });
    expect(findEdit("same", "same")).toBeUndefined();
  });
});

describe("sentences while one types", () => {
  it("move along with the text, and those that are typed in are left out", () => {
    const [before, after] = ["One. Two. Three.", "One. Twenty two. Three."];
    expect(
      shiftRanges(wordsOf(before), before, after).map(({ start, end }) => after.slice(start, end)),
    ).toEqual(["One.", "Three."]);
  });

  it("stay as they are when one writes on behind them", () => {
    const [before, after] = ["One.", "One. Tw"];
    expect(shiftRanges(wordsOf(before), before, after)).toEqual(wordsOf(before));
  });

  it("are found by a place in the text", () => {
    const places = wordsOf("One. Two. Three.");
    expect([0, 4, 5, 99].map((at) => rangeIndexAt(places, at))).toEqual([0, 0, 1, 2]);
    expect(rangeIndexAt([], 3)).toBe(-1);
  });
});

describe("two people’s changes", () => {
  it("come together where they are apart", () => {
    expect(mergeEdits("one two three", "ONE two three", "one two THREE")).toBe("ONE two THREE");
    expect(mergeEdits("one two three", "one two three four", "zero one two three")).toBe(
      "zero one two three four",
    );
    expect(mergeEdits("one", "one", "other")).toBe("other");
  });

  it("do not come together in the same place", () => {
    expect(mergeEdits("one two three", "one 2 three", "one zwei three")).toBeUndefined();
    expect(mergeEdits("one", "one a", "one b")).toBeUndefined();
  });
});

describe("stale sentences", () => {
  it("are those without a take where there was one", () => {
    const before = narrationOf("One. Two. Three.", ["One.", "Two."]).sentences;
    const made = before.filter(({ takes }) => takes.length > 0);
    expect(staleIds(narrationOf("One. Two. Three.", ["One."]).sentences, made)).toEqual(
      new Set(["Two."]),
    );
    expect(staleIds(before, made)).toEqual(new Set());
  });
});

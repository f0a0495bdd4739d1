import { describe, expect, it } from "vitest";
import { findCorrection } from "../../../../../renderer/features/transcribe/document/find-correction.ts";

describe("what was corrected", () => {
  it.each([
    ["We met Jurgensen's team.", "We met Jørgensen's team.", "Jurgensen", "Jørgensen"],
    ["I use pie torch, daily.", "I use PyTorch, daily.", "pie torch", "PyTorch"],
    ["in c sharp", "in C#", "c sharp", "C#"],
    ["ask anna linquist now", "ask Anna Lindqvist now", "anna linquist", "Anna Lindqvist"],
  ])("%s → %s", (before, after, heard, word) => {
    expect(findCorrection(before, after)).toEqual({ heard, word });
  });

  it("is nothing if words were only added, removed, or changed in several places", () => {
    expect(findCorrection("one two", "one two three")).toBeUndefined();
    expect(findCorrection("one two three", "one two")).toBeUndefined();
    expect(findCorrection("one two three", "One two Three")).toBeUndefined();
    expect(findCorrection("same.", "same,")).toBeUndefined();
    expect(findCorrection("a b c d e f", "g h i j k l")).toBeUndefined();
  });
});

import { expect, it } from "vitest";
import { findTextErrors } from "../../../main/transcript/word-errors.ts";

it("counts and marks the fewest changes that give the recognized text", () => {
  const { parts, ...counts } = findTextErrors(
    "Yellow lemons roll down the street.",
    "Yellow lemon roll down a the",
    "en",
  );
  expect(counts).toEqual({
    unit: "words",
    length: 6,
    substituted: 1,
    deleted: 1,
    inserted: 1,
    rate: 0.5,
  });
  expect(parts).toEqual([
    { kind: "same", text: "Yellow " },
    { kind: "substituted", text: "lemon ", expected: "lemons " },
    { kind: "same", text: "roll down " },
    { kind: "inserted", text: "a " },
    { kind: "same", text: "the" },
    { kind: "deleted", text: "street." },
  ]);
});

it("ignores case, punctuation and the form of apostrophes", () => {
  const { rate, parts } = findTextErrors("Don’t go, Élise!", "don't go élise", "fr");
  expect(rate).toBe(0);
  expect(parts).toEqual([{ kind: "same", text: "don't go élise" }]);
});

it("counts characters where words are not separated", () => {
  expect(findTextErrors("今天天气很好。", "今天天汽很好", "zh")).toMatchObject({
    unit: "characters",
    length: 6,
    substituted: 1,
    rate: 1 / 6,
  });
});

it("counts all words as missing if nothing was recognized, and as inserted if nothing was said", () => {
  expect(findTextErrors("One two.", "", "en")).toMatchObject({ deleted: 2, rate: 1 });
  expect(findTextErrors("…", "One two.", "en")).toMatchObject({ inserted: 2, length: 0, rate: 2 });
});

it("aligns long texts with few errors", () => {
  const words = Array.from({ length: 2000 }, (_, index) => `word${index}`);
  const transcribed = words.filter((_, index) => index % 100 !== 50);
  expect(findTextErrors(words.join(" "), transcribed.join(" "), "en")).toMatchObject({
    deleted: 20,
    substituted: 0,
    inserted: 0,
  });
});

import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { maxMeasuredCharacters } from "../../../main/contract/measurements.ts";
import { findTextErrors } from "../../../main/transcript/word-errors.ts";

it("counts and marks the fewest changes that give the recognized text", async () => {
  const { parts, ...counts } = await findTextErrors(
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

it("ignores case, punctuation and the form of apostrophes", async () => {
  const { rate, parts } = await findTextErrors("Don’t go, Élise!", "don't go élise", "fr");
  expect(rate).toBe(0);
  expect(parts).toEqual([{ kind: "same", text: "don't go élise" }]);
});

it("counts characters where words are not separated", async () => {
  expect(await findTextErrors("今天天气很好。", "今天天汽很好", "zh")).toMatchObject({
    unit: "characters",
    length: 6,
    substituted: 1,
    rate: 1 / 6,
  });
});

it("counts all words as missing if nothing was recognized, and as inserted if nothing was said", async () => {
  expect(await findTextErrors("One two.", "", "en")).toMatchObject({ deleted: 2, rate: 1 });
  expect(await findTextErrors("…", "One two.", "en")).toMatchObject({
    inserted: 2,
    length: 0,
    rate: 2,
  });
});

it("goes by the letters where the language is not the text's own", async () => {
  expect(await findTextErrors("今天天气很好。", "今天天汽很好", "en")).toMatchObject({
    unit: "characters",
    length: 6,
    substituted: 1,
  });
  expect(await findTextErrors("สวัสดีครับ", "สวัสดีคับ", "en")).toMatchObject({ unit: "characters" });
  expect(await findTextErrors("He said 你好 to me.", "He said 你好 to me", "en")).toMatchObject({
    unit: "words",
    length: 5,
  });
});

it("aligns long texts with few errors", async () => {
  const words = Array.from({ length: 2000 }, (_, index) => `word${index}`);
  const transcribed = words.filter((_, index) => index % 100 !== 50);
  expect(await findTextErrors(words.join(" "), transcribed.join(" "), "en")).toMatchObject({
    deleted: 20,
    substituted: 0,
    inserted: 0,
  });
});

/** The longest text that is measured, in which no two characters in a row recur. */
const longChinese = Array.from({ length: maxMeasuredCharacters }, (_, index) =>
  String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)),
);

it("counts the errors of the longest text without spaces, a passage left out included", async () => {
  const transcribed = longChinese
    .toSpliced(5000, 1000)
    .map((character, index) => (index % 100 === 50 ? "错" : character));
  expect(await findTextErrors(longChinese.join(""), transcribed.join(""), "zh")).toMatchObject({
    unit: "characters",
    length: maxMeasuredCharacters,
    substituted: 140,
    deleted: 1000,
    inserted: 0,
  });
});

it("compares the longest texts in bounded memory, and lets others work meanwhile", async () => {
  const before = process.memoryUsage().arrayBuffers;
  const errors = findTextErrors(longChinese.join(""), longChinese.toReversed().join(""), "zh");
  const work = { isDone: false };
  void errors.then(() => (work.isDone = true));
  let turns = 0;
  let maxBytes = 0;
  for (; !work.isDone; turns += 1) {
    await nextTurn();
    maxBytes = Math.max(maxBytes, process.memoryUsage().arrayBuffers - before);
  }
  const { substituted, deleted, inserted, length } = await errors;
  expect(length + inserted - deleted).toBe(maxMeasuredCharacters);
  expect(substituted + deleted + inserted).toBeGreaterThan(length / 2);
  expect(turns).toBeGreaterThan(5);
  // A table of all cells would take 10 GB; buffers of other tests may not be collected yet.
  expect(maxBytes).toBeLessThan(200e6);
});

it.each([
  ["一", longChinese.join("")],
  [longChinese.join(""), "一"],
])("compares a long text with a single character", async (expected, transcribed) => {
  const { substituted, deleted, inserted } = await findTextErrors(expected, transcribed, "zh");
  expect(substituted + deleted + inserted).toBe(maxMeasuredCharacters - 1);
});

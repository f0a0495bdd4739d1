import { expect, it } from "vitest";
import { countWords, hasTooFewWords } from "../../../../main/engines/stt/missing-words.ts";

it.each([
  ["", 0],
  [" … — ", 0],
  ["It's half past ten, isn't it?", 6],
  ["Er griff auch alles an, was ins Wasser kam.", 9],
])("counts the words of %j", (text, words) => {
  expect(countWords(text)).toBe(words);
});

it.each([
  "今天天气很好我们去公园散步吧",
  "今日は天気がいいので公園を散歩しましょう",
  "วันนี้อากาศดีมากเราไปเดินเล่นกัน",
])("counts words of languages without spaces: %s", (text) => {
  expect(countWords(text)).toBeGreaterThan(4);
});

it("accepts slow speech, but not a few words for a long range", () => {
  expect(hasTooFewWords(8, 6)).toBe(false);
  expect(hasTooFewWords(1, 7.5)).toBe(true);
  expect(hasTooFewWords(0, 1)).toBe(true);
});

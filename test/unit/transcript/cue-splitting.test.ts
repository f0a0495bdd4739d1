import { describe, expect, it } from "vitest";
import { splitCue } from "../../../main/transcript/cue-splitting.ts";

const long =
  "Well, when I first came to the city there was nothing here at all. The harbour had been closed for years, the shops were empty, and nobody thought that it would ever be any different from what it was then.";
const linesOf = (text: string) => text.split("\n");
const joined = (cues: readonly { text: string }[]) =>
  cues.map(({ text }) => text.replaceAll("\n", " ")).join(" ");

describe("a long segment", () => {
  const cues = splitCue({ startSec: 10, endSec: 24, text: long });

  it("becomes cues of at most two lines of 42 characters and seven seconds, with all its words", () => {
    expect(joined(cues)).toBe(long);
    expect(cues.length).toBeGreaterThan(2);
    for (const cue of cues) {
      expect(linesOf(cue.text).length).toBeLessThanOrEqual(2);
      for (const line of linesOf(cue.text)) expect(line.length).toBeLessThanOrEqual(42);
      expect(cue.endSec - cue.startSec).toBeLessThanOrEqual(7);
    }
    expect([cues[0]?.startSec, cues.at(-1)?.endSec]).toEqual([10, 24]);
  });

  it("is split at the ends of sentences and clauses", () => {
    expect(linesOf(cues[0]?.text ?? "").at(-1)).toMatch(/at all\.$/);
    expect(cues[1]?.text).toMatch(/[,.]$/);
  });
});

it("splits at the times of words, and omits pauses", () => {
  const words = long.split(" ").map((word, at) => ({
    word,
    startSec: at + (at >= 14 ? 5 : 0),
    endSec: at + 0.9 + (at >= 14 ? 5 : 0),
  }));
  const cues = splitCue({ startSec: 0, endSec: 60, text: long, words });
  expect(joined(cues)).toBe(long);
  for (const { startSec, endSec, text } of cues) {
    const [first, last] = [linesOf(text)[0]?.split(" ")[0], text.split(/\s/).at(-1)];
    expect(words.some((word) => word.word === first && word.startSec === startSec)).toBe(true);
    expect(endSec - startSec).toBeLessThanOrEqual(7);
    expect(words.some((word) => word.word === last && word.endSec === endSec)).toBe(true);
  }
  expect(cues.find(({ text }) => text.endsWith("at all."))?.endSec).toBe(13.9);
});

it("keeps short text in one cue, also two short sentences", () => {
  expect(splitCue({ startSec: 1, endSec: 3, text: " Yes. I know. " })).toEqual([
    { startSec: 1, endSec: 3, text: "Yes. I know." },
  ]);
  expect(splitCue({ startSec: 1, endSec: 3, text: "  " })).toEqual([]);
});

it("counts a speaker's name as text, but not as time", () => {
  const cues = splitCue({ startSec: 0, endSec: 10, text: long, prefix: "Will: ", words: [] });
  expect(joined(cues)).toBe(`Will: ${long}`);
  expect(cues[0]?.text.startsWith("Will: Well,")).toBe(true);
  for (const { text } of cues)
    for (const line of linesOf(text)) expect(line.length).toBeLessThanOrEqual(42);
});

it("splits text without spaces", () => {
  const cues = splitCue({
    startSec: 0,
    endSec: 6,
    text: "这是一个很长的句子，它没有任何空格，所以必须在字与字之间断开，否则就会超出屏幕的宽度，谁也看不见后面说的是什么。",
  });
  expect(cues.length).toBeGreaterThan(1);
  for (const { text } of cues)
    for (const line of linesOf(text)) expect(line.length).toBeLessThanOrEqual(21);
  expect(
    splitCue({ startSec: 0, endSec: 6, text: "x".repeat(200) })
      .flatMap(({ text }) => linesOf(text))
      .every((line) => line.length <= 42),
  ).toBe(true);
});

import { expect, it } from "vitest";
import { buildWords } from "../../../../main/engines/stt/moonshine/word-timing.ts";

/** Words at the given starts of a segment of one second, from one token each. */
const wordsAt = (...startsSec: number[]): [start: number, end: number][] =>
  buildWords(
    {
      tokens: startsSec.map((_, index) => index),
      logProbs: startsSec.map(() => 0),
      attentions: [],
    },
    [...startsSec, 1],
    { beginsWord: () => true, decode: ([token]) => `word ${token}` },
    {
      samples: new Float32Array(0),
      offsetSec: 0,
      startSec: 0,
      endSec: 1,
      voicedSec: 1,
      voiceProb: 1,
    },
  ).map(({ startSec, endSec }) => [startSec, endSec]);

it("gives words that start together a duration each, at the cost of the next", () => {
  expect(wordsAt(0.1, 0.1, 0.1, 0.5)).toEqual([
    [0.1, 0.14],
    [0.14, expect.closeTo(0.18)],
    [expect.closeTo(0.18), 0.5],
    [0.5, 1],
  ]);
});

it("leaves other words as they are", () => {
  expect(wordsAt(0.1, 0.3)).toEqual([
    [0.1, 0.3],
    [0.3, 1],
  ]);
});

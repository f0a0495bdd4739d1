import { expect, it } from "vitest";
import { trimToRange, withMargins } from "../../../../main/jobs/transcription/retranscribe.ts";

const word = (text: string, startSec: number, endSec: number) => ({
  word: text,
  startSec,
  endSec,
  probability: 1,
});
const segment = (text: string, ...words: ReturnType<typeof word>[]) => ({
  startSec: words[0]?.startSec ?? 0,
  endSec: words.at(-1)?.endSec ?? 1,
  text,
  words,
  language: "en",
  avgLogprob: 0,
  noSpeechProb: 0,
  compressionRatio: 1,
  isEdited: false,
});
const near = ({ fromSec, toSec }: { fromSec: number; toSec: number }) =>
  [fromSec, toSec].map((sec) => Math.round(sec * 1000) / 1000);

it("adds 0.3 s at both ends, but no more than half of the adjacent pauses", () => {
  const range = { fromSec: 10, toSec: 12 };
  const own = segment("own", word("own", 10, 12));
  expect(near(withMargins(range, { segments: [own], durationSec: 60 }))).toEqual([9.7, 12.3]);
  const neighbours = [
    segment("one two", word("one", 8, 9), word("two", 9, 9.8)),
    own,
    segment("three", word("three", 12.1, 13)),
  ];
  expect(near(withMargins(range, { segments: neighbours, durationSec: 60 }))).toEqual([9.9, 12.05]);
  const untimed = [
    { startSec: 0, endSec: 10, words: [] },
    { startSec: 12, endSec: 20, words: [] },
  ];
  expect(near(withMargins(range, { segments: untimed, durationSec: 60 }))).toEqual([10, 12]);
  expect(
    near(withMargins({ fromSec: 0.1, toSec: 12 }, { segments: [], durationSec: 12.1 })),
  ).toEqual([0, 12.1]);
  expect(near(withMargins({ fromSec: 0, toSec: 12 }, { segments: [], durationSec: 0 }))).toEqual([
    0, 12.3,
  ]);
});

it("drops words outside the range", () => {
  const transcribed = segment(
    "so, then we went. And",
    word("so,", 9.7, 9.9),
    word("then", 9.9, 10.3),
    word("we", 10.3, 10.6),
    word("went.", 10.6, 11.9),
    word("And", 12.1, 12.3),
  );
  expect(trimToRange(transcribed, { fromSec: 10, toSec: 12 })).toMatchObject({
    text: "then we went.",
    startSec: 9.9,
    endSec: 11.9,
    words: [{ word: "then" }, { word: "we" }, { word: "went." }],
  });
  expect(trimToRange(transcribed, { fromSec: 5, toSec: 20 })).toBe(transcribed);
  expect(
    trimToRange(segment("so", word("so", 9, 9.4)), { fromSec: 10, toSec: 12 }),
  ).toBeUndefined();
  expect(
    trimToRange({ ...segment("no times"), startSec: 12, endSec: 14 }, { fromSec: 10, toSec: 12 }),
  ).toBeUndefined();
});

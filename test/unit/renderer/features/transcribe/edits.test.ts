// How edits change text, words and times.

import { describe, expect, it } from "vitest";
import {
  replaceWithTranscription,
  confirmWords,
  editText,
  merge,
  replaceMatches,
  split,
  writeAsRecognized,
  expandToSegments,
  replaceRange,
  replaceText,
} from "../../../../../renderer/features/transcribe/document/edits.ts";
import {
  findMatches,
  matchCapitalization,
} from "../../../../../renderer/features/transcribe/document/find.ts";
import {
  invertPatch,
  joinPatches,
  applyPatch,
  correctedWords,
} from "../../../../../renderer/features/transcribe/document/segments.ts";
import { wordRanges } from "../../../../../main/contract/word-positions.ts";
import { segment } from "./segments.ts";

const words = (one: { words: readonly { word: string }[] } | undefined) =>
  one?.words.map((word) => word.word);

describe("editing text", () => {
  const one = segment(1, 0, 4, "ask not what your");

  it("keeps the times of the words around a changed one, which gets the time of the old word", () => {
    const next = replaceText(one, "ask knot what your");
    expect(next.text).toBe("ask knot what your");
    expect(next.words).toEqual([
      one.words[0],
      { word: "knot", startSec: 1, endSec: 2, probability: 1 },
      one.words[2],
      one.words[3],
    ]);
    expect(next.isEdited).toBe(true);
  });

  it("divides the time of one word among those that replace it, by length", () => {
    const next = replaceRange(one, 4, 7, "a bcd");
    expect(next.words.slice(1, 3)).toEqual([
      { word: "a", startSec: 1, endSec: 1.25, probability: 1 },
      { word: "bcd", startSec: 1.25, endSec: 2, probability: 1 },
    ]);
  });

  it("gives an added word no time, and keeps the times of the others", () => {
    const next = replaceText(one, "ask not ever what your");
    expect(words(next)).toEqual(["ask", "not", "what", "your"]);
    expect(next.words[2]).toEqual(one.words[2]);
  });

  it("joins words whose space was removed", () => {
    const next = replaceText(one, "asknot what your");
    expect(next.words[0]).toEqual({ word: "asknot", startSec: 0, endSec: 2, probability: 1 });
    expect(words(next)).toEqual(["asknot", "what", "your"]);
  });

  it("removes the deleted words", () =>
    expect(words(replaceText(one, "ask your"))).toEqual(["ask", "your"]));

  it("extends a word by letters typed at its end", () => {
    const next = replaceText(one, "ask nothing what your");
    expect(words(next)).toEqual(["ask", "nothing", "what", "your"]);
  });

  it("changes nothing where the text is the same", () => {
    expect(editText(one, one.text)).toEqual({ put: [], remove: [] });
    expect(editText(one, "ask").put[0]).toMatchObject({ text: "ask", isEdited: true });
  });

  it("gives confirmed words full confidence, and keeps the text", () => {
    const lowConfidence = segment(1, 0, 2, "foo bar", [0.2, 0.3]);
    expect(
      confirmWords([lowConfidence, segment(2, 2, 3, "else")], [{ segmentId: 1, wordIndex: 1 }]).put,
    ).toEqual([segment(1, 0, 2, "foo bar", [0.2, 1])]);
  });

  it("finds words by position even where the same word occurs twice", () => {
    const twice = segment(2, 0, 3, "the cat the");
    expect(wordRanges(twice)).toEqual([
      { index: 0, start: 0, end: 3 },
      { index: 1, start: 4, end: 7 },
      { index: 2, start: 8, end: 11 },
    ]);
    expect(words(replaceRange(twice, 8, 11, "a"))).toEqual(["the", "cat", "a"]);
  });
});

describe("merging and splitting", () => {
  it("splits a segment into two halves with their words and times, and merges them again", () => {
    const one = segment(1, 10, 14, "ask not what your");
    const patch = split(one, 8, 99);
    expect(
      patch?.put.map(({ id, startSec, endSec, text }) => ({ id, startSec, endSec, text })),
    ).toEqual([
      { id: 1, startSec: 10, endSec: 12, text: "ask not" },
      { id: 99, startSec: 12, endSec: 14, text: "what your" },
    ]);
    const [left, right] = patch?.put ?? [];
    if (left === undefined || right === undefined) throw new Error("not split");
    expect(merge(left, right)).toEqual({ put: [{ ...one, isEdited: true }], remove: [99] });
  });

  it("splits a segment without word times by its text", () => {
    const patch = split({ ...segment(1, 0, 10, "aaaa bbbbb"), words: [] }, 5, 2);
    expect(patch?.put.map(({ startSec, endSec }) => [startSec, endSec])).toEqual([
      [0, 5],
      [5, 10],
    ]);
  });

  it("does not split at the start or the end", () => {
    expect(split(segment(1, 0, 1, "one two"), 0)).toBeUndefined();
    expect(split(segment(1, 0, 1, "one two"), 7)).toBeUndefined();
  });

  it("merges Japanese without a space", () => {
    const language = "ja";
    expect(
      merge({ ...segment(1, 0, 1, "こん"), language }, { ...segment(2, 1, 2, "にちは"), language })
        .put[0]?.text,
    ).toBe("こんにちは");
  });
});

describe("finding and replacing", () => {
  const all = [
    segment(1, 0, 2, "The cat sat. (cat)"),
    segment(2, 2, 4, "Concatenate CAT"),
    segment(3, 4, 5, "cat"),
  ];
  const plain = { isCaseSensitive: false, isWholeWords: false };

  it("finds all matches, or only whole words, or only exact case", () => {
    expect(findMatches(all, "cat", plain)).toHaveLength(5);
    expect(findMatches(all, "cat", { ...plain, isWholeWords: true })).toHaveLength(4);
    expect(findMatches(all, "CAT", { ...plain, isCaseSensitive: true })).toEqual([
      { segmentId: 2, start: 12, end: 15 },
    ]);
  });

  it("matches punctuation literally", () => {
    expect(findMatches(all, "(cat)", plain)).toEqual([{ segmentId: 1, start: 13, end: 18 }]);
    expect(findMatches(all, "c.t", plain)).toEqual([]);
    expect(findMatches([segment(1, 0, 1, "a-b {c} d/e")], "a-b {c} d/e", plain)).toHaveLength(1);
  });

  it("does not treat a part of a word with non-ASCII letters as a whole word", () => {
    const wort = segment(1, 0, 1, "Straßenbahn straße");
    expect(findMatches([wort], "straße", { ...plain, isWholeWords: true })).toEqual([
      { segmentId: 1, start: 12, end: 18 },
    ]);
  });

  it("replaces all matches at once, updates the words accordingly, and removes segments that become empty", () => {
    const patch = replaceMatches(
      all,
      findMatches(all, "cat", { ...plain, isWholeWords: true }),
      (found) => matchCapitalization(found, "cat", "dog"),
    );
    expect(patch.put.map((one) => one.text)).toEqual([
      "The dog sat. (dog)",
      "Concatenate dog",
      "dog",
    ]);
    expect(words(patch.put[0])).toEqual(["The", "dog", "sat.", "(dog)"]);
    expect(
      replaceMatches(all, findMatches(all, "cat", { ...plain, isWholeWords: true }), "").remove,
    ).toEqual([3]);
  });

  it("keeps an initial capital unless the search text had one too", () => {
    expect(matchCapitalization("Cat", "cat", "dog")).toBe("Dog");
    expect(matchCapitalization("cat", "cat", "dog")).toBe("dog");
    expect(matchCapitalization("CAT", "cat", "dog")).toBe("dog");
    expect(matchCapitalization("Cat", "Cat", "dog")).toBe("dog");
  });
});

describe("patches", () => {
  const all = [segment(1, 0, 1, "one"), segment(2, 1, 2, "two"), segment(3, 2, 3, "three")];

  it("can be inverted", () => {
    const patch = { put: [segment(2, 1, 2, "zwei"), segment(9, 1.5, 1.8, "new")], remove: [3] };
    const back = invertPatch(all, patch);
    expect(applyPatch(all, patch).map((one) => one.text)).toEqual(["one", "zwei", "new"]);
    expect(applyPatch(applyPatch(all, patch), back)).toEqual(all);
  });

  it("keep the identity of objects that they do not change", () =>
    expect(applyPatch(all, { put: [], remove: [2] })[1]).toBe(all[2]));

  it("can be joined into one with the same effect", () => {
    const first = { put: [segment(2, 1, 2, "zwei")], remove: [3] };
    const second = { put: [segment(3, 2, 3, "drei")], remove: [2] };
    expect(applyPatch(all, joinPatches(first, second))).toEqual(
      applyPatch(applyPatch(all, first), second),
    );
  });

  it("replace whole segments with a new transcription", () => {
    const range = expandToSegments(all, 1.5, 1.7);
    expect(range).toEqual({ fromSec: 1, toSec: 2 });
    const patch = replaceWithTranscription(all, range, [
      segment(0, 1, 1.5, "to"),
      segment(1, 1.5, 2, "o"),
    ]);
    expect(applyPatch(all, patch).map((one) => one.text)).toEqual(["one", "to", "o", "three"]);
  });
});

it("writes a word again as it was recognized, with its times", () => {
  const one = segment(1, 0, 2, "dear Jørgensen,");
  const [dear, name] = one.words;
  const corrected = { ...one, words: [dear!, { ...name!, heard: "Jurgensen," }] };
  expect([...correctedWords([one, { ...corrected, id: 2 }])]).toEqual([
    [2, [{ index: 1, start: 5, end: 15 }]],
  ]);
  const [next] = writeAsRecognized(corrected, 1).put;
  expect(next?.text).toBe("dear Jurgensen,");
  expect(next?.words[1]).toEqual({ ...name, word: "Jurgensen,", probability: 1 });
  expect(writeAsRecognized(corrected, 0).put).toEqual([]);
});

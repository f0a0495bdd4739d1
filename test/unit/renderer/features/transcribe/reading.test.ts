// What is derived from a transcript: positions, coverage, low-confidence words, differences of two transcriptions.

import { describe, expect, it } from "vitest";
import {
  type DocumentSegment,
  transcribeOptions,
} from "../../../../../main/contract/transcript-document.ts";
import {
  coverage,
  coverageWholeSeconds,
  coverageTotalsSec,
} from "../../../../../renderer/features/transcribe/document/coverage.ts";
import {
  lowConfidenceWords,
  editDistance,
  findSimilarErrors,
} from "../../../../../renderer/features/transcribe/document/low-confidence.ts";
import { diffTexts } from "../../../../../renderer/features/transcribe/document/transcription-diff.ts";
import {
  isTranslated,
  spokenLanguages,
} from "../../../../../renderer/features/transcribe/document/languages.ts";
import { merge, split } from "../../../../../renderer/features/transcribe/document/edits.ts";
import {
  seekPositionSec,
  segmentIndexAt,
  wordIndexAt,
} from "../../../../../renderer/features/transcribe/document/segment-at-time.ts";
import { timeRangeOfText } from "../../../../../renderer/features/transcribe/document/segments.ts";
import { segment } from "./segments.ts";

describe("when selected text is spoken", () => {
  const one = segment(1, 10, 13, "ask not what");

  it("includes words that are selected in part", () => {
    expect(timeRangeOfText(one, 4, 9)).toEqual({ fromSec: 11, toSec: 13 });
    expect(timeRangeOfText(one, 0, 3)).toEqual({ fromSec: 10, toSec: 11 });
    expect(timeRangeOfText(one, 3, 4)).toBeUndefined();
  });

  it("is estimated in a text without times of words", () => {
    const untimed = { ...segment(1, 10, 12, "ask what"), words: [] };
    expect(timeRangeOfText(untimed, 5, 6)?.fromSec).toBeCloseTo(10 + (2 * 3) / 7);
  });
});

describe("the segment at a position", () => {
  const all = Array.from({ length: 3000 }, (_, index) =>
    segment(index, index * 2 + 0.5, index * 2 + 2, "ask not what"),
  );

  it("is found at every border, in gaps and outside", () => {
    expect(segmentIndexAt(all, 0)).toBe(-1);
    expect(segmentIndexAt(all, 0.5)).toBe(0);
    expect(segmentIndexAt(all, 2.2)).toBe(0);
    expect(segmentIndexAt(all, 2.5)).toBe(1);
    expect(segmentIndexAt(all, 99_999)).toBe(2999);
    expect(segmentIndexAt([], 1)).toBe(-1);
  });

  it("has a current word, but none long after the last one", () => {
    const one = segment(1, 10, 13, "ask not what");
    expect([9.9, 10, 11.2, 12.9, 13.1, 13.5].map((sec) => wordIndexAt(one, sec))).toEqual([
      undefined,
      0,
      1,
      2,
      2,
      undefined,
    ]);
  });
});

describe("the seek position of a word", () => {
  const one = segment(1, 5.1, 6.3, "what your country", []);

  it("is within that word even if playback starts slightly early", () => {
    for (const [index, word] of one.words.entries())
      expect(wordIndexAt(one, seekPositionSec(word) - 0.001)).toBe(index);
  });

  it("is not after a word of almost no length", () => {
    expect(seekPositionSec({ startSec: 2, endSec: 2.004 })).toBeCloseTo(2.002);
    expect(seekPositionSec({ startSec: 2, endSec: 2 })).toBe(2);
  });
});

const sumsOf = (segments: readonly DocumentSegment[]) =>
  coverageTotalsSec(
    coverage({ durationSec: 11.4, segments, failed: [], requestedRange: {}, isUnfinished: false }),
  );

describe("coverage", () => {
  const base = {
    durationSec: 100,
    segments: [segment(1, 10, 20, "a"), segment(2, 20, 30, "b"), segment(3, 60, 70, "c")],
    failed: [{ startSec: 65, endSec: 80, message: "x" }],
    requestedRange: {},
    isUnfinished: false,
  };

  it("counts every second once", () => {
    expect(coverage(base).map(({ kind, startSec, endSec }) => [kind, startSec, endSec])).toEqual([
      ["silence", 0, 10],
      ["speech", 10, 30],
      ["silence", 30, 60],
      ["speech", 60, 70],
      ["failed", 70, 80],
      ["silence", 80, 100],
    ]);
    expect(coverageTotalsSec(coverage(base))).toEqual({
      speech: 30,
      silence: 60,
      failed: 10,
      waiting: 0,
      "left-out": 0,
    });
  });

  it("distinguishes what is excluded from what is not transcribed yet", () => {
    const ranges = coverage({
      ...base,
      failed: [],
      requestedRange: { fromSec: 5, toSec: 90 },
      isUnfinished: true,
    });
    expect(ranges.map(({ kind, startSec, endSec }) => [kind, startSec, endSec])).toEqual([
      ["left-out", 0, 5],
      ["silence", 5, 10],
      ["speech", 10, 30],
      ["silence", 30, 60],
      ["speech", 60, 70],
      ["waiting", 70, 90],
      ["left-out", 90, 100],
    ]);
  });

  it("counts a failed range as speech after it was transcribed again", () => {
    const again = coverage({ ...base, segments: [...base.segments, segment(4, 70, 80, "d")] });
    expect(coverageTotalsSec(again).failed).toBe(0);
  });

  it("counts speech independently of its division into segments", () => {
    // "there" ends at 4.2 and "again" begins at 7.
    const [first, second] = [segment(1, 1, 4.2, "hello there"), segment(2, 7, 8.6, "again")];
    const apart = sumsOf([first, second]);
    expect(apart.speech).toBeCloseTo(4.8);
    const [whole] = merge(first, second).put;
    if (whole === undefined) throw new Error("not merged");
    expect(sumsOf([whole])).toEqual(apart);
    expect(sumsOf(split(whole, 6)?.put ?? [])).toEqual(apart);
    expect(sumsOf([{ ...whole, words: [] }]).speech).toBeCloseTo(7.6);
  });

  it("is rounded to whole seconds whose total is that of the audio", () => {
    const figures = (durationSec: number, segments: readonly DocumentSegment[]) =>
      coverageWholeSeconds(coverage({ ...base, durationSec, segments }));
    expect(figures(11.2, [segment(1, 1.3, 8.9, "a b c")])).toMatchObject({
      speech: 8,
      silence: 3,
      failed: 0,
    });
    expect(figures(100.9, base.segments)).toMatchObject({ speech: 30, silence: 60, failed: 10 });
    expect(figures(0.9, [])).toMatchObject({ speech: 0, silence: 0 });
  });

  it("does not exceed the audio, and is empty without any", () => {
    expect(coverage({ ...base, durationSec: 65 }).at(-1)).toEqual({
      kind: "speech",
      startSec: 60,
      endSec: 65,
    });
    expect(coverage({ ...base, durationSec: 0 })).toEqual([]);
  });
});

const segmentsIn = (...parts: [language: string, sec: number][]) =>
  parts.map(([language, sec], index) => ({
    ...segment(index, index * 1000, index * 1000 + sec, "a"),
    language,
  }));

describe("languages", () => {
  it("are all that were spoken, the most frequent one first", () => {
    expect(spokenLanguages(segmentsIn(["en", 20], ["de", 15], ["de", 10], ["", 90]))).toEqual([
      "de",
      "en",
    ]);
  });

  it("are empty where nothing was said, and exclude a short misdetection", () => {
    expect(spokenLanguages([])).toEqual([]);
    expect(spokenLanguages(segmentsIn(["en", 600], ["cy", 2], ["de", 30]))).toEqual(["en", "de"]);
  });

  it("determine what was translated: English on this machine was not", () => {
    const options = transcribeOptions.parse({ translate: true });
    expect(isTranslated(options, ["de", "en"], ["local"])).toBe(true);
    expect(isTranslated(options, ["en"], ["cloud"])).toBe(true);
    expect(isTranslated(options, ["en"], ["local"])).toBe(false);
    expect(isTranslated(options, [], ["cloud"])).toBe(false);
    expect(isTranslated(transcribeOptions.parse({}), ["de"], ["local"])).toBe(false);
  });
});

describe("low-confidence words", () => {
  const all = [
    segment(1, 0, 4, "we met Kubernetis, the cluster", [0.95, 0.9, 0.3, 0.2, 0.9]),
    segment(2, 4, 8, "then Kubernetes fell over", [0.9, 0.4, 0.9, 0.9]),
    segment(3, 8, 12, "and kubernetis, again it fell", [0.9, 0.97, 0.9, 0.55, 0.9]),
  ];

  it("are ordered by uncertainty and importance, without the surrounding punctuation", () => {
    const [first, ...rest] = lowConfidenceWords(all);
    expect(first).toMatchObject({
      key: "kubernetis",
      text: "Kubernetis",
      occurrences: [{ segmentId: 1, wordIndex: 2, start: 7, end: 17 }],
    });
    expect(rest.map((word) => word.key)).toEqual(["kubernetes", "the", "it"]);
  });

  it("are one entry for all occurrences of a word", () => {
    const twice = [
      segment(1, 0, 2, "foo bars", [0.2, 0.9]),
      segment(2, 2, 4, "bars Foo", [0.9, 0.3]),
    ];
    expect(
      lowConfidenceWords(twice).map(({ key, occurrences }) => [key, occurrences.length]),
    ).toEqual([["foo", 2]]);
  });

  it("exclude words that a person wrote", () => {
    expect(lowConfidenceWords([segment(1, 0, 2, "sure thing", [1, 1])])).toEqual([]);
  });

  it("are found everywhere, also where the model was confident, and with similar spellings", () => {
    expect(
      findSimilarErrors(all, "Kubernetis", "kubectl").map(({ text, isSimilar, matches }) => [
        text,
        isSimilar,
        matches.length,
      ]),
    ).toEqual([
      ["Kubernetis", false, 2],
      ["Kubernetes", true, 1],
    ]);
    expect(findSimilarErrors(all, "Kubernetis", "Kubernetes").map(({ text }) => text)).toEqual([
      "Kubernetis",
    ]);
  });

  it("measures similarity by letters", () => {
    expect(editDistance("kitten", "sitting", 5)).toBe(3);
    expect(editDistance("kitten", "sitting", 2)).toBe(3);
    expect(editDistance("", "abc", 3)).toBe(3);
  });
});

describe("two transcriptions", () => {
  it("show what only one of them contains", () => {
    expect(diffTexts("ask knot what your country", "ask not what your own country")).toEqual([
      { kind: "same", text: "ask " },
      { kind: "gone", text: "knot " },
      { kind: "new", text: "not " },
      { kind: "same", text: "what your " },
      { kind: "new", text: "own " },
      { kind: "same", text: "country" },
    ]);
  });

  it("contain both texts completely", () => {
    const [old, now] = ["a b c d e f g", "b c x e g h a"];
    const text = (kinds: readonly string[]) =>
      diffTexts(old, now)
        .filter((part) => kinds.includes(part.kind))
        .map((part) => part.text.trim())
        .join(" ");
    expect(text(["same", "gone"])).toBe(old);
    expect(text(["same", "new"])).toBe(now);
  });

  it("are compared by character where no spaces are written", () => {
    expect(diffTexts("今日は雨", "今日は雪").map((part) => part.text)).toEqual([
      "今日は",
      "雨",
      "雪",
    ]);
  });

  it("are compared word by word however long they are", () => {
    const words = Array.from({ length: 10_000 }, (_, index) => `word${index}`);
    const changed = words.with(10, "first").with(9990, "last");
    const parts = diffTexts(words.join(" "), changed.join(" "));
    expect(parts.filter(({ kind }) => kind !== "same")).toEqual([
      { kind: "gone", text: "word10 " },
      { kind: "new", text: "first " },
      { kind: "gone", text: "word9990 " },
      { kind: "new", text: "last " },
    ]);
  });

  it("differ completely where they have too little in common", () => {
    const texts = ["a", "b"].map((letter) =>
      Array.from({ length: 3000 }, (_, index) => `${letter}${index} same`).join(" "),
    );
    const [gone = "", fresh = ""] = texts;
    expect(diffTexts(gone, fresh)).toEqual([
      { kind: "gone", text: gone },
      { kind: "new", text: fresh },
    ]);
    expect(diffTexts("", fresh)).toEqual([{ kind: "new", text: fresh }]);
  });

  it("are one part where they agree, and no part where both are empty", () => {
    expect(diffTexts("same words", "same words")).toEqual([{ kind: "same", text: "same words" }]);
    expect(diffTexts("", "")).toEqual([]);
  });
});

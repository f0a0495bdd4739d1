import { describe, expect, it } from "vitest";
import {
  commonPositions,
  editDistance,
  spokenWords,
  totalErrors,
  wordErrors,
  writtenWords,
} from "../../support/word-error-rate.ts";

describe("the word error rate", () => {
  it("is 0 for the same words, ignoring case and punctuation", () => {
    expect(
      wordErrors(
        "Ask not what your country can do for you.",
        "ask not — what your country can do, for YOU",
      ).rate,
    ).toBe(0);
  });

  it("counts substituted, deleted and inserted words separately", () => {
    expect(wordErrors("one red bird sings", "one dead bird sings")).toMatchObject({
      substituted: 1,
      deleted: 0,
      inserted: 0,
      referenceWords: 4,
      rate: 0.25,
    });
    expect(wordErrors("one red bird sings", "one bird sings")).toMatchObject({
      substituted: 0,
      deleted: 1,
      inserted: 0,
      rate: 0.25,
    });
    expect(wordErrors("one red bird sings", "one red bird sings now")).toMatchObject({
      substituted: 0,
      deleted: 0,
      inserted: 1,
      rate: 0.25,
    });
  });

  it("finds the minimum number of errors in shifted texts", () => {
    expect(wordErrors("a b c d e", "x a b c d").rate).toBeCloseTo(0.4);
    expect(wordErrors("a b c", "").rate).toBe(1);
    expect(wordErrors("a", "b c d").rate).toBe(3);
  });

  it("is 0 for two empty texts, and counts words inserted into an empty reference", () => {
    expect(wordErrors("", " ... ").rate).toBe(0);
    expect(wordErrors("", "thank you").rate).toBe(2);
  });

  it("weights texts by their number of words", () => {
    expect(
      totalErrors([wordErrors("a b c d e f g h i", "a b c d e f g h i"), wordErrors("a", "b")])
        .rate,
    ).toBeCloseTo(0.1);
  });

  it("measures the edit distance of any items", () => {
    expect(editDistance([..."kitten"], [..."sitting"])).toBe(3);
    expect(editDistance([1, 2, 3], [1, 2, 3])).toBe(0);
  });
});

describe("common items", () => {
  it("are returned with their positions in both lists, in order", () => {
    expect(commonPositions([..."abcde"], [..."xacye"])).toEqual([
      [0, 1],
      [2, 2],
      [4, 4],
    ]);
    expect(commonPositions([..."aab"], [..."ab"])).toHaveLength(2);
    expect(commonPositions([..."abc"], [])).toEqual([]);
  });
});

describe("words in written form", () => {
  it("have no case and no punctuation, and keep their digits", () => {
    expect(writtenWords("«Qu’est-ce», dit l'élève : 20 %?")).toEqual([
      "qu",
      "est",
      "ce",
      "dit",
      "l",
      "élève",
      "20",
    ]);
    expect(wordErrors("der t rex war groß", "Der T-Rex war Groß.", writtenWords).rate).toBe(0);
  });
});

describe("words in spoken form", () => {
  it("spell out numbers, ordinals, years, decimals, percentages and money", () => {
    expect(spokenWords("by 25 to 30 years")).toEqual(spokenWords("by twenty-five to thirty years"));
    expect(spokenWords("in 1961")).toEqual(spokenWords("in nineteen sixty one"));
    expect(spokenWords("in the 1930s")).toEqual(spokenWords("in the nineteen thirties"));
    expect(spokenWords("1,250 people")).toEqual(
      spokenWords("one thousand two hundred fifty people"),
    );
    expect(spokenWords("on the 3rd of May")).toEqual(spokenWords("on the third of may"));
    expect(spokenWords("3.14")).toEqual(spokenWords("three point one four"));
    expect(spokenWords("it costs $5")).toEqual(spokenWords("it costs five dollars"));
    expect(spokenWords("$2 million")).toEqual(spokenWords("two million dollars"));
    expect(spokenWords("40% or 40 per cent")).toEqual(
      spokenWords("forty percent or forty percent"),
    );
    expect(spokenWords("room 101")).toEqual(spokenWords("room one hundred one"));
  });

  it("treat British and American spelling as the same word", () => {
    expect(spokenWords("its splendours changed colour")).toEqual(
      spokenWords("its splendors changed color"),
    );
    expect(spokenWords("they recognised, organised and analysed")).toEqual(
      spokenWords("they recognized, organized and analyzed"),
    );
    expect(spokenWords("the centre of the theatre, two kilometres")).toEqual(
      spokenWords("the center of the theater, two kilometers"),
    );
    expect(spokenWords("travelled by grey plough")).toEqual(spokenWords("traveled by gray plow"));
  });

  it("keep words apart that sound different or have another meaning", () => {
    expect(spokenWords("four hours")).not.toEqual(spokenWords("for hours"));
    expect(spokenWords("filled")).not.toEqual(spokenWords("filed"));
    expect(spokenWords("nineteen")).not.toEqual(spokenWords("90"));
  });

  it("treat all apostrophes alike and drop them", () => {
    expect(spokenWords("the neighbor’s house, don’t")).toEqual(
      spokenWords("the neighbor's house, don't"),
    );
    expect(spokenWords("don't")).toEqual(["dont"]);
  });

  it("spell out titles and signs, and skip remarks in brackets", () => {
    expect(spokenWords("Mr. Speaker & Mrs. Bell")).toEqual(
      spokenWords("mister speaker and missus bell"),
    );
    expect(spokenWords("[Music] good morning (applause)")).toEqual(spokenWords("Good morning."));
    expect(spokenWords("naïve café")).toEqual(["naïve", "café"]);
  });
});

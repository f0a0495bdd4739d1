import { describe, expect, it } from "vitest";
import { extractInlinePhonemes } from "../../../../main/text/english/inline-phonemes.ts";
import {
  cardinalWords,
  ordinalWords,
  yearWords,
} from "../../../../main/text/english/number-words.ts";
import { firstSound, applyStress } from "../../../../main/text/english/phonemes.ts";
import { addEd, addIng, addS } from "../../../../main/text/english/suffixes.ts";
import { createTagger, readTaggerData } from "../../../../main/text/english/tagger.ts";
import { tokenize } from "../../../../main/text/english/tokens.ts";
import { readHibariData } from "../../../support/hibari-g2p.ts";

const tokens = (text: string): string[] => tokenize(text).map((token) => token.text);

describe("tokens", () => {
  it("separate contractions and punctuation from words", () => {
    expect(tokens(`"I can't," she'd said; it's O'Neill's.`)).toEqual([
      '"',
      "I",
      "ca",
      "n't",
      ",",
      '"',
      "she",
      "'d",
      "said",
      ";",
      "it",
      "'s",
      "O'Neill",
      "'s",
      ".",
    ]);
  });

  it("keep abbreviations and numbers whole and separate hyphens between letters", () => {
    expect(tokens("Mr. Lee of the U.S. paid 1,000.50 for self-made 6-year x.")).toEqual([
      "Mr.",
      "Lee",
      "of",
      "the",
      "U.S.",
      "paid",
      "1,000.50",
      "for",
      "self",
      "-",
      "made",
      "6",
      "-",
      "year",
      "x.",
    ]);
  });

  it("record where white space follows", () => {
    expect(tokenize("a b.").map((token) => token.hasSpaceAfter)).toEqual([true, false]);
  });
});

describe("parts of speech", () => {
  const tagger = readTaggerData(readHibariData("tagger"));
  const tag = createTagger(tagger, () => false);

  it("are determined by the neighbouring words where a word has several", () => {
    expect(tag(["They", "record", "the", "record", "."])).toEqual(["PRP", "VBP", "DT", "NN", "."]);
  });

  it("are nouns for unknown words, and empty without tokens", () => {
    expect(
      createTagger({ ...tagger, tagdict: {}, weights: new Map() }, () => false)(["zzz"]),
    ).toEqual(["NN"]);
    expect(tag([])).toEqual([]);
  });
});

describe("stress", () => {
  it("is added before the first vowel, raised or lowered", () => {
    expect(applyStress("wi", "secondary")).toBe("wˌi");
    expect(applyStress("ʌv", "primary")).toBe("ˈʌv");
    expect(applyStress("kˌæt", "primary")).toBe("kˈæt");
    expect(applyStress("kˈæt", "secondary")).toBe("kˈæt");
    expect(applyStress("sˌɛvəntˈin", "demoted")).toBe("sɛvəntˌin");
    expect(applyStress("pˈYnt", "none")).toBe("pYnt");
    expect(applyStress("m", "primary")).toBe("m");
  });

  it("marks are skipped to find the first sound", () => {
    expect(firstSound("ˈɛnd", "pause")).toBe("vowel");
    expect(firstSound("ˌɪn", "pause")).toBe("vowel");
    expect(firstSound("jˈu", "pause")).toBe("consonant");
    expect(firstSound(",", "vowel")).toBe("pause");
    expect(firstSound("", "vowel")).toBe("vowel");
  });
});

describe("endings", () => {
  it("depend on the last sound of the stem", () => {
    expect([addS("kˈæt"), addS("dˈɔɡ"), addS("bˈɑks")]).toEqual(["kˈæts", "dˈɔɡz", "bˈɑksᵻz"]);
    expect([addEd("wˈɔk"), addEd("lˈʌv"), addEd("nˈid"), addEd("stˈAt"), addEd("ˈækt")]).toEqual([
      "wˈɔkt",
      "lˈʌvd",
      "nˈidᵻd",
      "stˈAɾᵻd",
      "ˈæktᵻd",
    ]);
    expect([addIng("hˈɪt"), addIng("ˈækt"), addIng("mˈAk")]).toEqual([
      "hˈɪɾɪŋ",
      "ˈæktɪŋ",
      "mˈAkɪŋ",
    ]);
  });
});

describe("number words", () => {
  it("spell out whole numbers of any size", () => {
    expect(cardinalWords("0").join(" ")).toBe("zero");
    expect(cardinalWords("1000017").join(" ")).toBe("one million seventeen");
    expect(cardinalWords("110").join(" ")).toBe("one hundred ten");
    expect(cardinalWords("9".repeat(50))).toHaveLength(50);
  });

  it("spell out ordinals", () => {
    expect(
      ["1", "12", "20", "23", "100", "8"].map((digits) => ordinalWords(digits).join(" ")),
    ).toEqual(["first", "twelfth", "twentieth", "twenty third", "one hundredth", "eighth"]);
  });

  it("spell out years in pairs", () => {
    expect(
      ["1066", "1900", "1906", "2000", "2005", "2026"].map((digits) => yearWords(digits).join(" ")),
    ).toEqual([
      "ten sixty six",
      "nineteen hundred",
      "nineteen oh six",
      "two thousand",
      "two thousand five",
      "twenty twenty six",
    ]);
  });
});

describe("inline phonemes", () => {
  it("replace their word", () => {
    const given = extractInlinePhonemes("The [Qwen](/kwˈɛn/) model");
    const stand = given.text.split(" ")[1] ?? "";
    expect(stand).toHaveLength(1);
    expect(given.phonemes(stand)).toBe("kwˈɛn");
    expect(given.toWritten(stand)).toBe("Qwen");
    expect(given.phonemes("a")).toBeUndefined();
  });

  it("cannot be forged by private-use characters in the text", () => {
    const given = extractInlinePhonemes("\ue000 [a](/b/)");
    expect(given.text).toBe("  \ue000");
  });
});

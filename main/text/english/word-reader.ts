// Pronounces one word in its context: the few words that depend on the next sound, abbreviations in capitals, the
// lexicons, and inflections of known stems. Returns undefined for a word without a known pronunciation.

import { type Lexicon, parentTag } from "./lexicon.ts";
import type { NextSound, Stress } from "./phonemes.ts";
import { addS, inflections } from "./suffixes.ts";
import { isNumber, readNumber } from "./numbers.ts";

export type WordContext = {
  readonly tag: string;
  readonly next: NextSound;
  /** The next word is "to". */
  readonly isBeforeTo: boolean;
  /** No other part of the same written word precedes it. */
  readonly isWordStart: boolean;
};

export type WordReader = (word: string, context: WordContext) => string | undefined;

export function createWordReader(lexicon: Lexicon): WordReader {
  const lookupPlainWord = (word: string): string | undefined =>
    lexicon.lookup(word, undefined, word === "point" ? "none" : undefined, "consonant");

  const isKnown = (word: string): boolean => {
    if (lexicon.has(word)) return true;
    if (!/^[A-Za-z]+$/.test(word)) return false;
    // A single letter, and capitals after the first letter, can be spelled: KUBERNETES is not an abbreviation.
    return (
      word.slice(1) === word.slice(1).toUpperCase() && (word.length < 7 || !/[AEIOU]/i.test(word))
    );
  };

  const lookupInflected = (
    word: string,
    context: WordContext,
    stress: Stress | undefined,
  ): string | undefined => {
    for (const { addEnding, stems } of inflections(word)) {
      const stem = stems.find(isKnown);
      if (stem === undefined) continue;
      const phonemes = lexicon.lookup(
        stem,
        context.tag,
        stress ?? (word.endsWith("ing") ? "secondary" : undefined),
        context.next,
      );
      if (phonemes) return addEnding(phonemes);
    }
    return undefined;
  };

  const lookupWord = (
    word: string,
    context: WordContext,
    stress: Stress | undefined,
  ): string | undefined => {
    const { tag, next } = context;
    const lowerCased = word.toLowerCase();
    const shouldFold =
      isFoldable(word, tag) &&
      !lexicon.has(word) &&
      (lexicon.has(lowerCased) || lookupInflected(lowerCased, context, stress) !== undefined);
    const form = shouldFold ? lowerCased : word;
    if (isKnown(form)) return lexicon.lookup(form, tag, stress, next);
    if (form.endsWith("s'") && isKnown(`${form.slice(0, -2)}'s`))
      return lexicon.lookup(`${form.slice(0, -2)}'s`, tag, stress, next);
    if (form.endsWith("'") && isKnown(form.slice(0, -1)))
      return lexicon.lookup(form.slice(0, -1), tag, stress, next);
    return lookupInflected(form, context, stress);
  };

  return (word, context) => {
    if (isNumber(word))
      return context.isWordStart || !word.startsWith("-")
        ? readNumber(word, context.isWordStart, lookupPlainWord)
        : undefined;
    const stress =
      word === word.toLowerCase()
        ? undefined
        : word === word.toUpperCase()
          ? "primary"
          : "secondary";
    return readSpecialWord(word, context, stress, lexicon) ?? lookupWord(word, context, stress);
  };
}

/**
 * Capitals that may be mere typography: the start of a sentence, a heading. Short names keep their own pronunciation.
 */
function isFoldable(word: string, tag: string): boolean {
  if (word.length < 2 || !/^[\p{L}']+$/u.test(word) || word === word.toLowerCase()) return false;
  const isUpperCase = word === word.toUpperCase();
  if (tag === "NNP" && word.length <= (isUpperCase ? 4 : 7)) return false;
  return isUpperCase || word.slice(1) === word.slice(1).toLowerCase();
}

function readSpecialWord(
  word: string,
  { tag, next, isBeforeTo }: WordContext,
  stress: Stress | undefined,
  lexicon: Lexicon,
): string | undefined {
  if (isDottedAbbreviation(word)) {
    const spelled = lexicon.spell(word.endsWith("'s") ? word.slice(0, -2) : word);
    return spelled !== undefined && word.endsWith("'s") ? addS(spelled) : spelled;
  }
  switch (word) {
    case "a":
    case "A":
      return tag === "DT" && next !== "pause" ? "ɐ" : "ˈA";
    case "n't":
      return "ᵊnt";
    case "'ve":
      return "əv";
    case "'re":
      return "əɹ";
    case "AM":
    case "Am":
    case "am":
      if (tag.startsWith("NN")) return lexicon.spell(word);
      return next === "pause" || word !== "am" ? lexicon.goldReading("am", "DEFAULT") : "ɐm";
    case "AN":
    case "An":
    case "an":
      return word === "AN" && tag.startsWith("NN") ? lexicon.spell(word) : "ɐn";
    case "I":
      return tag === "PRP" ? "ˌI" : undefined;
    case "BY":
    case "By":
    case "by":
      return parentTag(tag) === "ADV" ? "bˈI" : undefined;
    case "TO":
      if (tag !== "TO" && tag !== "IN") return undefined;
      return readTo(next, lexicon);
    case "To":
    case "to":
      return readTo(next, lexicon);
    case "IN":
      if (tag === "NNP") return undefined;
      return next === "pause" || tag !== "IN" ? "ˈɪn" : "ɪn";
    case "In":
    case "in":
      return next === "pause" || tag !== "IN" ? "ˈɪn" : "ɪn";
    case "THE":
      if (tag !== "DT") return undefined;
      return next === "vowel" ? "ði" : "ðə";
    case "The":
    case "the":
      return next === "vowel" ? "ði" : "ðə";
    case "USED":
    case "Used":
    case "used":
      return lexicon.goldReading(
        "used",
        (tag === "VBD" || tag === "JJ") && isBeforeTo ? "VBD" : "DEFAULT",
      );
    default:
      return /^vs\.?$/i.test(word) ? lexicon.lookup("versus", undefined, stress, next) : undefined;
  }
}

function readTo(next: NextSound, lexicon: Lexicon): string | undefined {
  return next === "pause" ? lexicon.goldReading("to", "DEFAULT") : next === "vowel" ? "tʊ" : "tə";
}

/** `U.S.`, `Ph.D.`, `i.e.`: letters between dots, at most two at a time. */
function isDottedAbbreviation(word: string): boolean {
  return /^(?:\p{L}{1,2}\.)+\p{L}{1,2}\.?(?:'s)?$/u.test(word);
}

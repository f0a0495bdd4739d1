// Reads one word in its context: the few words whose sound depends on what follows, abbreviations in capitals, the
// dictionaries, and inflections of known stems. Answers undefined for a word it has no reading for.

import { type Lexicon, parentTag } from "./lexicon.ts";
import type { NextSound, Stress } from "./phonemes.ts";
import { addS, inflections } from "./suffixes.ts";
import { isNumber, readNumber } from "./numbers.ts";

export type WordContext = {
  readonly tag: string;
  readonly next: NextSound;
  /** The next word is "to". */
  readonly beforeTo: boolean;
  /** No other part of the same written word stands before it. */
  readonly head: boolean;
};

export type WordReader = (word: string, context: WordContext) => string | undefined;

export function createWordReader(lexicon: Lexicon): WordReader {
  const say = (word: string): string | undefined =>
    lexicon.lookup(word, undefined, word === "point" ? "none" : undefined, "consonant");

  const known = (word: string): boolean => {
    if (lexicon.has(word)) return true;
    if (!/^[A-Za-z]+$/.test(word)) return false;
    // A single letter, and capitals after the first letter, can be spelled: KUBERNETES is no abbreviation.
    return (
      word.slice(1) === word.slice(1).toUpperCase() && (word.length < 7 || !/[AEIOU]/i.test(word))
    );
  };

  const inflected = (
    word: string,
    context: WordContext,
    stress: Stress | undefined,
  ): string | undefined => {
    for (const { add, stems } of inflections(word)) {
      const stem = stems.find(known);
      if (stem === undefined) continue;
      const phonemes = lexicon.lookup(
        stem,
        context.tag,
        stress ?? (word.endsWith("ing") ? "secondary" : undefined),
        context.next,
      );
      if (phonemes) return add(phonemes);
    }
    return undefined;
  };

  const lookup = (
    word: string,
    context: WordContext,
    stress: Stress | undefined,
  ): string | undefined => {
    const { tag, next } = context;
    const lower = word.toLowerCase();
    const fold =
      isFoldable(word, tag) &&
      !lexicon.has(word) &&
      (lexicon.has(lower) || inflected(lower, context, stress) !== undefined);
    const form = fold ? lower : word;
    if (known(form)) return lexicon.lookup(form, tag, stress, next);
    if (form.endsWith("s'") && known(`${form.slice(0, -2)}'s`))
      return lexicon.lookup(`${form.slice(0, -2)}'s`, tag, stress, next);
    if (form.endsWith("'") && known(form.slice(0, -1)))
      return lexicon.lookup(form.slice(0, -1), tag, stress, next);
    return inflected(form, context, stress);
  };

  return (word, context) => {
    if (isNumber(word))
      return context.head || !word.startsWith("-")
        ? readNumber(word, context.head, say)
        : undefined;
    const stress =
      word === word.toLowerCase()
        ? undefined
        : word === word.toUpperCase()
          ? "primary"
          : "secondary";
    return special(word, context, stress, lexicon) ?? lookup(word, context, stress);
  };
}

/** Capitals that may be mere typography: a sentence's start, a heading. Short names keep their own reading. */
function isFoldable(word: string, tag: string): boolean {
  if (word.length < 2 || !/^[\p{L}']+$/u.test(word) || word === word.toLowerCase()) return false;
  const capitals = word === word.toUpperCase();
  if (tag === "NNP" && word.length <= (capitals ? 4 : 7)) return false;
  return capitals || word.slice(1) === word.slice(1).toLowerCase();
}

function special(
  word: string,
  { tag, next, beforeTo }: WordContext,
  stress: Stress | undefined,
  lexicon: Lexicon,
): string | undefined {
  if (isDotted(word)) {
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
      return next === "pause" || word !== "am" ? lexicon.gold("am", "DEFAULT") : "ɐm";
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
      return toward(next, lexicon);
    case "To":
    case "to":
      return toward(next, lexicon);
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
      return lexicon.gold("used", (tag === "VBD" || tag === "JJ") && beforeTo ? "VBD" : "DEFAULT");
    default:
      return /^vs\.?$/i.test(word) ? lexicon.lookup("versus", undefined, stress, next) : undefined;
  }
}

function toward(next: NextSound, lexicon: Lexicon): string | undefined {
  return next === "pause" ? lexicon.gold("to", "DEFAULT") : next === "vowel" ? "tʊ" : "tə";
}

/** `U.S.`, `Ph.D.`, `i.e.`: letters between dots, at most two at a time. */
function isDotted(word: string): boolean {
  return /^(?:\p{L}{1,2}\.)+\p{L}{1,2}\.?(?:'s)?$/u.test(word);
}

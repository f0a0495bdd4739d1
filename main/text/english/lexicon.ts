// The two lexicons: word → phonemes, or word → phonemes by part of speech. Gold is checked by hand and takes precedence
// over silver. word-reader.ts decides whether and how a word is looked up.

import type { Table } from "../json-table.ts";
import {
  type NextSound,
  type Stress,
  primaryStress,
  secondaryStress,
  applyStress,
} from "./phonemes.ts";

/** Keys of the inner object: Penn tags, their parents (NOUN, VERB, ADJ, ADV), DEFAULT, and None (before a pause). */
export type LexiconEntry = string | { readonly [tag: string]: string | null };
export type LexiconData = Table<LexiconEntry>;

export type Lexicon = {
  has(word: string): boolean;
  /** The pronunciation depends on the part of speech. */
  dependsOnTag(word: string): boolean;
  /** Pronunciation from the lexicons; capitals without an entry are spelled; undefined if there is none. */
  lookup(
    word: string,
    tag: string | undefined,
    stress: Stress | undefined,
    next: NextSound,
  ): string | undefined;
  /** Letter by letter, with stress on the last one; undefined if a character is not an English letter. */
  spell(word: string): string | undefined;
  /** Gold's pronunciation for one key, for words with a rule that chooses it. */
  goldReading(word: string, key: string): string | undefined;
};

const parentTags = ["NOUN", "VERB", "ADJ", "ADV"];

export function createLexicon(goldDictionary: LexiconData, silverDictionary: LexiconData): Lexicon {
  const spell = (word: string): string | undefined => {
    let letters = "";
    for (const letter of word) {
      if (!/\p{L}/u.test(letter)) continue;
      const name = findEntry(goldDictionary, letter.toUpperCase());
      if (typeof name !== "string") return undefined;
      letters += name;
    }
    const demoted = applyStress(letters, "demoted");
    const last = demoted.lastIndexOf(secondaryStress);
    return last < 0
      ? demoted || undefined
      : demoted.slice(0, last) + primaryStress + demoted.slice(last + 1);
  };

  return {
    has: (word) =>
      findEntry(goldDictionary, word) !== undefined ||
      findEntry(silverDictionary, word) !== undefined,
    dependsOnTag: (word) => {
      const entry = findEntry(goldDictionary, word);
      return typeof entry === "object" && parentTags.some((parent) => parent in entry);
    },
    spell,
    goldReading: (word, key) => {
      const entry = findEntry(goldDictionary, word);
      return entry === undefined
        ? undefined
        : typeof entry === "string"
          ? entry
          : (entry[key] ?? undefined);
    },
    lookup: (word, tag, stress, next) => {
      const isUpperCase =
        word === word.toUpperCase() && findEntry(goldDictionary, word) === undefined;
      const key = isUpperCase ? word.toLowerCase() : word;
      const name = isUpperCase && tag === "NNP";
      const entry =
        findEntry(goldDictionary, key) ?? (name ? undefined : findEntry(silverDictionary, key));
      const phonemes = entry === undefined ? undefined : chooseReading(entry, tag, next);
      if (phonemes === undefined || (name && !phonemes.includes(primaryStress))) {
        const spelled = spell(word);
        if (spelled !== undefined) return spelled;
      }
      return phonemes === undefined ? undefined : applyStress(phonemes, stress);
    },
  };
}

export function parentTag(tag: string): string {
  if (tag.startsWith("VB")) return "VERB";
  if (tag.startsWith("NN")) return "NOUN";
  if (tag.startsWith("RB")) return "ADV";
  return tag.startsWith("JJ") ? "ADJ" : tag;
}

/** A lower-case entry also serves the capitalised word, and the reverse. */
function findEntry(dictionary: LexiconData, word: string): LexiconEntry | undefined {
  const entry = dictionary.get(word);
  if (entry !== undefined || word.length < 2) return entry;
  const lower = word.toLowerCase();
  const capitalised = (lower[0] ?? "").toUpperCase() + lower.slice(1);
  const otherCase = word === lower ? capitalised : word === capitalised ? lower : word;
  return otherCase === word ? undefined : dictionary.get(otherCase);
}

/** Order of keys: None before a pause, the tag, its parent, DEFAULT. */
function chooseReading(
  entry: LexiconEntry,
  tag: string | undefined,
  next: NextSound,
): string | undefined {
  if (typeof entry === "string") return entry;
  const tagKeys = tag === undefined ? [] : [tag, parentTag(tag)];
  const key = [...(next === "pause" ? ["None"] : []), ...tagKeys, "DEFAULT"].find((name) =>
    Object.hasOwn(entry, name),
  );
  return (key === undefined ? undefined : entry[key]) ?? undefined;
}

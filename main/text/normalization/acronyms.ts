// Acronyms: spelled, unless they can be read as a word. Single consonants are read by their name.

import { type NormalizationRule, applyNormalizationRules } from "./normalization-rules.ts";

export type AcronymWords = {
  /** a to z. */
  readonly letterNames: readonly string[];
  /** Written in capitals, in spite of their form. */
  readonly spelled: string;
  readonly words: string;
};

const syllable = String.raw`(?:[BCDFGPT][LR]|QU|CH|[BCDFGHJKLMNPRSTVZ])?[AEIOUY]{1,2}`;
const pronounceable = new RegExp(`^(?:${syllable}[LNRS]?){0,4}${syllable}[BCDGKLMNPRSTZ]?$`);

function spellLetters(word: string, { letterNames }: AcronymWords): string {
  return [...word.normalize("NFD").toLowerCase()]
    .map((letter) => letterNames[letter.charCodeAt(0) - 97] ?? (/\d/.test(letter) ? letter : ""))
    .filter((name) => name !== "")
    .join(" ");
}

/** A part of a web address. */
export function readLabel(label: string, words: AcronymWords): string {
  return label.length < 6 && /^(?:[^aeiouy]+|[^aeiouy]{3}.*)$/i.test(label)
    ? spellLetters(label, words)
    : label;
}

export function createAcronymReader(words: AcronymWords): (text: string) => string {
  const spelledWords = new Set(words.spelled.split(" "));
  const readWords = new Set(words.words.split(" "));
  /** `isShouted`: the whole text is in capitals, so this may be an ordinary word. */
  const isSpelled = (acronym: string, isShouted: boolean): boolean => {
    if (readWords.has(acronym)) return false;
    if (spelledWords.has(acronym)) return true;
    if (isShouted) return !/[AEIOUY]/.test(acronym);
    return acronym.length === 2 || !pronounceable.test(acronym);
  };
  const readAcronym = (acronym: string, isShouted: boolean): string =>
    isSpelled(acronym, isShouted) ? spellLetters(acronym, words) : acronym;
  return (text) => {
    const isShouted = !/\p{Ll}/u.test(text);
    const rules: readonly NormalizationRule[] = [
      // O.N.U., U.S.A.
      [
        /(?<![\p{L}\p{N}.])(?:\p{Lu}\.){1,6}\p{Lu}(?:\.|(?![\p{L}\p{N}]))/gu,
        (all) => readAcronym(all.replaceAll(".", ""), false) + (all.endsWith(".") ? "." : ""),
      ],
      [
        /(?<![\p{L}\p{N}])([A-Z]{2,6})(s)?(?![\p{L}])/gu,
        (_, acronym = "") => readAcronym(acronym, isShouted),
      ],
      // Initials, "vitamina C", "M25". A vowel alone may be a word.
      [
        /(?<![\p{L}\p{N}'])([BCDFGHJKLMNPQRSTVWXZ])(?:\.(?= ?\p{Lu})|(?![\p{L}'&]))/gu,
        (_, letter = "") => spellLetters(letter, words),
      ],
    ];
    return applyNormalizationRules(text, rules);
  };
}

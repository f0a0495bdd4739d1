// Whether two spellings sound alike in English: by their keys of Double Metaphone, and by how many letters differ.
// Pure.

import { doubleMetaphone } from "double-metaphone";

export type Sound = {
  /** Letters and digits without accents, in lower case. */
  readonly letters: string;
  readonly keys: readonly string[];
};

/** Shorter words are near too many others. */
const minLetters = 4;
/** Of the letters, between spellings with the same key, and with similar keys. */
const maxDifference = { sameKey: 0.4, similarKey: 0.2 };
/** Spellings of different numbers of words, such as "pie torch". */
const maxDifferenceAcrossWords = 0.3;

/** Letters that are no accented ones, as English writes them. */
const plainLetters: Readonly<Record<string, string>> = {
  ø: "o",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
};

export const plainSpelling = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFD")
    .replace(/[øßæœłđðþı]/g, (letter) => plainLetters[letter] ?? letter)
    .replace(/[^\p{L}\p{N}]/gu, "");

export function soundOf(text: string): Sound {
  const letters = plainSpelling(text);
  return { letters, keys: [...new Set(doubleMetaphone(letters))].filter((key) => key !== "") };
}

/** @returns the share of letters that differ; undefined if the two do not clearly sound alike */
export function nearness(one: Sound, other: Sound, isSameWordCount: boolean): number | undefined {
  const longest = Math.max(one.letters.length, other.letters.length);
  const shortest = Math.min(one.letters.length, other.letters.length);
  if (shortest < minLetters || (longest - shortest) / longest > maxDifference.sameKey)
    return undefined;
  const hasSameKey = one.keys.some((key) => other.keys.includes(key));
  if (!hasSameKey && (!isSameWordCount || !hasSimilarKey(one, other))) return undefined;
  const difference = editDistance(one.letters, other.letters) / longest;
  const limit = !isSameWordCount
    ? maxDifferenceAcrossWords
    : hasSameKey
      ? maxDifference.sameKey
      : maxDifference.similarKey;
  return difference <= limit ? difference : undefined;
}

/** The same first sound, and at most one sound more, less or different. */
const hasSimilarKey = (one: Sound, other: Sound): boolean =>
  one.keys.some((key) =>
    other.keys.some((otherKey) => key[0] === otherKey[0] && editDistance(key, otherKey) <= 1),
  );

/** Levenshtein's. */
export function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 0; at < one.length; at += 1) {
    const next = [at + 1];
    for (let otherAt = 0; otherAt < other.length; otherAt += 1)
      next.push(
        Math.min(
          (next[otherAt] as number) + 1,
          (row[otherAt + 1] as number) + 1,
          (row[otherAt] as number) + (one[at] === other[otherAt] ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[other.length] as number;
}

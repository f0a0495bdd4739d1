// Finds words of a text that are missing when its synthesized speech is transcribed. Tolerant: words that are written
// differently but sound alike (numbers, contractions, names, compounds) are not missing. Pure; intended for a sentence,
// not a book.

import { cardinalWords, ordinalWords, yearWords } from "../english/number-words.ts";
import { normalizeText } from "../english/normalization/normalize-text.ts";

/** Form used for comparison, and the word of the text it comes from. */
type SpokenWord = { normalizedForm: string; word: string };

/** Minimum similarity of letters in the same word: transcription spells names in many ways. */
const minSimilarity = 0.6;
/** Minimum if the consonants are the same: hear and here, right and write. */
const minSimilarityWithSameConsonants = 0.5;
/** Comparison takes quadratic time. Sentences are far shorter, but a model's output may not be. */
const maxWords = 250;
const maxWordLength = 60;
const maxComparedLength = 300;

/** Returns words as written in `text`, each once; inline phonemes are ignored. */
export function findMissedWords(text: string, transcribed: string): string[] {
  const written = text.replace(inlinePhonemeLink, "$1");
  const missed = fewestMissedWords([written], [transcribed]);
  if (missed.length === 0) return [];
  // Times, amounts and fractions may be transcribed as digits or as words.
  const missedNormalized = fewestMissedWords(
    [written, normalizeText(written), toAlternativeReading(written)],
    [transcribed, normalizeText(transcribed), toAlternativeReading(transcribed)],
  );
  return missedNormalized.every((word) => missed.includes(word)) ? missedNormalized : missed;
}

/** Same format as in english/inline-phonemes.ts. */
const inlinePhonemeLink = /\[([^[\]\n]{1,100})\]\(\/[^()\n]*\)/g;

/** The minimum over all ways to read both texts. */
function fewestMissedWords(texts: readonly string[], transcribed: readonly string[]): string[] {
  const transcribedReadings = transcribed
    .flatMap(possibleReadings)
    .map((words) => words.map(({ normalizedForm }) => normalizedForm));
  const candidates = texts
    .flatMap(possibleReadings)
    .flatMap((expected) =>
      transcribedReadings.map((normalizedForms) => findMissedBetween(expected, normalizedForms)),
    );
  return candidates.reduce((best, candidate) =>
    candidate.length < best.length ? candidate : best,
  );
}

/** 1906 may be read as a year or a number. */
const possibleReadings = (text: string): SpokenWord[][] => [
  toSpokenWords(text, true),
  toSpokenWords(text, false),
];

const hours = [
  "twelve",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
];
const hourPattern = String.raw`(\d{1,2}|${hours.slice(1).join("|")})`;
const parseHour = (word: string): number =>
  /\d/.test(word) ? Number(word) : hours.lastIndexOf(word.toLowerCase());

/** Half past three as three thirty, 3.45 as 3 45, 2.5 as 2 and a half, one half as half. */
function toAlternativeReading(text: string): string {
  const withTimes = text
    .replace(/(?<![\d.])(\d{1,2})\.(\d\d)(?![\d.]\d)/g, "$1 $2")
    .replace(new RegExp(`half past ${hourPattern}\\b`, "gi"), "$1 thirty")
    .replace(new RegExp(`(?:a )?quarter past ${hourPattern}\\b`, "gi"), "$1 fifteen")
    .replace(
      new RegExp(`(?:a )?quarter to ${hourPattern}\\b`, "gi"),
      (_, hour: string) => `${hours[(parseHour(hour) + 11) % 12]} forty-five`,
    );
  return normalizeText(withTimes)
    .replace(/(\d)\.5(?!\d)/g, "$1 and a half")
    .replace(/\bone half\b/gi, "half");
}

function findMissedBetween(
  expected: readonly SpokenWord[],
  transcribed: readonly string[],
): string[] {
  const missed: string[] = [];
  let [i, j] = [0, 0];
  for (const [nextI, nextJ] of [
    ...longestCommonSubsequence(
      expected.map(({ normalizedForm }) => normalizedForm),
      transcribed,
    ),
    [expected.length, transcribed.length] as const,
  ]) {
    missed.push(...findMissedInGap(expected.slice(i, nextI), transcribed.slice(j, nextJ)));
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return [...new Set(missed)];
}

function findMissedInGap(
  expected: readonly SpokenWord[],
  transcribed: readonly string[],
): string[] {
  if (expected.length === 0) return [];
  // "any one" and "anyone", "Sea Biscuit" and "seabiscuit".
  if (
    isSimilar(expected.map(({ normalizedForm }) => normalizedForm).join(""), transcribed.join(""))
  )
    return [];
  return expected
    .filter(
      ({ normalizedForm }) => !transcribed.some((second) => isSimilar(normalizedForm, second)),
    )
    .map(({ word }) => word);
}

const contractions: readonly (readonly [RegExp, string])[] = [
  [/\bcan't\b|\bcannot\b/g, "can not"],
  [/\bwon't\b/g, "will not"],
  [/\bshan't\b/g, "shall not"],
  [/n't\b/g, " not"],
  [/\blet's\b/g, "let us"],
  [/'re\b/g, " are"],
  [/'ve\b/g, " have"],
  [/'ll\b/g, " will"],
  [/'m\b/g, " am"],
  [/\bgonna\b/g, "going to"],
  [/\bwanna\b/g, "want to"],
];

const spokenForms = new Map([
  ["mr", "mister"],
  ["mrs", "missus"],
  ["ms", "miss"],
  ["dr", "doctor"],
  ["st", "saint"],
  ["prof", "professor"],
  ["vs", "versus"],
  ["etc", "etcetera"],
  ["ok", "okay"],
  ["&", "and"],
  ["%", "percent"],
  ["+", "plus"],
  ["=", "equals"],
  ["$", "dollars"],
  ["£", "pounds"],
  ["€", "euros"],
  ["°", "degrees"],
  ["@", "at"],
]);

function toSpokenWords(text: string, asYear: boolean): SpokenWord[] {
  const words =
    text
      .normalize("NFKC")
      .replace(/[‘’ʼ`]/g, "'")
      .match(
        /\d{1,2}:\d\d(?!\d)|[$£€]?\d[\d,]*(?:\.\d+)?(?:st|nd|rd|th)?|[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)*|[&%+=°@]/gu,
      ) ?? [];
  return words
    .slice(0, maxWords)
    .flatMap((word) =>
      normalizeWord(word.slice(0, maxWordLength), asYear).map((normalizedForm) => ({
        normalizedForm: normalizedForm,
        word,
      })),
    )
    .slice(0, maxWords);
}

function normalizeWord(word: string, asYear: boolean): string[] {
  if (/\d/.test(word)) return numberWords(word, asYear);
  const expanded = contractions.reduce(
    (form, [pattern, words]) => form.replace(pattern, words),
    word.toLowerCase(),
  );
  return expanded
    .split(" ")
    .filter(Boolean)
    .map((part) => spokenForms.get(part) ?? part.normalize("NFD").replace(/[\p{M}']/gu, ""));
}

function numberWords(word: string, asYear: boolean): string[] {
  const [hour = "", minutes] = word.split(":");
  if (minutes !== undefined)
    return [
      ...cardinalWords(hour),
      ...(minutes === "00"
        ? []
        : [...(minutes.startsWith("0") ? ["oh"] : []), ...cardinalWords(minutes)]),
    ];
  const digits = word.replace(/[^\d.]/g, "");
  const [integerPart = "", decimals] = digits.split(".");
  const currency = spokenForms.get(word[0] ?? "");
  const amount = /(?:st|nd|rd|th)$/.test(word)
    ? ordinalWords(integerPart)
    : asYear && /^\d{4}$/.test(word)
      ? yearWords(integerPart)
      : cardinalWords(integerPart);
  const parts =
    decimals === undefined
      ? []
      : currency === undefined
        ? ["point", ...[...decimals].flatMap(cardinalWords)]
        : cardinalWords(decimals);
  return [
    ...amount,
    ...parts.slice(0, currency === undefined ? parts.length : 0),
    ...(currency === undefined ? [] : [currency, ...parts]),
  ];
}

function isSimilar(first: string, second: string): boolean {
  const similarity = computeSimilarity(first, second);
  if (similarity >= minSimilarity) return true;
  const [consonants, others] = [consonantSkeleton(first), consonantSkeleton(second)];
  return (
    consonants !== "" &&
    consonants === others &&
    (similarity >= minSimilarityWithSameConsonants || consonants.length > 1)
  );
}

/** Consonants as they sound, without those that are often mute. */
const consonantSkeleton = (word: string): string =>
  word
    .replace(/^kn/, "n")
    .replace(/^wr/, "r")
    .replace(/ph/g, "f")
    .replace(/c(?=[eiy])/g, "s")
    .replace(/ck|[cq]/g, "k")
    .replace(/z/g, "s")
    .replace(/g(?=h)|[aeiouyhw]/g, "")
    .replace(/(.)\1+/g, "$1");

/** 1 for the same letters, 0 for nothing in common: 1 − edit distance (Levenshtein) / length of the longer word. */
function computeSimilarity(first: string, second: string): number {
  const longer = Math.max(first.length, second.length);
  if (first === second) return 1;
  if (longer > maxComparedLength) return 0;
  let row = Array.from({ length: second.length + 1 }, (_, index) => index);
  for (let i = 0; i < first.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < second.length; j++)
      next.push(
        Math.min(
          (row[j] ?? 0) + (first[i] === second[j] ? 0 : 1),
          (row[j + 1] ?? 0) + 1,
          (next[j] ?? 0) + 1,
        ),
      );
    row = next;
  }
  return 1 - (row[second.length] ?? 0) / longer;
}

/** Positions of equal words in both, in order: the longest common subsequence. */
function longestCommonSubsequence(
  first: readonly string[],
  second: readonly string[],
): [number, number][] {
  const common = Array.from({ length: first.length + 1 }, () => new Uint16Array(second.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = first.length - 1; i >= 0; i--) {
    for (let j = second.length - 1; j >= 0; j--)
      (common[i] as Uint16Array)[j] =
        first[i] === second[j] ? 1 + at(i + 1, j + 1) : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const matches: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < first.length && j < second.length;) {
    if (first[i] === second[j]) matches.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return matches;
}

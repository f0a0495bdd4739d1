// Which words of a text do not come back when it was spoken and heard again. Lenient: what is written otherwise but
// sounds alike (numbers, contractions, names, compounds) has come back. Pure; for a sentence, not for a book.

import { cardinal, ordinal, year } from "../english/number-words.ts";
import { readOut } from "../english/read-out/read-out.ts";

/** As it is compared, and the word of the text it comes from. */
type Spoken = { sound: string; word: string };

/** Letters may differ so much in what is still the same word: a recogniser spells names as it likes. */
const alike = 0.6;
/** And so much where the consonants are the same: hear and here, right and write. */
const alikeInVowels = 0.5;
/** What is compared takes time by the square of its length. A sentence is far shorter; what a model heard may not be. */
const maxWords = 250;
const maxWordLength = 60;
const maxComparedLength = 300;

/** Words of `text` as they are written there, each once; phonemes that were given for a word are none. */
export function missedWords(text: string, heard: string): string[] {
  const written = text.replace(givenPhonemes, "$1");
  const missed = missedAsRead([written], [heard]);
  if (missed.length === 0) return [];
  // Times, amounts and fractions come back as figures or as words.
  const missedReadOut = missedAsRead(
    [written, readOut(written), alsoSaid(written)],
    [heard, readOut(heard), alsoSaid(heard)],
  );
  return missedReadOut.every((word) => missed.includes(word)) ? missedReadOut : missed;
}

/** As english/given.ts takes them. */
const givenPhonemes = /\[([^[\]\n]{1,100})\]\(\/[^()\n]*\)/g;

/** The fewest, over all ways to read both. */
function missedAsRead(texts: readonly string[], heard: readonly string[]): string[] {
  const heardWays = heard.flatMap(spokenWays).map((words) => words.map(({ sound }) => sound));
  const ways = texts
    .flatMap(spokenWays)
    .flatMap((expected) => heardWays.map((sounds) => missedIn(expected, sounds)));
  return ways.reduce((best, way) => (way.length < best.length ? way : best));
}

/** 1906 may be a year or a number: whichever was heard. */
const spokenWays = (text: string): Spoken[][] => [spoken(text, true), spoken(text, false)];

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
const hourOf = (word: string): number =>
  /\d/.test(word) ? Number(word) : hours.lastIndexOf(word.toLowerCase());

/** Half past three as three thirty, 3.45 as 3 45, 2.5 as 2 and a half, one half as half. */
function alsoSaid(text: string): string {
  const withTimes = text
    .replace(/(?<![\d.])(\d{1,2})\.(\d\d)(?![\d.]\d)/g, "$1 $2")
    .replace(new RegExp(`half past ${hourPattern}\\b`, "gi"), "$1 thirty")
    .replace(new RegExp(`(?:a )?quarter past ${hourPattern}\\b`, "gi"), "$1 fifteen")
    .replace(
      new RegExp(`(?:a )?quarter to ${hourPattern}\\b`, "gi"),
      (_, hour: string) => `${hours[(hourOf(hour) + 11) % 12]} forty-five`,
    );
  return readOut(withTimes)
    .replace(/(\d)\.5(?!\d)/g, "$1 and a half")
    .replace(/\bone half\b/gi, "half");
}

function missedIn(expected: readonly Spoken[], heard: readonly string[]): string[] {
  const missed: string[] = [];
  let [i, j] = [0, 0];
  for (const [nextI, nextJ] of [
    ...commonPlaces(
      expected.map(({ sound }) => sound),
      heard,
    ),
    [expected.length, heard.length] as const,
  ]) {
    missed.push(...missedInGap(expected.slice(i, nextI), heard.slice(j, nextJ)));
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return [...new Set(missed)];
}

function missedInGap(expected: readonly Spoken[], heard: readonly string[]): string[] {
  if (expected.length === 0) return [];
  // "any one" and "anyone", "Sea Biscuit" and "seabiscuit".
  if (soundsLike(expected.map(({ sound }) => sound).join(""), heard.join(""))) return [];
  return expected
    .filter(({ sound }) => !heard.some((other) => soundsLike(sound, other)))
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

const said = new Map([
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

function spoken(text: string, asYear: boolean): Spoken[] {
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
      soundsOf(word.slice(0, maxWordLength), asYear).map((sound) => ({ sound, word })),
    )
    .slice(0, maxWords);
}

function soundsOf(word: string, asYear: boolean): string[] {
  if (/\d/.test(word)) return numberWords(word, asYear);
  const full = contractions.reduce(
    (form, [pattern, words]) => form.replace(pattern, words),
    word.toLowerCase(),
  );
  return full
    .split(" ")
    .filter(Boolean)
    .map((part) => said.get(part) ?? part.normalize("NFD").replace(/[\p{M}']/gu, ""));
}

function numberWords(word: string, asYear: boolean): string[] {
  const [hour = "", minutes] = word.split(":");
  if (minutes !== undefined)
    return [
      ...cardinal(hour),
      ...(minutes === "00"
        ? []
        : [...(minutes.startsWith("0") ? ["oh"] : []), ...cardinal(minutes)]),
    ];
  const digits = word.replace(/[^\d.]/g, "");
  const [whole = "", decimals] = digits.split(".");
  const currency = said.get(word[0] ?? "");
  const amount = /(?:st|nd|rd|th)$/.test(word)
    ? ordinal(whole)
    : asYear && /^\d{4}$/.test(word)
      ? year(whole)
      : cardinal(whole);
  const parts =
    decimals === undefined
      ? []
      : currency === undefined
        ? ["point", ...[...decimals].flatMap(cardinal)]
        : cardinal(decimals);
  return [
    ...amount,
    ...parts.slice(0, currency === undefined ? parts.length : 0),
    ...(currency === undefined ? [] : [currency, ...parts]),
  ];
}

function soundsLike(one: string, other: string): boolean {
  const like = likeness(one, other);
  if (like >= alike) return true;
  const [consonants, others] = [skeleton(one), skeleton(other)];
  return (
    consonants !== "" && consonants === others && (like >= alikeInVowels || consonants.length > 1)
  );
}

/** Consonants as they sound, without what is often mute. */
const skeleton = (word: string): string =>
  word
    .replace(/^kn/, "n")
    .replace(/^wr/, "r")
    .replace(/ph/g, "f")
    .replace(/c(?=[eiy])/g, "s")
    .replace(/ck|[cq]/g, "k")
    .replace(/z/g, "s")
    .replace(/g(?=h)|[aeiouyhw]/g, "")
    .replace(/(.)\1+/g, "$1");

/** 1 for the same letters, 0 for nothing in common: 1 − edits (Levenshtein) over the longer one's length. */
function likeness(one: string, other: string): number {
  const longer = Math.max(one.length, other.length);
  if (one === other) return 1;
  if (longer > maxComparedLength) return 0;
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (let i = 0; i < one.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j++)
      next.push(
        Math.min(
          (row[j] ?? 0) + (one[i] === other[j] ? 0 : 1),
          (row[j + 1] ?? 0) + 1,
          (next[j] ?? 0) + 1,
        ),
      );
    row = next;
  }
  return 1 - (row[other.length] ?? 0) / longer;
}

/** Places of equal words in both, in order: the longest common subsequence. */
function commonPlaces(one: readonly string[], other: readonly string[]): [number, number][] {
  const common = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--)
      (common[i] as Uint16Array)[j] =
        one[i] === other[j] ? 1 + at(i + 1, j + 1) : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const places: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < one.length && j < other.length;) {
    if (one[i] === other[j]) places.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return places;
}

// Written numbers → words. Numbers are first unified: thousands without separators, decimals after a comma. The words
// before and after a number decide about its gender.

import type { Gender, NumberForm } from "./grammar.ts";
import { type NormalizationRule, applyNormalizationRules } from "./normalization-rules.ts";

export type NumberWords = {
  /** A whole number; `digits` without leading zeros, at most `maxDigits` long. */
  readonly cardinal: (digits: string, form: NumberForm) => string;
  readonly maxDigits: number;
  /** Names of 0 to 9. */
  readonly digitNames: readonly string[];
  readonly genderOf: (word: string) => Gender | undefined;
  /** Whether the noun is in a form that can follow this number: "21 libros", not "el 21 ganó". */
  readonly countsNoun?: (digits: string, noun: string) => boolean;
  /** After these words a number is a name: "capítulo 1 trata". */
  readonly labels: ReadonlySet<string>;
  /** After these words four digits are a year: "en 2021 muchos". */
  readonly beforeYears: RegExp;
  readonly readYear?: (digits: string) => string;
  readonly decimalComma: string;
  /** Fractions of more digits are read digit by digit. */
  readonly maxFractionDigits: number;
  /** Between millions and what is counted: "un millón de euros". */
  readonly ofMillions: (noun: string) => string;
};

/** A number after `unifyNumbers`. */
export const numberPattern = String.raw`\d{1,40}(?:,\d{1,15})?`;

const unifyRules: readonly NormalizationRule[] = [
  // 1.000.000,50 and 1 000 000,50.
  [
    /(?<![\d.,])(\d{1,3})((?:\.\d{3}){1,8})(?![\d.]\d|\d)/g,
    (_, first = "", groups = "") => first + groups.replaceAll(".", ""),
  ],
  [
    /(?<![\d.,])(?<!\d )(?!0)(\d{1,3})((?: \d{3}){1,8})(?! ?\d)/g,
    (_, first = "", groups = "") => first + groups.replaceAll(" ", ""),
  ],
  // 1,000,000 and 1,234.50, as in English.
  [
    /(?<![\d.,])(\d{1,3})((?:,\d{3}){1,8})\.(\d{1,15})(?![\d.,]\d|\d)/g,
    (_, first = "", groups = "", fraction = "") =>
      `${first}${groups.replaceAll(",", "")},${fraction}`,
  ],
  [
    /(?<![\d.,])(\d{1,3})((?:,\d{3}){2,8})(?![\d.,]\d|\d)/g,
    (_, first = "", groups = "") => first + groups.replaceAll(",", ""),
  ],
  [/(?<![\d.,])(\d{1,15})\.(\d{1,15})(?![\d.,]\d|\d)/g, "$1,$2"],
];

export function unifyNumbers(text: string): string {
  return applyNormalizationRules(text, unifyRules);
}

/** Characters looked at on either side of a number. */
const contextLength = 40;

/** All numbers that are left, after `unifyNumbers`. */
export function readNumbers(text: string, words: NumberWords): string {
  return text.replace(/\d+(?:,\d{1,15}(?!\d))?/g, (written, at: number) => {
    const before = text.slice(Math.max(0, at - contextLength), at);
    const after = text.slice(at + written.length, at + written.length + contextLength);
    const spoken = readInContext(written, before, after, words);
    // "A4", "MP3", "4x".
    return (
      (/[\p{L}\p{M}]$/u.test(before) ? " " : "") +
      spoken +
      (/^[\p{L}\p{M}]/u.test(after) ? " " : "")
    );
  });
}

function readInContext(written: string, before: string, after: string, words: NumberWords): string {
  const nextWord = /^ (\p{L}[\p{L}\p{M}]{0,30})/u.exec(after)?.[1];
  const lastWord = /([\p{L}\p{M}.]{1,30}) $/u.exec(before)?.[1]?.toLowerCase() ?? "";
  const isYear = /^[12]\d{3}$/.test(written) && words.beforeYears.test(lastWord);
  if (isYear) return words.readYear?.(written) ?? words.cardinal(written, {});
  const gender =
    nextWord === undefined || words.labels.has(lastWord) ? undefined : words.genderOf(nextWord);
  if (gender === undefined || nextWord === undefined) return readNumber(written, words);
  const isCounted = words.countsNoun?.(written, nextWord) ?? true;
  const spoken = readNumber(written, words, isCounted ? { noun: gender, nextWord } : {});
  return /^\d{1,3}0{6,}$/.test(written) && isCounted
    ? `${spoken} ${words.ofMillions(nextWord)}`.trimEnd()
    : spoken;
}

/** A number of the form of `numberPattern`. */
export function readNumber(written: string, words: NumberWords, form: NumberForm = {}): string {
  const [whole = "", fraction] = written.split(",");
  if (fraction === undefined) return readWhole(whole, words, form);
  const zeros = /^0*/.exec(fraction)?.[0] ?? "";
  const rest = fraction.slice(zeros.length);
  const spokenFraction =
    fraction.length > words.maxFractionDigits
      ? spellDigits(fraction, words)
      : `${spellDigits(zeros, words)} ${rest === "" ? "" : words.cardinal(rest, {})}`.trim();
  // "uno coma cinco metros", but "duas vírgula cinco horas".
  const wholeForm = form.noun === "feminine" ? form : {};
  return `${readWhole(whole, words, wholeForm)} ${words.decimalComma} ${spokenFraction}`;
}

function readWhole(digits: string, words: NumberWords, form: NumberForm): string {
  return digits.length > words.maxDigits || /^0\d/.test(digits)
    ? spellDigits(digits, words)
    : words.cardinal(digits, form);
}

/** A group of a telephone number: as a number after its zeros, or by digits if it is long. */
export function readDigitGroup(digits: string, words: NumberWords): string {
  const zeros = /^0*(?=\d)/.exec(digits)?.[0] ?? "";
  return digits.length > 3
    ? spellDigits(digits, words)
    : `${spellDigits(zeros, words)} ${words.cardinal(digits.slice(zeros.length), {})}`.trim();
}

export function spellDigits(
  digits: string,
  { digitNames }: Pick<NumberWords, "digitNames">,
): string {
  return [...digits].map((digit) => digitNames[Number(digit)] ?? "").join(" ");
}

/** Groups of three digits, the highest first. */
export function thousandGroups(digits: string): number[] {
  const groups: number[] = [];
  for (let end = digits.length; end > 0; end -= 3)
    groups.unshift(Number(digits.slice(Math.max(0, end - 3), end)));
  return groups;
}

// Converts a written number to words, depending on its form and position, and looks up their phonemes. Currencies,
// units, dates and times were replaced before, by normalization/.

import { cardinalWords, digitWords, ordinalWords, yearWords } from "./number-words.ts";
import { addEd, addIng, addS } from "./suffixes.ts";

const numberPattern = /^(-?)(\d[\d,]*(?:\.\d+)*|(?:\.\d+)+)(st|nd|rd|th|'?s|'d|ed|ing)?$/;

export function isNumber(text: string): boolean {
  return numberPattern.test(text);
}

/**
 * Phonemes of a number such as `-12`, `1,500`, `3.14`, `2.0.1`, `1888`, `21st`, `1990s`; undefined for other text.
 * `isWordStart`: nothing is written directly before it; otherwise it is part of a code (`x86-64`).
 */
export function readNumber(
  text: string,
  isWordStart: boolean,
  pronounceWord: (word: string) => string | undefined,
): string | undefined {
  const [, , written = "", suffix] = numberPattern.exec(text) ?? [];
  if (written.includes(",") && !/^\d{1,3}(?:,\d{3})+(?:\.|$)/.test(written)) {
    // A comma that does not separate thousands: "10,5".
    return text
      .split(",")
      .map((part) => readNumber(part, isWordStart, pronounceWord) ?? "")
      .join(" ")
      .trim();
  }
  const spoken = numberWords(text, isWordStart)
    ?.map(pronounceWord)
    .filter((phonemes) => phonemes !== undefined)
    .join(" ");
  if (spoken === undefined) return undefined;
  if (suffix === "s" || suffix === "'s") return addS(spoken);
  if (suffix === "'d" || suffix === "ed") return addEd(spoken);
  return suffix === "ing" ? addIng(spoken) : spoken;
}

/** The words of a number, without the suffixes `s`, `'s`, `'d`, `ed` and `ing`. */
export function numberWords(text: string, isWordStart: boolean): string[] | undefined {
  const match = numberPattern.exec(text);
  if (!match) return undefined;
  const [, minus, written = "", suffix] = match;
  const words = minus ? ["minus"] : [];
  const digits = written.replaceAll(",", "");
  const [integerPart = "", ...fractions] = digits.split(".");
  if (!isWordStart && fractions.length === 0) words.push(...codePartWords(digits));
  else if (fractions.length > 0) {
    if (integerPart !== "")
      words.push(
        ...(fractions.length > 1 ? versionPartWords(integerPart) : cardinalWords(integerPart)),
      );
    for (const part of fractions)
      words.push("point", ...(fractions.length > 1 ? versionPartWords(part) : digitWords(part)));
  } else if (suffix !== undefined && /^(?:st|nd|rd|th)$/.test(suffix))
    words.push(...ordinalWords(digits));
  else if (/^0\d/.test(digits)) words.push(...digitWords(digits));
  else
    words.push(...(/^\d{4}$/.test(written) && !minus ? yearWords(written) : cardinalWords(digits)));
  return words;
}

/** Two digits are a number, three a digit and a number, four may be a year; others are read digit by digit. */
function codePartWords(digits: string): string[] {
  if (/^(?:(?:1[1-9]|20)\d\d|[1-9]\d00)$/.test(digits)) return yearWords(digits);
  if (digits.startsWith("0") || digits.length > 3) return digitWords(digits);
  if (digits.length < 3 || digits.endsWith("00")) return cardinalWords(digits);
  const rest = digits.slice(1);
  return [
    ...cardinalWords(digits.slice(0, 1)),
    ...(rest.startsWith("0") ? ["oh", ...cardinalWords(rest)] : cardinalWords(rest)),
  ];
}

function versionPartWords(digits: string): string[] {
  return digits.startsWith("0") && digits.length > 1 ? digitWords(digits) : cardinalWords(digits);
}

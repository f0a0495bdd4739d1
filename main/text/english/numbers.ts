// Reads a written number: which words stand for it, depending on its form and place. The words' sounds come from
// the dictionary; currencies, units, dates and times were put into words before, by read-out/.

import { cardinal, digitByDigit, ordinal, year } from "./number-words.ts";
import { addEd, addIng, addS } from "./suffixes.ts";

const form = /^(-?)(\d[\d,]*(?:\.\d+)*|(?:\.\d+)+)(st|nd|rd|th|'?s|'d|ed|ing)?$/;

export function isNumber(text: string): boolean {
  return form.test(text);
}

/**
 * Phonemes of a number such as `-12`, `1,500`, `3.14`, `2.0.1`, `1888`, `21st`, `1990s`; undefined for other text.
 * `head`: nothing is written directly before it; else it is a code's part (`x86-64`).
 */
export function readNumber(
  text: string,
  head: boolean,
  say: (word: string) => string | undefined,
): string | undefined {
  const match = form.exec(text);
  if (!match) return undefined;
  const [, minus, written = "", ending] = match;
  if (written.includes(",") && !/^\d{1,3}(?:,\d{3})+(?:\.|$)/.test(written)) {
    // No thousands: "10,5".
    return text
      .split(",")
      .map((part) => readNumber(part, head, say) ?? "")
      .join(" ")
      .trim();
  }
  const words = minus ? ["minus"] : [];
  const digits = written.replaceAll(",", "");
  const [whole = "", ...fractions] = digits.split(".");
  if (!head && fractions.length === 0) words.push(...codePart(digits));
  else if (fractions.length > 0) {
    if (whole !== "") words.push(...(fractions.length > 1 ? versionPart(whole) : cardinal(whole)));
    for (const part of fractions)
      words.push("point", ...(fractions.length > 1 ? versionPart(part) : digitByDigit(part)));
  } else if (ending !== undefined && /^(?:st|nd|rd|th)$/.test(ending))
    words.push(...ordinal(digits));
  else if (/^0\d/.test(digits)) words.push(...digitByDigit(digits));
  else words.push(...(/^\d{4}$/.test(written) && !minus ? year(written) : cardinal(digits)));

  const spoken = words
    .map(say)
    .filter((phonemes) => phonemes !== undefined)
    .join(" ");
  if (ending === "s" || ending === "'s") return addS(spoken);
  if (ending === "'d" || ending === "ed") return addEd(spoken);
  return ending === "ing" ? addIng(spoken) : spoken;
}

/** Two digits are a number, three a hundreds' digit and a number, four may be a year, all else goes digit by digit. */
function codePart(digits: string): string[] {
  if (/^(?:(?:1[1-9]|20)\d\d|[1-9]\d00)$/.test(digits)) return year(digits);
  if (digits.startsWith("0") || digits.length > 3) return digitByDigit(digits);
  if (digits.length < 3 || digits.endsWith("00")) return cardinal(digits);
  const rest = digits.slice(1);
  return [
    ...cardinal(digits.slice(0, 1)),
    ...(rest.startsWith("0") ? ["oh", ...cardinal(rest)] : cardinal(rest)),
  ];
}

function versionPart(digits: string): string[] {
  return digits.startsWith("0") && digits.length > 1 ? digitByDigit(digits) : cardinal(digits);
}

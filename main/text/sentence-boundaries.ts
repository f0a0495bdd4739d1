// Distinguishes a full stop that ends a sentence from one of an abbreviation, an initial or a list number.

import type { BoundaryWords } from "./boundary-words.ts";

const closingMarks = new Set("\"'”’“)]}»›*_");

/** The end of closing marks from `at` on; in French a space is before the last: "Viens ! »". */
export function skipClosingMarks(text: string, at: number, end: number): number {
  let to = at;
  while (to < end && closingMarks.has(text[to] ?? "")) to++;
  return to < end && /^\s[»›]/.test(text.slice(to, to + 2)) ? to + 2 : to;
}

/** Maximum length of a word to look back; longer runs without a space are not abbreviations. */
const maxWordLength = 24;

/** A run of terminators from `start` to `end` in a sentence that starts at `from`. */
export type TerminatorRun = { readonly from: number; readonly start: number; readonly end: number };

export function isSentenceEnd(
  text: string,
  run: TerminatorRun,
  paragraphEnd: number,
  { neverFinal, maybeFinal, starters }: BoundaryWords,
): boolean {
  const next = readNextWord(text, run.end, paragraphEnd);
  if (next.word === "" && !next.opens) return true;
  if (/^\p{Ll}/u.test(next.word)) return false;
  const terminator = text.slice(run.start, run.end);
  if (terminator !== ".") return true;

  const word = readWordBefore(text, run.start, run.from);
  const lowerWord = word.toLowerCase();
  const startsSentence = starters.has(next.word.toLowerCase());
  // "1. Wash", "a) b. Dry": the number of a list item, with nothing before it.
  if (/^\(?(?:\d{1,3}|[a-zA-Z])$/.test(word) && run.start - run.from === word.length) return false;
  if (neverFinal.has(lowerWord)) return lowerWord === "no" ? !/^\d/.test(next.word) : false;
  if (/^\p{Lu}$/u.test(word)) return word === "I" || startsSentence;
  if (maybeFinal.has(lowerWord) || /^(?:\p{L}\.)+\p{L}$/u.test(word))
    return startsSentence || next.opens;
  return true;
}

function readWordBefore(text: string, end: number, from: number): string {
  const earliest = Math.max(from, end - maxWordLength);
  let start = end;
  while (start > earliest && !/[\s"“”‘([{—–/-]/.test(text[start - 1] ?? "")) start--;
  return text.slice(start, end);
}

/** The word after a terminator's closing marks and white space, and whether a quotation opens there. */
function readNextWord(
  text: string,
  end: number,
  paragraphEnd: number,
): { word: string; opens: boolean } {
  let at = skipClosingMarks(text, end, paragraphEnd);
  while (at < paragraphEnd && /\s/.test(text[at] ?? "")) at++;
  const opens = /["“‘'([„«‹¿¡]/.test(text[at] ?? "") && at < paragraphEnd;
  while (at < paragraphEnd && /["“‘'([„«‹¿¡*_]/.test(text[at] ?? "")) at++;
  let to = at;
  while (to < Math.min(paragraphEnd, at + maxWordLength) && /[\p{L}\p{N}]/u.test(text[to] ?? ""))
    to++;
  // Anything other than a letter or a quotation mark (a dash, a symbol) also starts a new sentence.
  return { word: text.slice(at, to), opens: opens || (to === at && at < paragraphEnd) };
}

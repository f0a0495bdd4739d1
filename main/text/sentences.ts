// Splits prose of any length into sentences short enough for the voices. Every sentence is an unchanged slice
// of the input; together they contain every character except white space. Each step looks at a limited range of text,
// so the time is linear.

import { type BoundaryWords, boundaryWords } from "./boundary-words.ts";
import { isSentenceEnd, skipClosingMarks } from "./sentence-boundaries.ts";

export type Sentence = {
  /** The slice of the input from `start` to `end`, without white space at either side. */
  text: string;
  /** UTF-16 offsets into the input. */
  start: number;
  end: number;
  /** A paragraph, heading or list item ends here: the pause is longer. */
  paragraphEnd: boolean;
  /** Of its paragraph: a language tag; undefined in case of doubt. */
  language: string | undefined;
};

/** The language of a paragraph, by whose abbreviations its sentences end; undefined is read like English. */
export type LanguageOf = (paragraph: string) => string | undefined;

/** Maximum length in UTF-16 units: about 20 seconds of speech. */
const maxSentenceLength = 300;
/** A shorter line was not wrapped because of its length: it is a heading, a verse or a list item. */
const minWrappedLineLength = 50;
/** Text with longer lines was not wrapped by hand: each line is a paragraph. */
const maxWrappedLineLength = 100;

const listItemPattern = /^(?:[-*•–‣▪◦]\s|\(?\d{1,3}[.)]\s|\(?[a-zA-Z][.)]\s|#{1,6}\s)/;
/** `.!?…。！？।॥`, compared by code because this runs for every character of a book. */
const isTerminator = (code: number): boolean =>
  code === 0x2e ||
  code === 0x21 ||
  code === 0x3f ||
  code === 0x2026 ||
  code === 0x3002 ||
  code === 0xff01 ||
  code === 0xff1f ||
  code === 0x964 ||
  code === 0x965;
const wideTerminators = new Set("。！？।॥");

/** Sentences in order; empty for a text of white space. */
export function splitSentences(text: string, languageOf?: LanguageOf): Sentence[] {
  const sentences: Sentence[] = [];
  for (const sentence of iterateSentences(text, languageOf)) sentences.push(sentence);
  return sentences;
}

/** Like `splitSentences`, one sentence at a time, for long texts. */
export function* iterateSentences(
  text: string,
  languageOf: LanguageOf = () => "en",
): Generator<Sentence> {
  for (const [start, end] of iterateParagraphs(text)) {
    const language = languageOf(text.slice(start, end));
    const words = boundaryWords(language ?? "en");
    let last: Sentence | undefined;
    for (const [from, to] of iterateSentenceSpans(text, start, end, words)) {
      for (const part of splitLongSentence(text, from, to)) {
        if (last !== undefined) yield last;
        last = { ...part, language };
      }
    }
    if (last !== undefined) yield { ...last, paragraphEnd: true };
  }
}

/**
 * A shorter clause would sound cut off, a longer one would delay the first audio; at least `min` must remain after the
 * cut.
 */
const clauseLength = { min: 20, max: 80 };

/** A bracket or quotation is still open at the end. */
function hasOpenBracket(text: string): boolean {
  const count = (sign: string): number => text.split(sign).length - 1;
  return (
    count('"') % 2 === 1 ||
    [
      ["(", ")"],
      ["[", "]"],
      ["{", "}"],
      ["“", "”"],
      ["«", "»"],
    ].some(([open = "", close = ""]) => count(open) > count(close))
  );
}

/** Splits off the first clause of a text of several sentences, so that audio starts sooner. */
export function splitFirstClause(sentences: readonly Sentence[]): Sentence[] {
  const [first, ...others] = sentences;
  if (first === undefined || others.length === 0) return [...sentences];
  const { text, start, end } = first;
  for (
    let at = clauseLength.min;
    at < Math.min(clauseLength.max, text.length - clauseLength.min);
    at++
  ) {
    // "March 5, 2026" and "10,000" do not end a clause.
    if (!/[,;:—]/.test(text[at - 1] ?? "") || !isSpace(text, at) || /\d/.test(text[at - 2] ?? ""))
      continue;
    const rest = trimSpan(text, at, text.length);
    if (rest === undefined || hasOpenBracket(text.slice(0, at))) continue;
    const clause = {
      ...first,
      text: text.slice(0, at),
      end: start + at,
      paragraphEnd: false,
    };
    return [
      clause,
      { ...first, text: text.slice(...rest), start: start + rest[0], end },
      ...others,
    ];
  }
  return [...sentences];
}

type Span = readonly [start: number, end: number];

/** Joins lines if a line break is only a wrap. */
function* iterateParagraphs(text: string): Generator<Span> {
  let start = -1;
  let end = 0;
  let line = "";
  for (const [from, to] of iterateLines(text)) {
    const span = trimSpan(text, from, to);
    if (span === undefined) {
      if (start >= 0) yield [start, end];
      start = -1;
      continue;
    }
    const next = text.slice(span[0], Math.min(span[1], span[0] + maxWrappedLineLength + 1));
    if (start >= 0 && !isWrap(line, next)) {
      yield [start, end];
      start = -1;
    }
    if (start < 0) start = span[0];
    end = span[1];
    line = next;
  }
  if (start >= 0) yield [start, end];
}

function isWrap(line: string, next: string): boolean {
  if (line.length > maxWrappedLineLength || listItemPattern.test(next)) return false;
  return line.length >= minWrappedLineLength || /^\p{Ll}/u.test(next);
}

function* iterateLines(text: string): Generator<Span> {
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x0a && code !== 0x0d && code !== 0x2028 && code !== 0x2029) continue;
    yield [from, at];
    if (code === 0x0d && text.charCodeAt(at + 1) === 0x0a) at++;
    from = at + 1;
  }
  yield [from, text.length];
}

function* iterateSentenceSpans(
  text: string,
  start: number,
  end: number,
  words: BoundaryWords,
): Generator<Span> {
  let from = start;
  for (let at = start; at < end; at++) {
    if (!isTerminator(text.charCodeAt(at))) continue;
    const runStart = at;
    while (at < end && isTerminator(text.charCodeAt(at))) at++;
    const terminatorRun = { start: runStart, end: at };
    at = skipClosingMarks(text, at, end);
    const isFollowedBySpace = at >= end || isSpace(text, at);
    const isWide = wideTerminators.has(text[terminatorRun.end - 1] ?? "");
    if (
      !isWide &&
      (!isFollowedBySpace || !isSentenceEnd(text, { from, ...terminatorRun }, end, words))
    ) {
      at--;
      continue;
    }
    const span = trimSpan(text, from, at);
    if (span) yield span;
    from = at;
    at--;
  }
  const rest = trimSpan(text, from, end);
  if (rest) yield rest;
}

/** A sentence; one that is too long is split into parts of about equal length. */
function* splitLongSentence(text: string, start: number, end: number): Generator<SentencePart> {
  let from = start;
  while (end - from > maxSentenceLength) {
    const target = (end - from) / Math.ceil((end - from) / maxSentenceLength);
    const at = findBestCut(text, from, target);
    yield* toSentences(text, from, at);
    from = at;
  }
  yield* toSentences(text, from, end);
}

type SentencePart = Omit<Sentence, "language">;

function toSentences(text: string, from: number, to: number): SentencePart[] {
  const span = trimSpan(text, from, to);
  return span
    ? [{ text: text.slice(span[0], span[1]), start: span[0], end: span[1], paragraphEnd: false }]
    : [];
}

/** Where to split: the strongest kind of break, and of these the one nearest to the target length. */
function findBestCut(text: string, from: number, target: number): number {
  const breakPatterns = [/[;:—]/, /,/, /\s/];
  for (const breakPattern of breakPatterns) {
    let best = -1;
    const earliest =
      from +
      Math.floor(Math.min(target, maxSentenceLength) * (breakPattern.source === "\\s" ? 0.1 : 0.4));
    for (let at = earliest; at < from + maxSentenceLength; at++) {
      if (!breakPattern.test(text[at] ?? "")) continue;
      const cut = at + 1;
      // "10:30" and "1,000" are no breaks; a dash needs no space after it.
      if (text[at] !== "—" && !isSpace(text, at) && !isSpace(text, cut)) continue;
      if (best < 0 || Math.abs(cut - from - target) < Math.abs(best - from - target)) best = cut;
    }
    if (best >= 0) return best;
  }
  const cut = from + maxSentenceLength;
  return /[\uD800-\uDBFF]/.test(text[cut - 1] ?? "") ? cut - 1 : cut;
}

function trimSpan(text: string, from: number, to: number): Span | undefined {
  let start = from;
  let end = to;
  while (start < end && isSpace(text, start)) start++;
  while (end > start && isSpace(text, end - 1)) end--;
  return start < end ? [start, end] : undefined;
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (
    code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0xa0 && /\s/.test(text[at] ?? ""))
  );
}

// Where the words of a segment are in its text. Pure.

import type { DocumentSegment } from "./transcript-document.ts";

type Word = DocumentSegment["words"][number];

/** A word's position in its segment's text, in UTF-16 units. */
export type WordRange = { readonly index: number; readonly start: number; readonly end: number };

const wordRangeCache = new WeakMap<DocumentSegment, readonly WordRange[]>();

/**
 * Positions of a segment's words in its text, in order; words that the text does not contain any more are left out.
 * Cached per segment.
 */
export function wordRanges(segment: DocumentSegment): readonly WordRange[] {
  const cachedRanges = wordRangeCache.get(segment);
  if (cachedRanges !== undefined) return cachedRanges;
  const ranges: WordRange[] = [];
  let from = 0;
  for (const [index, { word }] of segment.words.entries()) {
    const text = word.trim();
    const start = text === "" ? -1 : segment.text.indexOf(text, from);
    if (start < 0) continue;
    from = start + text.length;
    ranges.push({ index, start, end: from });
  }
  wordRangeCache.set(segment, ranges);
  return ranges;
}

/** Words of a typed text, with the time range distributed by length. Typed words count as certain. */
export function interpolateWords(text: string, startSec: number, endSec: number): Word[] {
  const tokens = text.split(/\s+/).filter((token) => token !== "");
  const length = tokens.reduce((sum, token) => sum + token.length, 0);
  let at = startSec;
  return tokens.map((word) => {
    const begin = at;
    at += ((endSec - startSec) * word.length) / length;
    return { word, startSec: begin, endSec: at, probability: 1 };
  });
}

/** The words with position and time; estimated if the segment has none. */
export function timedWords(segment: DocumentSegment): readonly (WordRange & Word)[] {
  const { text, startSec, endSec } = segment;
  const timed =
    wordRanges(segment).length > 0
      ? segment
      : { ...segment, words: interpolateWords(text, startSec, endSec) };
  return wordRanges(timed).flatMap((range) => {
    const word = timed.words[range.index];
    return word === undefined ? [] : [{ ...range, ...word }];
  });
}

// Which words were probably misheard, the most doubtful first: a list to walk through, not a page painted red. The same
// word is one entry, however often it comes, so that one answer serves all of its places.

import type { DocumentSegment } from "../../../../main/contract/studio.ts";
import { findMatches, type Match } from "./find.ts";
import { wordRanges } from "./segments.ts";

export type LowConfidenceWord = {
  /** Letters and digits in lower case. */
  readonly key: string;
  /** As it stands at its most doubtful place. */
  readonly text: string;
  /** Its doubtful places, in time order. */
  readonly occurrences: readonly (Match & {
    readonly wordIndex: number;
    readonly startSec: number;
    readonly endSec: number;
    readonly probability: number;
  })[];
  /** The higher, the sooner it is asked about. */
  readonly score: number;
};

/** Words the model was surer of than this are not asked about. */
const minConfidentProbability = 0.6;
/** Nobody walks through more. */
const maxWords = 200;

const wordKey = (text: string): string =>
  text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "");

/** How much a mistake in a word matters: names and figures most, small words that carry little least. */
function weight(text: string, key: string, isFirst: boolean): number {
  if (/\p{N}/u.test(text)) return 1.5;
  const isName = !isFirst && /^\P{L}*\p{Lu}/u.test(text) && key.length > 1;
  return isName ? 1.5 : Math.min(1, key.length / 5);
}

type Occurrence = LowConfidenceWord["occurrences"][number] & {
  key: string;
  text: string;
  severity: number;
};

const occurrenceCache = new WeakMap<DocumentSegment, readonly Occurrence[]>();

/** Computed once a segment: an edit changes one of thousands. */
function lowConfidenceOccurrences(segment: DocumentSegment): readonly Occurrence[] {
  const cached = occurrenceCache.get(segment) ?? computeOccurrences(segment);
  occurrenceCache.set(segment, cached);
  return cached;
}

function computeOccurrences(segment: DocumentSegment): Occurrence[] {
  // Words of a segment that the model was unsure of as a whole count for more.
  const segmentFactor = 1 + Math.min(1, Math.max(0, -segment.avgLogprob));
  return wordRanges(segment).flatMap(({ index, start, end }) => {
    const word = segment.words[index];
    if (word === undefined || word.probability >= minConfidentProbability) return [];
    const text = word.word.trim();
    const key = wordKey(text);
    if (key === "") return [];
    const severity = (1 - word.probability) * weight(text, key, index === 0) * segmentFactor;
    // Without the punctuation around it: that is nothing to walk to.
    const leadingLength = text.search(/[\p{L}\p{N}]/u);
    const trailingLength = text.length - text.replace(/[^\p{L}\p{M}\p{N}]+$/u, "").length;
    return [
      {
        segmentId: segment.id,
        wordIndex: index,
        start: start + leadingLength,
        end: end - trailingLength,
        startSec: word.startSec,
        endSec: word.endSec,
        probability: word.probability,
        key,
        text: text.slice(leadingLength, text.length - trailingLength),
        severity,
      },
    ];
  });
}

/** Ranked. */
export function lowConfidenceWords(
  segments: readonly DocumentSegment[],
): readonly LowConfidenceWord[] {
  const groups = Map.groupBy(segments.flatMap(lowConfidenceOccurrences), (place) => place.key);
  return [...groups]
    .map(([key, occurrences]) => {
      const worst = occurrences.reduce((one, other) =>
        other.severity > one.severity ? other : one,
      );
      // Many doubtful places of one word are worth asking about sooner, with less for each one more.
      return {
        key,
        text: worst.text,
        occurrences: occurrences,
        score: worst.severity * (1 + Math.log2(occurrences.length) / 4),
      };
    })
    .sort((one, other) => other.score - one.score)
    .slice(0, maxWords);
}

/** How many letters have to change to make one of the other; stops counting past `maxDistance`. */
export function editDistance(one: string, other: string, maxDistance: number): number {
  if (Math.abs(one.length - other.length) > maxDistance) return maxDistance + 1;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1)
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1),
        ),
      );
    row = next;
    if (Math.min(...row) > maxDistance) return maxDistance + 1;
  }
  return row[other.length] ?? maxDistance + 1;
}

export type SimilarError = {
  readonly text: string;
  readonly matches: readonly Match[];
  /** Not the word itself, but one like it that was doubtful too. */ readonly isSimilar: boolean;
};

/** Where else a misheard word stands: the word itself everywhere, then doubtful words like it. What it was corrected to is left alone. */
export function findSimilarErrors(
  segments: readonly DocumentSegment[],
  wrong: string,
  right: string,
): readonly SimilarError[] {
  const key = wordKey(wrong);
  if (key === "") return [];
  const occurrences = (text: string): readonly Match[] =>
    findMatches(segments, text, { isCaseSensitive: false, isWholeWords: true });
  const sameWordMatches = occurrences(wrong);
  const maxDistance = key.length < 5 ? 0 : Math.ceil(key.length / 4);
  const similarWords = lowConfidenceWords(segments).filter(
    (word) =>
      word.key !== key &&
      word.key !== wordKey(right) &&
      editDistance(word.key, key, maxDistance) <= maxDistance,
  );
  return [
    ...(sameWordMatches.length > 0
      ? [{ text: wrong, matches: sameWordMatches, isSimilar: false }]
      : []),
    ...similarWords.map((word) => ({
      text: word.text,
      matches: occurrences(word.text),
      isSimilar: true,
    })),
  ];
}

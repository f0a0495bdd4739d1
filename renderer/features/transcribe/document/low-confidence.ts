// Ranks low-confidence words, so that the user can review the worst first. The same word is one entry, however often it
// occurs, so that one correction fixes all occurrences.

import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { wordRanges } from "../../../../main/contract/word-positions.ts";
import { findMatches, type Match } from "./find.ts";

export type LowConfidenceWord = {
  /** Letters and digits in lower case. */
  readonly key: string;
  /** As written where confidence is lowest. */
  readonly text: string;
  /** Its low-confidence occurrences, in time order. */
  readonly occurrences: readonly (Match & {
    readonly wordIndex: number;
    readonly startSec: number;
    readonly endSec: number;
    readonly probability: number;
  })[];
  /** Higher is reviewed first. */
  readonly score: number;
};

/** Words with at least this probability are not listed. */
const minConfidentProbability = 0.6;
/** More would not be reviewed. */
const maxWords = 200;

const wordKey = (text: string): string =>
  text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "");

/** How much an error in a word matters: most for names and numbers, least for short function words. */
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

/** Cached per segment: an edit changes one of thousands. */
function lowConfidenceOccurrences(segment: DocumentSegment): readonly Occurrence[] {
  const cached = occurrenceCache.get(segment) ?? computeOccurrences(segment);
  occurrenceCache.set(segment, cached);
  return cached;
}

function computeOccurrences(segment: DocumentSegment): Occurrence[] {
  // Words count for more if the model was unsure of the whole segment.
  const segmentFactor = 1 + Math.min(1, Math.max(0, -segment.avgLogprob));
  return wordRanges(segment).flatMap(({ index, start, end }) => {
    const word = segment.words[index];
    if (word === undefined || word.probability >= minConfidentProbability) return [];
    const text = word.word.trim();
    const key = wordKey(text);
    if (key === "") return [];
    const severity = (1 - word.probability) * weight(text, key, index === 0) * segmentFactor;
    // Leaves out punctuation around the word.
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

/** Sorted by score. */
export function lowConfidenceWords(
  segments: readonly DocumentSegment[],
): readonly LowConfidenceWord[] {
  const groups = Map.groupBy(
    segments.flatMap(lowConfidenceOccurrences),
    (occurrence) => occurrence.key,
  );
  return [...groups]
    .map(([key, occurrences]) => {
      const worst = occurrences.reduce((one, other) =>
        other.severity > one.severity ? other : one,
      );
      // Further occurrences of a word raise its score logarithmically.
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

/** Levenshtein distance; stops counting above `maxDistance`. */
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
  /** Another low-confidence word that is similar, not the word itself. */
  readonly isSimilar: boolean;
};

/**
 * Other occurrences of a misheard word: the same word everywhere, then similar low-confidence words. Excludes the
 * corrected word.
 */
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

/** With a larger share of uncertain words, a better model is worth a try. */
const maxUncertainShare = 0.15;

/** Whether the model was unsure of many words. */
export function isUncertain(segments: readonly DocumentSegment[]): boolean {
  const words = segments.reduce((sum, segment) => sum + segment.words.length, 0);
  const uncertain = segments.reduce(
    (sum, segment) => sum + lowConfidenceOccurrences(segment).length,
    0,
  );
  return words > 0 && uncertain / words > maxUncertainShare;
}

// Which words were probably misheard, the most doubtful first: a list to walk through, not a page painted red. The same
// word is one entry, however often it comes, so that one answer serves all of its places.

import type { DocumentSegment } from "../../../../main/contract/studio.ts";
import { findMatches, type Match } from "./find.ts";
import { wordRanges } from "./segments.ts";

export type DoubtfulWord = {
  /** Letters and digits in lower case. */
  readonly key: string;
  /** As it stands at its most doubtful place. */
  readonly text: string;
  /** Its doubtful places, in time order. */
  readonly places: readonly (Match & {
    readonly wordIndex: number;
    readonly startSec: number;
    readonly endSec: number;
    readonly probability: number;
  })[];
  /** The higher, the sooner it is asked about. */
  readonly score: number;
};

/** Words the model was surer of than this are not asked about. */
const sureProbability = 0.6;
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

type Place = DoubtfulWord["places"][number] & { key: string; text: string; weighed: number };

const placesOf = new WeakMap<DocumentSegment, readonly Place[]>();

/** Computed once a segment: an edit changes one of thousands. */
function doubtfulPlaces(segment: DocumentSegment): readonly Place[] {
  const known = placesOf.get(segment) ?? computePlaces(segment);
  placesOf.set(segment, known);
  return known;
}

function computePlaces(segment: DocumentSegment): Place[] {
  // Words of a segment that the model was unsure of as a whole count for more.
  const unsure = 1 + Math.min(1, Math.max(0, -segment.avgLogprob));
  return wordRanges(segment).flatMap(({ index, start, end }) => {
    const word = segment.words[index];
    if (word === undefined || word.probability >= sureProbability) return [];
    const text = word.word.trim();
    const key = wordKey(text);
    if (key === "") return [];
    const weighed = (1 - word.probability) * weight(text, key, index === 0) * unsure;
    // Without the punctuation around it: that is nothing to walk to.
    const lead = text.search(/[\p{L}\p{N}]/u);
    const trail = text.length - text.replace(/[^\p{L}\p{M}\p{N}]+$/u, "").length;
    return [
      {
        segmentId: segment.id,
        wordIndex: index,
        start: start + lead,
        end: end - trail,
        startSec: word.startSec,
        endSec: word.endSec,
        probability: word.probability,
        key,
        text: text.slice(lead, text.length - trail),
        weighed,
      },
    ];
  });
}

/** Ranked. */
export function doubtfulWords(segments: readonly DocumentSegment[]): readonly DoubtfulWord[] {
  const groups = Map.groupBy(segments.flatMap(doubtfulPlaces), (place) => place.key);
  return [...groups]
    .map(([key, places]) => {
      const worst = places.reduce((one, other) => (other.weighed > one.weighed ? other : one));
      // Many doubtful places of one word are worth asking about sooner, with less for each one more.
      return {
        key,
        text: worst.text,
        places,
        score: worst.weighed * (1 + Math.log2(places.length) / 4),
      };
    })
    .sort((one, other) => other.score - one.score)
    .slice(0, maxWords);
}

/** How many letters have to change to make one of the other; stops counting past `most`. */
export function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
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
    if (Math.min(...row) > most) return most + 1;
  }
  return row[other.length] ?? most + 1;
}

export type SameMistake = {
  readonly text: string;
  readonly matches: readonly Match[];
  /** Not the word itself, but one like it that was doubtful too. */ readonly isAlike: boolean;
};

/** Where else a misheard word stands: the word itself everywhere, then doubtful words like it. What it was corrected to is left alone. */
export function sameMistakes(
  segments: readonly DocumentSegment[],
  wrong: string,
  right: string,
): readonly SameMistake[] {
  const key = wordKey(wrong);
  if (key === "") return [];
  const places = (text: string): readonly Match[] =>
    findMatches(segments, text, { isCaseSensitive: false, isWholeWords: true });
  const itself = places(wrong);
  const most = key.length < 5 ? 0 : Math.ceil(key.length / 4);
  const alike = doubtfulWords(segments).filter(
    (word) =>
      word.key !== key && word.key !== wordKey(right) && editDistance(word.key, key, most) <= most,
  );
  return [
    ...(itself.length > 0 ? [{ text: wrong, matches: itself, isAlike: false }] : []),
    ...alike.map((word) => ({ text: word.text, matches: places(word.text), isAlike: true })),
  ];
}

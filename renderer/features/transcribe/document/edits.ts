// Edits of a transcript as patches: edit, merge, split, remove, replace a range by another transcription. Word times
// are kept as far as possible. See document-store.ts for saving and undo.

import { separatorBefore } from "../../../../main/contract/languages.ts";
import {
  type DocumentSegment,
  firstEditedSegmentId,
} from "../../../../main/contract/transcript-document.ts";
import { interpolateWords, wordRanges } from "../../../../main/contract/word-positions.ts";
import type { Match } from "./find.ts";
import type { Patch } from "./segments.ts";
import { inheritSpeakers } from "./speakers.ts";

type Word = DocumentSegment["words"][number];

/** Random, so that two windows which edit the same transcript do not use the same id. */
export const newSegmentId = (): number =>
  firstEditedSegmentId + Math.floor(Math.random() * 2 ** 48);

/**
 * The segment with `[start, end)` of its text replaced. Words outside keep their times; the touched ones are
 * interpolated.
 */
export function replaceRange(
  segment: DocumentSegment,
  start: number,
  end: number,
  replacement: string,
): DocumentSegment {
  const ranges = wordRanges(segment);
  const before = segment.text.slice(0, start);
  const after = segment.text.slice(end);
  // A word is touched if it overlaps the change, or if the change adjoins it without a space.
  const growsLeft =
    /\S$/.test(before) && (replacement === "" ? /^\S/.test(after) : /^\S/.test(replacement));
  const growsRight =
    /^\S/.test(after) && (replacement === "" ? /\S$/.test(before) : /\S$/.test(replacement));
  const touchedRanges = ranges.filter(
    (range) =>
      (range.start < end && range.end > start) ||
      (growsLeft && range.end === start) ||
      (growsRight && range.start === end),
  );
  const first = touchedRanges[0];
  const last = touchedRanges.at(-1);
  const text = before + replacement + after;
  const wordsOf = (inside: typeof ranges): Word[] =>
    inside.flatMap((range) => segment.words[range.index] ?? []);
  if (first === undefined || last === undefined)
    return { ...segment, text, words: wordsOf(ranges), isEdited: true };
  const replacedText = text.slice(
    Math.min(first.start, start),
    text.length - (segment.text.length - Math.max(last.end, end)),
  );
  const startSec = segment.words[first.index]?.startSec ?? segment.startSec;
  const endSec = segment.words[last.index]?.endSec ?? segment.endSec;
  const left = ranges.filter((range) => range.index < first.index);
  const right = ranges.filter((range) => range.index > last.index);
  return {
    ...segment,
    text,
    words: [
      ...wordsOf(left),
      ...interpolateWords(replacedText, startSec, endSec),
      ...wordsOf(right),
    ],
    isEdited: true,
  };
}

/** The segment with another text; words in the common prefix and suffix keep their times. */
export function replaceText(segment: DocumentSegment, text: string): DocumentSegment {
  const old = segment.text;
  if (text === old) return segment;
  const shorter = Math.min(old.length, text.length);
  let prefixLength = 0;
  while (prefixLength < shorter && old[prefixLength] === text[prefixLength]) prefixLength += 1;
  let suffixLength = 0;
  while (
    suffixLength < shorter - prefixLength &&
    old[old.length - 1 - suffixLength] === text[text.length - 1 - suffixLength]
  )
    suffixLength += 1;
  return replaceRange(
    segment,
    prefixLength,
    old.length - suffixLength,
    text.slice(prefixLength, text.length - suffixLength),
  );
}

const put = (...segments: DocumentSegment[]): Patch => ({ put: segments, remove: [] });

/** Patch for typing. A segment without text is removed only when the user leaves it. */
export const editText = (segment: DocumentSegment, text: string): Patch =>
  text === segment.text ? { put: [], remove: [] } : put(replaceText(segment, text));

/** Patch that writes a word again as the model did, before the vocabulary changed it. */
export function writeAsRecognized(segment: DocumentSegment, wordIndex: number): Patch {
  const heard = segment.words[wordIndex]?.heard;
  const range = wordRanges(segment).find(({ index }) => index === wordIndex);
  return heard === undefined || range === undefined
    ? { put: [], remove: [] }
    : put(replaceRange(segment, range.start, range.end, heard));
}

/** Joins two neighbours; keeps the first one's id. */
export function merge(first: DocumentSegment, second: DocumentSegment): Patch {
  const [firstSec, secondSec] = [first.endSec - first.startSec, second.endSec - second.startSec];
  const text = [first.text.trim(), second.text.trim()]
    .filter((part) => part !== "")
    .join(separatorBefore(first.language));
  const mergedSegment: DocumentSegment = {
    ...first,
    endSec: Math.max(first.endSec, second.endSec),
    text,
    words: [...first.words, ...second.words],
    avgLogprob:
      firstSec + secondSec > 0
        ? (first.avgLogprob * firstSec + second.avgLogprob * secondSec) / (firstSec + secondSec)
        : first.avgLogprob,
    noSpeechProb: Math.min(first.noSpeechProb, second.noSpeechProb),
    compressionRatio: Math.max(first.compressionRatio, second.compressionRatio),
    isEdited: true,
  };
  return { put: [mergedSegment], remove: [second.id] };
}

/** Whether there is text on both sides of the offset. */
export const canSplit = ({ text }: DocumentSegment, offset: number): boolean =>
  text.slice(0, offset).trim() !== "" && text.slice(offset).trim() !== "";

/** Splits before the word at `offset` of the text. Undefined if one side would be empty. */
export function split(
  segment: DocumentSegment,
  offset: number,
  id = newSegmentId(),
): Patch | undefined {
  if (!canSplit(segment, offset)) return undefined;
  const [left, right] = [
    segment.text.slice(0, offset).trimEnd(),
    segment.text.slice(offset).trimStart(),
  ];
  const ranges = wordRanges(segment);
  const before = ranges
    .filter((range) => range.start < offset)
    .flatMap((range) => segment.words[range.index] ?? []);
  const after = ranges
    .filter((range) => range.start >= offset)
    .flatMap((range) => segment.words[range.index] ?? []);
  // Without word times, estimate the time from the position in the text.
  const estimatedCutSec =
    segment.startSec + ((segment.endSec - segment.startSec) * offset) / segment.text.length;
  const cutSec = Math.min(
    segment.endSec,
    Math.max(segment.startSec, after[0]?.startSec ?? before.at(-1)?.endSec ?? estimatedCutSec),
  );
  const leftEndSec = Math.min(cutSec, before.at(-1)?.endSec ?? cutSec);
  return put(
    { ...segment, endSec: leftEndSec, text: left, words: before, isEdited: true },
    { ...segment, id, startSec: cutSec, text: right, words: after, isEdited: true },
  );
}

export const removeSegments = (segments: readonly DocumentSegment[]): Patch => ({
  put: [],
  remove: segments.map((segment) => segment.id),
});

/** Replaces matches of find.ts in one patch. */
export function replaceMatches(
  segments: readonly DocumentSegment[],
  matches: readonly Match[],
  replacement: string | ((match: string) => string),
): Patch {
  const bySegment = Map.groupBy(matches, (match) => match.segmentId);
  const changed = segments.flatMap((segment) => {
    const own = bySegment.get(segment.id);
    if (own === undefined) return [];
    // From the end, so that the offsets of earlier matches stay valid.
    const fromEnd = [...own].sort((one, other) => other.start - one.start);
    return [
      fromEnd.reduce(
        (next, { start, end }) =>
          replaceRange(
            next,
            start,
            end,
            typeof replacement === "string"
              ? replacement
              : replacement(next.text.slice(start, end)),
          ),
        segment,
      ),
    ];
  });
  return {
    put: changed.filter((segment) => segment.text.trim() !== ""),
    remove: changed.flatMap((segment) => (segment.text.trim() === "" ? [segment.id] : [])),
  };
}

/** Marks words as correct, so that they are not listed as low confidence again. */
export function confirmWords(
  segments: readonly DocumentSegment[],
  wordPositions: readonly { readonly segmentId: number; readonly wordIndex: number }[],
): Patch {
  const bySegment = Map.groupBy(wordPositions, (position) => position.segmentId);
  return put(
    ...segments.flatMap((segment) => {
      const confirmedIndices = new Set(
        bySegment.get(segment.id)?.map((position) => position.wordIndex),
      );
      return confirmedIndices.size === 0
        ? []
        : [
            {
              ...segment,
              words: segment.words.map((word, index) =>
                confirmedIndices.has(index) ? { ...word, probability: 1 } : word,
              ),
            },
          ];
    }),
  );
}

/** Segments that overlap `[fromSec, toSec)`. */
export const segmentsInRange = (
  segments: readonly DocumentSegment[],
  fromSec: number,
  toSec: number,
): readonly DocumentSegment[] =>
  segments.filter((segment) => segment.startSec < toSec && segment.endSec > fromSec);

/** Expands a range to whole segments: only these can be transcribed again and replaced. */
export function expandToSegments(
  segments: readonly DocumentSegment[],
  fromSec: number,
  toSec: number,
): { fromSec: number; toSec: number } {
  const own = segmentsInRange(segments, fromSec, toSec);
  return {
    fromSec: Math.min(fromSec, ...own.map((segment) => segment.startSec)),
    toSec: Math.max(toSec, ...own.map((segment) => segment.endSec)),
  };
}

/** Replaces the segments in that range by another transcription. */
export function replaceWithTranscription(
  segments: readonly DocumentSegment[],
  range: { fromSec: number; toSec: number },
  transcribed: readonly DocumentSegment[],
): Patch {
  const before = segmentsInRange(segments, range.fromSec, range.toSec);
  return {
    put: inheritSpeakers(transcribed, before).map((segment) => ({
      ...segment,
      id: newSegmentId(),
    })),
    remove: before.map((segment) => segment.id),
  };
}

// What a person does to a transcript, each as a patch: edit, merge, split, remove, replace a stretch by another hearing.
// Word times go along as far as they can be known; keeping and undoing is document-store.ts's work.

import { gapBefore } from "../../../../main/contract/languages.ts";
import { type DocumentSegment, firstEditedSegmentId } from "../../../../main/contract/studio.ts";
import type { Match } from "./find.ts";
import { type Patch, wordRanges } from "./segments.ts";
import { withSpeakers } from "./speakers.ts";

type Word = DocumentSegment["words"][number];

/** By chance, so that two windows that edit the same transcript never give the same. */
export const newSegmentId = (): number =>
  firstEditedSegmentId + Math.floor(Math.random() * 2 ** 48);

/** Text in place of a stretch of heard words shares their time by length; a person wrote it, so it is sure. */
function wordsFor(text: string, startSec: number, endSec: number): Word[] {
  const tokens = text.split(/\s+/).filter((token) => token !== "");
  const length = tokens.reduce((sum, token) => sum + token.length, 0);
  let at = startSec;
  return tokens.map((word) => {
    const begin = at;
    at += ((endSec - startSec) * word.length) / length;
    return { word, startSec: begin, endSec: at, probability: 1 };
  });
}

/** The segment with `[start, end)` of its text replaced. Words outside keep their times; those touched share theirs anew. */
export function withReplacement(
  segment: DocumentSegment,
  start: number,
  end: number,
  by: string,
): DocumentSegment {
  const ranges = wordRanges(segment);
  const before = segment.text.slice(0, start);
  const after = segment.text.slice(end);
  // A word is touched where the change lies in it, or grows on to it with no space between.
  const growsLeft = /\S$/.test(before) && (by === "" ? /^\S/.test(after) : /^\S/.test(by));
  const growsRight = /^\S/.test(after) && (by === "" ? /\S$/.test(before) : /\S$/.test(by));
  const touched = ranges.filter(
    (range) =>
      (range.start < end && range.end > start) ||
      (growsLeft && range.end === start) ||
      (growsRight && range.start === end),
  );
  const first = touched[0];
  const last = touched.at(-1);
  const text = before + by + after;
  const kept = (inside: typeof ranges): Word[] =>
    inside.flatMap((range) => segment.words[range.index] ?? []);
  if (first === undefined || last === undefined)
    return { ...segment, text, words: kept(ranges), isEdited: true };
  const span = text.slice(
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
    words: [...kept(left), ...wordsFor(span, startSec, endSec), ...kept(right)],
    isEdited: true,
  };
}

/** The segment with another text; what both have in common at the ends keeps its words. */
export function withText(segment: DocumentSegment, text: string): DocumentSegment {
  const old = segment.text;
  if (text === old) return segment;
  const shorter = Math.min(old.length, text.length);
  let head = 0;
  while (head < shorter && old[head] === text[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === text[text.length - 1 - tail])
    tail += 1;
  return withReplacement(segment, head, old.length - tail, text.slice(head, text.length - tail));
}

const put = (...segments: DocumentSegment[]): Patch => ({ put: segments, remove: [] });

/** Typing in a segment. What is left without any text is removed only once the person is done with it. */
export const editText = (segment: DocumentSegment, text: string): Patch =>
  text === segment.text ? { put: [], remove: [] } : put(withText(segment, text));

/** Two neighbours as one; the first one's id stays. */
export function merge(first: DocumentSegment, second: DocumentSegment): Patch {
  const [oneSec, otherSec] = [first.endSec - first.startSec, second.endSec - second.startSec];
  const text = [first.text.trim(), second.text.trim()]
    .filter((part) => part !== "")
    .join(gapBefore(first.language));
  const one: DocumentSegment = {
    ...first,
    endSec: Math.max(first.endSec, second.endSec),
    text,
    words: [...first.words, ...second.words],
    avgLogprob:
      oneSec + otherSec > 0
        ? (first.avgLogprob * oneSec + second.avgLogprob * otherSec) / (oneSec + otherSec)
        : first.avgLogprob,
    noSpeechProb: Math.min(first.noSpeechProb, second.noSpeechProb),
    compressionRatio: Math.max(first.compressionRatio, second.compressionRatio),
    isEdited: true,
  };
  return { put: [one], remove: [second.id] };
}

/** Both sides of the place have text. */
export const canSplit = ({ text }: DocumentSegment, offset: number): boolean =>
  text.slice(0, offset).trim() !== "" && text.slice(offset).trim() !== "";

/** Cut in two before the word at `offset` of the text. Undefined where one side would be empty. */
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
  // Without word times the cut lies where it lies in the text.
  const byLength =
    segment.startSec + ((segment.endSec - segment.startSec) * offset) / segment.text.length;
  const cutSec = Math.min(
    segment.endSec,
    Math.max(segment.startSec, after[0]?.startSec ?? before.at(-1)?.endSec ?? byLength),
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

/** Matches of find.ts replaced, all at once. */
export function replaceMatches(
  segments: readonly DocumentSegment[],
  matches: readonly Match[],
  by: string | ((found: string) => string),
): Patch {
  const bySegment = Map.groupBy(matches, (match) => match.segmentId);
  const changed = segments.flatMap((segment) => {
    const own = bySegment.get(segment.id);
    if (own === undefined) return [];
    // From the end, so that earlier places stay right.
    const fromEnd = [...own].sort((one, other) => other.start - one.start);
    return [
      fromEnd.reduce(
        (next, { start, end }) =>
          withReplacement(
            next,
            start,
            end,
            typeof by === "string" ? by : by(next.text.slice(start, end)),
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

/** Words found to be right as they are: nobody is asked about them again. */
export function confirmWords(
  segments: readonly DocumentSegment[],
  places: readonly { readonly segmentId: number; readonly wordIndex: number }[],
): Patch {
  const bySegment = Map.groupBy(places, (place) => place.segmentId);
  return put(
    ...segments.flatMap((segment) => {
      const sure = new Set(bySegment.get(segment.id)?.map((place) => place.wordIndex));
      return sure.size === 0
        ? []
        : [
            {
              ...segment,
              words: segment.words.map((word, index) =>
                sure.has(index) ? { ...word, probability: 1 } : word,
              ),
            },
          ];
    }),
  );
}

/** Segments that have a part within `[fromSec, toSec)`. */
export const within = (
  segments: readonly DocumentSegment[],
  fromSec: number,
  toSec: number,
): readonly DocumentSegment[] =>
  segments.filter((segment) => segment.startSec < toSec && segment.endSec > fromSec);

/** A range of the sound grown to whole segments: only these can be heard again and swapped. */
export function wholeSegments(
  segments: readonly DocumentSegment[],
  fromSec: number,
  toSec: number,
): { fromSec: number; toSec: number } {
  const own = within(segments, fromSec, toSec);
  return {
    fromSec: Math.min(fromSec, ...own.map((segment) => segment.startSec)),
    toSec: Math.max(toSec, ...own.map((segment) => segment.endSec)),
  };
}

/** Another hearing in place of what there was in that range. */
export function acceptHearing(
  segments: readonly DocumentSegment[],
  range: { fromSec: number; toSec: number },
  heard: readonly DocumentSegment[],
): Patch {
  const before = within(segments, range.fromSec, range.toSec);
  return {
    put: withSpeakers(heard, before).map((segment) => ({ ...segment, id: newSegmentId() })),
    remove: before.map((segment) => segment.id),
  };
}

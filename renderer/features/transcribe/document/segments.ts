// What a transcript is made of, as the page works with it: segments in time order, and where in a segment's text each of
// its words lies. Everything here is pure; changing segments is edits.ts's work.

import type { DocumentSegment } from "../../../../main/contract/studio.ts";

/** Segments that are new or different, and ids of those that are gone. */
export type Patch = {
  readonly put: readonly DocumentSegment[];
  readonly remove: readonly number[];
};

/** A word's place in its segment's text, in UTF-16 units. */
export type WordRange = { readonly index: number; readonly start: number; readonly end: number };

/** Times decide the order; the id settles what began together. */
export const inTimeOrder = (one: DocumentSegment, other: DocumentSegment): number =>
  one.startSec - other.startSec || one.endSec - other.endSec || one.id - other.id;

/** The segments after a patch, in time order. Unchanged segments stay the same objects. */
export function patched(
  segments: readonly DocumentSegment[],
  { put, remove }: Patch,
): readonly DocumentSegment[] {
  const changed = new Map(put.map((segment) => [segment.id, segment]));
  const gone = new Set(remove);
  const kept = segments.flatMap((segment) => {
    if (gone.has(segment.id)) return [];
    const next = changed.get(segment.id);
    changed.delete(segment.id);
    return [next ?? segment];
  });
  return kept.concat([...changed.values()]).sort(inTimeOrder);
}

/** The patch that takes a patch back, made before it is applied. */
export function inverse(segments: readonly DocumentSegment[], { put, remove }: Patch): Patch {
  const touched = new Set([...put.map((segment) => segment.id), ...remove]);
  const before = segments.filter((segment) => touched.has(segment.id));
  const known = new Set(before.map((segment) => segment.id));
  return {
    put: before,
    remove: put.flatMap((segment) => (known.has(segment.id) ? [] : [segment.id])),
  };
}

/** One patch for two that follow each other. */
export function joined(first: Patch, second: Patch): Patch {
  const put = new Map(first.put.map((segment) => [segment.id, segment]));
  const remove = new Set(first.remove);
  for (const segment of second.put) {
    put.set(segment.id, segment);
    remove.delete(segment.id);
  }
  for (const id of second.remove) {
    put.delete(id);
    remove.add(id);
  }
  return { put: [...put.values()], remove: [...remove] };
}

const places = new WeakMap<DocumentSegment, readonly WordRange[]>();

/** Where a segment's words lie in its text, in order; words the text no longer holds are left out. Computed once a segment. */
export function wordRanges(segment: DocumentSegment): readonly WordRange[] {
  const known = places.get(segment);
  if (known !== undefined) return known;
  const ranges: WordRange[] = [];
  let from = 0;
  for (const [index, { word }] of segment.words.entries()) {
    const text = word.trim();
    const start = text === "" ? -1 : segment.text.indexOf(text, from);
    if (start < 0) continue;
    from = start + text.length;
    ranges.push({ index, start, end: from });
  }
  places.set(segment, ranges);
  return ranges;
}

/** The word at a place of the text, or the next one after it. */
export const wordAtOffset = (segment: DocumentSegment, offset: number): WordRange | undefined =>
  wordRanges(segment).find((range) => offset < range.end);

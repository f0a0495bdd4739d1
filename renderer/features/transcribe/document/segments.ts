// Data of a transcript: segments in time order, patches, and words at a position or a part of the text. Pure. See
// edits.ts for edits.

import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import {
  timedWords,
  wordRanges,
  type WordRange,
} from "../../../../main/contract/word-positions.ts";
import type { TimeRange } from "../../../ui/time-view.ts";

/** Added or changed segments, and ids of removed ones. */
export type Patch = {
  readonly put: readonly DocumentSegment[];
  readonly remove: readonly number[];
};

export const emptyPatch: Patch = { put: [], remove: [] };
export const isEmptyPatch = ({ put, remove }: Patch): boolean =>
  put.length === 0 && remove.length === 0;

/** By start, then end; the id decides between equal times. */
export const compareByTime = (one: DocumentSegment, other: DocumentSegment): number =>
  one.startSec - other.startSec || one.endSec - other.endSec || one.id - other.id;

/** The segments after a patch, in time order. Unchanged segments stay the same objects. */
export function applyPatch(
  segments: readonly DocumentSegment[],
  { put, remove }: Patch,
): readonly DocumentSegment[] {
  const changed = new Map(put.map((segment) => [segment.id, segment]));
  const removedIds = new Set(remove);
  const remaining = segments.flatMap((segment) => {
    if (removedIds.has(segment.id)) return [];
    const next = changed.get(segment.id);
    changed.delete(segment.id);
    return [next ?? segment];
  });
  return remaining.concat([...changed.values()]).sort(compareByTime);
}

export const isSameSegment = (one: DocumentSegment, other: DocumentSegment): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** The patch that turns `before` into `after`. */
export function diffSegments(
  before: readonly DocumentSegment[],
  after: readonly DocumentSegment[],
): Patch {
  const beforeById = new Map(before.map((segment) => [segment.id, segment]));
  const remainingIds = new Set(after.map(({ id }) => id));
  return {
    put: after.filter((segment) => {
      const previous = beforeById.get(segment.id);
      return previous === undefined || !isSameSegment(previous, segment);
    }),
    remove: before.map(({ id }) => id).filter((id) => !remainingIds.has(id)),
  };
}

/** Whether the patch would change nothing. */
export function containsPatch(
  segments: readonly DocumentSegment[],
  { put, remove }: Patch,
): boolean {
  const byId = new Map(segments.map((segment) => [segment.id, segment]));
  return (
    remove.every((id) => !byId.has(id)) &&
    put.every((segment) => {
      const existing = byId.get(segment.id);
      return existing !== undefined && isSameSegment(existing, segment);
    })
  );
}

/** The patch that undoes a patch; call it before the patch is applied. */
export function invertPatch(segments: readonly DocumentSegment[], { put, remove }: Patch): Patch {
  const touchedIds = new Set([...put.map((segment) => segment.id), ...remove]);
  const before = segments.filter((segment) => touchedIds.has(segment.id));
  const existingIds = new Set(before.map((segment) => segment.id));
  return {
    put: before,
    remove: put.flatMap((segment) => (existingIds.has(segment.id) ? [] : [segment.id])),
  };
}

/** Combines two consecutive patches. */
export function joinPatches(first: Patch, second: Patch): Patch {
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

/** The word at an offset of the text, or the next one. */
export const wordAtOffset = (segment: DocumentSegment, offset: number): WordRange | undefined =>
  wordRanges(segment).find((range) => offset < range.end);

/** When the words are spoken that `[start, end)` of the text touches. */
export function timeRangeOfText(
  segment: DocumentSegment,
  start: number,
  end: number,
): TimeRange | undefined {
  const words = timedWords(segment).filter((word) => word.start < end && word.end > start);
  const [first, last] = [words[0], words.at(-1)];
  return first && last && { fromSec: first.startSec, toSec: last.endSec };
}

/** Words that the vocabulary changed, by segment. */
export const correctedWords = (
  segments: readonly DocumentSegment[],
): ReadonlyMap<number, readonly WordRange[]> =>
  new Map(
    segments.flatMap((segment) =>
      segment.words.some(({ heard }) => heard !== undefined)
        ? [
            [
              segment.id,
              wordRanges(segment).filter(({ index }) => segment.words[index]?.heard !== undefined),
            ] as const,
          ]
        : [],
    ),
  );

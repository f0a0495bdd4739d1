// Positions of sentences while the script is edited: until the app has split it again, untouched sentences move with
// the text. Pure.

import { firstIndexWhere } from "../../../../main/contract/first-index-where.ts";

/** One range of `before` that was replaced, in UTF-16 units. */
export type TextEdit = { readonly start: number; readonly oldEnd: number; readonly newEnd: number };

/** The range between the common prefix and the common suffix; undefined if the texts are equal. */
export function findEdit(before: string, after: string): TextEdit | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let commonTail = 0;
  while (
    commonTail < shorter - start &&
    before.charCodeAt(before.length - 1 - commonTail) ===
      after.charCodeAt(after.length - 1 - commonTail)
  )
    commonTail += 1;
  return { start, oldEnd: before.length - commonTail, newEnd: after.length - commonTail };
}

export type TextRange = { readonly start: number; readonly end: number };

/** Converts ranges in `before` to ranges in `after`; drops those that the edit touches. */
export function shiftRanges<Range extends TextRange>(
  ranges: readonly Range[],
  before: string,
  after: string,
): readonly Range[] {
  const edit = findEdit(before, after);
  if (edit === undefined) return ranges;
  const shift = edit.newEnd - edit.oldEnd;
  const moved: Range[] = [];
  for (const range of ranges) {
    if (range.end <= edit.start) moved.push(range);
    else if (range.start >= edit.oldEnd)
      moved.push({ ...range, start: range.start + shift, end: range.end + shift });
  }
  return moved;
}

/**
 * Index of the range that contains `at`, else of the last one before it, else the first; −1 if there is none. Ranges
 * are in order.
 */
export function rangeIndexAt(ranges: readonly TextRange[], at: number): number {
  const next = firstIndexWhere(ranges, ({ start }) => start > at);
  return Math.max(next - 1, Math.min(0, ranges.length - 1));
}

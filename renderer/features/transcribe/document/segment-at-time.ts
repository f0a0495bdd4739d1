// Finds the segment and word at a time. Binary search, because playback calls it on every frame.

import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { firstIndexWhere } from "../../../../main/contract/first-index-where.ts";

/** Index of the last sorted element that starts at or before `sec`; −1 if there is none. */
const lastStartedIndex = (items: readonly { readonly startSec: number }[], sec: number): number =>
  firstIndexWhere(items, ({ startSec }) => startSec > sec) - 1;

/** The segment at `sec`, or the last one before it; −1 before the first. Segments are in time order. */
export const segmentIndexAt = (segments: readonly DocumentSegment[], sec: number): number =>
  lastStartedIndex(segments, sec);

/** Where to seek to play something: slightly after its start, because media elements may seek slightly too early. */
export const seekPositionSec = ({
  startSec,
  endSec,
}: {
  readonly startSec: number;
  readonly endSec: number;
}): number => startSec + Math.max(0, Math.min(0.01, (endSec - startSec) / 2));

/** The word at `sec`; undefined in a longer gap between words. */
export function wordIndexAt(segment: DocumentSegment, sec: number): number | undefined {
  const index = lastStartedIndex(segment.words, sec);
  const word = segment.words[index];
  return word !== undefined && sec < word.endSec + 0.15 ? index : undefined;
}

// Finds the segment and word at a time. Binary search, because playback calls it on every frame.

import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";

/** Index of the last sorted element that starts at or before `sec`; −1 if there is none. */
function lastStartedIndex(count: number, startSec: (index: number) => number, sec: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (startSec(middle) <= sec) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The segment at `sec`, or the last one before it; −1 before the first. Segments are in time order. */
export const segmentIndexAt = (segments: readonly DocumentSegment[], sec: number): number =>
  lastStartedIndex(segments.length, (index) => segments[index]?.startSec ?? Infinity, sec);

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
  const index = lastStartedIndex(
    segment.words.length,
    (at) => segment.words[at]?.startSec ?? Infinity,
    sec,
  );
  const word = segment.words[index];
  return word !== undefined && sec < word.endSec + 0.15 ? index : undefined;
}

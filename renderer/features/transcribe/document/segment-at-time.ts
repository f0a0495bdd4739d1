// Which segment and which word belong to a moment of the sound: by halving, since playback asks on every frame.

import type { DocumentSegment } from "../../../../main/contract/studio.ts";

/** Index of the last of sorted things that began at or before `sec`; −1 before the first. */
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

/** The segment being spoken at `sec`, or the last one before it; −1 before the first. Segments are in time order. */
export const segmentIndexAt = (segments: readonly DocumentSegment[], sec: number): number =>
  lastStartedIndex(segments.length, (index) => segments[index]?.startSec ?? Infinity, sec);

/** Where to go to hear something: a hair after it begins, since a media element may land a hair before what it was asked for. */
export const seekPositionSec = ({
  startSec,
  endSec,
}: {
  readonly startSec: number;
  readonly endSec: number;
}): number => startSec + Math.max(0, Math.min(0.01, (endSec - startSec) / 2));

/** The word being spoken at `sec`; undefined between words that lie more than a moment apart. */
export function wordIndexAt(segment: DocumentSegment, sec: number): number | undefined {
  const index = lastStartedIndex(
    segment.words.length,
    (at) => segment.words[at]?.startSec ?? Infinity,
    sec,
  );
  const word = segment.words[index];
  return word !== undefined && sec < word.endSec + 0.15 ? index : undefined;
}

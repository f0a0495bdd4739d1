// The part of a segment that is in a range of time, cut between words. Pure.

import type { DocumentSegment } from "../contract/transcript-document.ts";
import { timedWords } from "../contract/word-positions.ts";

/** @returns undefined if the middle of no word is in the range; times of a part are those of its words */
export function cutToRange(
  segment: DocumentSegment,
  fromSec: number,
  toSec: number,
): DocumentSegment | undefined {
  if (segment.startSec >= fromSec && segment.endSec <= toSec) return segment;
  if (segment.startSec > toSec || segment.endSec < fromSec) return undefined;
  const words = timedWords(segment);
  const isInRange = ({ startSec, endSec }: { startSec: number; endSec: number }): boolean =>
    (startSec + endSec) / 2 >= fromSec && (startSec + endSec) / 2 <= toSec;
  const firstIndex = words.findIndex(isInRange);
  const lastIndex = words.findLastIndex(isInRange);
  const [first, last] = [words[firstIndex], words[lastIndex]];
  if (first === undefined || last === undefined) return undefined;
  return {
    ...segment,
    startSec: first.startSec,
    endSec: last.endSec,
    text: segment.text
      .slice(firstIndex === 0 ? 0 : first.start, words[lastIndex + 1]?.start)
      .trim(),
    words: segment.words.filter(isInRange),
  };
}

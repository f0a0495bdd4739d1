// Segments for the tests of the transcript page: the words divide the segment's time evenly.

import type { DocumentSegment } from "../../../../../main/contract/transcript-document.ts";

export function segment(
  id: number,
  startSec: number,
  endSec: number,
  text: string,
  probabilities: readonly number[] = [],
): DocumentSegment {
  const words = text.split(" ").filter((word) => word !== "");
  const each = (endSec - startSec) / words.length;
  return {
    id,
    startSec,
    endSec,
    text,
    words: words.map((word, index) => ({
      word,
      startSec: startSec + index * each,
      endSec: startSec + (index + 1) * each,
      probability: probabilities[index] ?? 0.99,
    })),
    language: "en",
    avgLogprob: -0.1,
    noSpeechProb: 0.02,
    compressionRatio: 1.2,
    isEdited: false,
  };
}

// Converts what a channel transcribed to segments of a document.

import type { TranscriptSegment } from "../../contract/speech.ts";
import type { TranscribedSegment } from "../../library/documents.ts";

/** Position of the audio in the whole file, and the language of segments that have none. */
export type SegmentContext = {
  fromSec: number;
  /** Omitted if unknown. */ toSec?: number | undefined;
  language?: string | undefined;
};

/** Clamped, since some providers return times beyond the end of the file. */
const toFileSec = (sec: number, { fromSec, toSec = Infinity }: SegmentContext): number =>
  Math.min(Math.max(sec, 0) + fromSec, toSec);

export function toTranscribedSegment(
  segment: TranscriptSegment,
  context: SegmentContext,
): TranscribedSegment {
  const { text, words = [], language, avgLogprob, noSpeechProb, compressionRatio } = segment;
  return {
    startSec: toFileSec(segment.startSec, context),
    endSec: toFileSec(segment.endSec, context),
    text: text.trim(),
    words: words.map((word) => ({
      ...word,
      startSec: toFileSec(word.startSec, context),
      endSec: toFileSec(word.endSec, context),
    })),
    language: language === "" ? (context.language ?? "") : language,
    avgLogprob,
    noSpeechProb,
    compressionRatio,
    isEdited: false,
  };
}

/** Text without timestamps. */
export const toUntimedSegment = (
  text: string,
  fromSec: number,
  toSec: number,
  language = "",
): TranscribedSegment => ({
  startSec: fromSec,
  endSec: toSec,
  text: text.trim(),
  words: [],
  language,
  avgLogprob: 0,
  noSpeechProb: 0,
  compressionRatio: 1,
  isEdited: false,
});

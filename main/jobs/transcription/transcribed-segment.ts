// Converts what a channel transcribed to segments of a document.

import type { TranscriptSegment } from "../../contract/speech.ts";
import type { TranscribedSegment } from "../../library/transcript-rows.ts";

/** Position of the transcribed audio in the whole file. `toSec`: omitted if unknown. */
type AudioPosition = { fromSec: number; toSec?: number | undefined };

export function toTranscribedSegment(
  segment: TranscriptSegment,
  { fromSec, toSec = Infinity }: AudioPosition,
): TranscribedSegment {
  const { text, words = [], language, avgLogprob, noSpeechProb, compressionRatio } = segment;
  /** Clamped, since some providers return times beyond the end of the file. */
  const toFileSec = (sec: number): number => Math.min(sec + fromSec, toSec);
  return {
    startSec: toFileSec(segment.startSec),
    endSec: toFileSec(segment.endSec),
    text: text.trim(),
    words: words.map((word) => ({
      ...word,
      startSec: toFileSec(word.startSec),
      endSec: toFileSec(word.endSec),
    })),
    language,
    avgLogprob,
    noSpeechProb,
    compressionRatio,
    isEdited: false,
  };
}

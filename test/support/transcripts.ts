// Transcripts for tests: a segment every two seconds, with timestamps of words.

import type { DocumentHeader, TranscribedSegment } from "../../main/library/transcript-rows.ts";

export const documentHeader: DocumentHeader = {
  durationSec: 60,
  language: "english",
  options: { model: "whisper-1", temperature: 0, translate: false },
  failed: [],
};

/** The words share 1.5 s equally. */
export function transcribedSegment(text: string, startSec = 0): TranscribedSegment {
  const parts = text.split(" ");
  const words = parts.map((word, at) => ({
    word,
    startSec: startSec + (1.5 * at) / parts.length,
    endSec: startSec + (1.5 * (at + 1)) / parts.length,
    probability: 0.9,
  }));
  return {
    startSec,
    endSec: startSec + 1.5,
    text,
    words,
    language: "en",
    avgLogprob: -0.25,
    noSpeechProb: 0.01,
    compressionRatio: 1.1,
    isEdited: false,
  };
}

export const transcribedSegments = (...texts: readonly string[]): TranscribedSegment[] =>
  texts.map((text, at) => transcribedSegment(text, at * 2));

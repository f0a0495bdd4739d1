// Groups segments into paragraphs: a new one starts after a pause, at a change of speaker, or at the end of a sentence
// once it is long.

import type { DocumentSegment } from "../contract/transcript-document.ts";

export type TranscriptParagraph = {
  startSec: number;
  endSec: number;
  speaker?: string;
  text: string;
};

const pauseSec = 2;
const softMaxCharacters = 700;
/** Upper limit, since some models write no full stops. */
const maxCharacters = 2_000;

/** @param segments in time order; those without text are ignored */
export function toParagraphs(segments: readonly DocumentSegment[]): TranscriptParagraph[] {
  const result: TranscriptParagraph[] = [];
  for (const { startSec, endSec, text: rawText, speaker } of segments) {
    const text = rawText.trim().replaceAll(/\s+/g, " ");
    if (text === "") continue;
    const lastParagraph = result.at(-1);
    if (
      lastParagraph === undefined ||
      isFull(lastParagraph.text) ||
      startSec - lastParagraph.endSec >= pauseSec ||
      speaker !== lastParagraph.speaker
    ) {
      result.push({ startSec, endSec, text, ...(speaker === undefined ? {} : { speaker }) });
    } else {
      lastParagraph.endSec = Math.max(lastParagraph.endSec, endSec);
      lastParagraph.text += ` ${text}`;
    }
  }
  return result;
}

const isFull = (text: string): boolean =>
  text.length > maxCharacters ||
  (text.length > softMaxCharacters && /[.!?…。！？]["'”’»)]{0,3}$/.test(text.slice(-5)));

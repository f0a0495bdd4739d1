// A transcript's segments as paragraphs to read: a new one after a pause, where somebody else speaks, and where it
// has grown long and a sentence ends.

import type { DocumentSegment } from "../contract/studio.ts";

export type TranscriptParagraph = {
  startSec: number;
  endSec: number;
  speaker?: string;
  text: string;
};

const pauseSec = 2;
const longCharacters = 700;
/** No sentence may end for so long: some models write no full stops. */
const longestCharacters = 2_000;

/** @param segments in time order; those without text are left out */
export function paragraphs(segments: readonly DocumentSegment[]): TranscriptParagraph[] {
  const made: TranscriptParagraph[] = [];
  for (const { startSec, endSec, text: raw, speaker } of segments) {
    const text = raw.trim().replaceAll(/\s+/g, " ");
    if (text === "") continue;
    const last = made.at(-1);
    if (
      last === undefined ||
      isFull(last.text) ||
      startSec - last.endSec >= pauseSec ||
      speaker !== last.speaker
    ) {
      made.push({ startSec, endSec, text, ...(speaker === undefined ? {} : { speaker }) });
    } else {
      last.endSec = Math.max(last.endSec, endSec);
      last.text += ` ${text}`;
    }
  }
  return made;
}

const isFull = (text: string): boolean =>
  text.length > longestCharacters ||
  (text.length > longCharacters && /[.!?…。！？]["'”’»)]{0,3}$/.test(text.slice(-5)));

// Groups segments into paragraphs: a new one starts after a pause, at a change of speaker, or at the end of a sentence
// once it is long.

import { separatorBefore } from "../contract/languages.ts";
import type { DocumentSegment, TranscriptNote } from "../contract/transcript-document.ts";

export type TranscriptParagraph = {
  startSec: number;
  endSec: number;
  speaker?: string;
  text: string;
  /** What it is made of; those without text are left out. */
  segments: DocumentSegment[];
};

/** What the formats for reading and tables are made from. */
export type LaidOutTranscript = {
  readonly title: string;
  /** ISO-639-1, or as the model named it. */
  readonly language: string;
  readonly hasTimes: boolean;
  readonly hasSpeakers: boolean;
  readonly paragraphs: readonly TranscriptParagraph[];
  /** In time order. */
  readonly notes: readonly TranscriptNote[];
  readonly soundUrl: string | undefined;
};

const pauseSec = 2;
const softMaxCharacters = 700;
/** Upper limit, since some models write no full stops. */
const maxCharacters = 2_000;

/** @param segments in time order; those without text are ignored */
export function toParagraphs(segments: readonly DocumentSegment[]): TranscriptParagraph[] {
  const result: TranscriptParagraph[] = [];
  for (const next of toSingleParagraphs(segments)) {
    const lastParagraph = result.at(-1);
    if (
      lastParagraph === undefined ||
      isFull(lastParagraph.text) ||
      next.startSec - lastParagraph.endSec >= pauseSec ||
      next.speaker !== lastParagraph.speaker
    ) {
      result.push(next);
    } else {
      lastParagraph.endSec = Math.max(lastParagraph.endSec, next.endSec);
      const [segment] = next.segments;
      lastParagraph.text += separatorBefore(segment?.language ?? "") + next.text;
      lastParagraph.segments.push(...next.segments);
    }
  }
  return result;
}

/** A paragraph for each segment with text. */
export const toSingleParagraphs = (segments: readonly DocumentSegment[]): TranscriptParagraph[] =>
  segments.flatMap((segment) => {
    const { startSec, endSec, speaker } = segment;
    const text = segment.text.trim().replaceAll(/\s+/g, " ");
    if (text === "") return [];
    return [
      {
        startSec,
        endSec,
        text,
        segments: [segment],
        ...(speaker === undefined ? {} : { speaker }),
      },
    ];
  });

const isFull = (text: string): boolean =>
  text.length > maxCharacters ||
  (text.length > softMaxCharacters && /[.!?…。！？]["'”’»)]{0,3}$/.test(text.slice(-5)));

/** The notes that follow a paragraph: from its start to that of the next one. */
export function notesAfter(
  { paragraphs, notes }: Pick<LaidOutTranscript, "paragraphs" | "notes">,
  index: number,
): TranscriptNote[] {
  const fromSec = index === 0 ? 0 : (paragraphs[index]?.startSec ?? Infinity);
  const toSec = paragraphs[index + 1]?.startSec ?? Infinity;
  return notes.filter(({ atSec }) => atSec >= fromSec && atSec < toSec);
}

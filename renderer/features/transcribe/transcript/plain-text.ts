// A transcript as text for the clipboard, or as a narration's script. A longer pause or another speaker starts a new
// paragraph.

import { separatorBefore } from "../../../../main/contract/languages.ts";
import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { formatTime } from "../../../messages/format.ts";

const paragraphPauseSec = 2;

type Paragraph = { speaker: string | undefined; text: string };

export function toParagraphs(segments: readonly DocumentSegment[]): readonly Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let endSec = 0;
  for (const segment of segments) {
    const text = segment.text.trim();
    if (text === "") continue;
    const last = paragraphs.at(-1);
    if (
      last !== undefined &&
      last.speaker === segment.speaker &&
      segment.startSec - endSec < paragraphPauseSec
    )
      last.text += separatorBefore(segment.language) + text;
    else paragraphs.push({ speaker: segment.speaker, text });
    ({ endSec } = segment);
  }
  return paragraphs;
}

export function plainText(segments: readonly DocumentSegment[]): string {
  const paragraphs = toParagraphs(segments);
  return paragraphs
    .map((paragraph, index) => namePrefix(paragraph, paragraphs[index - 1]) + paragraph.text)
    .join("\n\n");
}

/** Where another speaker begins, the mark of the role. */
export function toScript(
  paragraphs: readonly Paragraph[],
  roleOf: (speaker: string | undefined) => string,
): string {
  return paragraphs
    .map(({ speaker, text }, index) => {
      // What begins with a number sign would be a chapter.
      const spoken = text.replaceAll(/\s+/g, " ").replace(/^(?:#+ )+/, "");
      const isSame = index > 0 && paragraphs[index - 1]?.speaker === speaker;
      return isSame ? spoken : `[${roleOf(speaker)}] ${spoken}`;
    })
    .join("\n\n");
}

/** One line per segment, with its time. */
export const timedText = (segments: readonly DocumentSegment[]): string =>
  segments
    .map((segment, index) => {
      const text = namePrefix(segment, segments[index - 1]) + segment.text.trim();
      return `${formatTime(segment.startSec)}\t${text}`;
    })
    .join("\n");

type Spoken = { readonly speaker?: string | undefined };

/** Where another speaker begins. */
const namePrefix = ({ speaker }: Spoken, previous: Spoken | undefined): string =>
  speaker === undefined || speaker === previous?.speaker ? "" : `${speaker}: `;

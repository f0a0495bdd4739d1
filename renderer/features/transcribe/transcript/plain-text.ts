// A transcript as text for the clipboard. A longer pause or another speaker starts a new paragraph.

import { separatorBefore } from "../../../../main/contract/languages.ts";
import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { formatTime } from "../../../messages/format.ts";

const paragraphPauseSec = 2;

export function plainText(segments: readonly DocumentSegment[]): string {
  let text = "";
  for (const [index, segment] of segments.entries()) {
    const previous = segments[index - 1];
    const isNewParagraph =
      previous !== undefined &&
      (segment.startSec - previous.endSec >= paragraphPauseSec ||
        segment.speaker !== previous.speaker);
    const segmentText = segment.text.trim();
    const name =
      segment.speaker !== undefined && segment.speaker !== previous?.speaker
        ? `${segment.speaker}: `
        : "";
    if (segmentText !== "")
      text +=
        (text === "" ? "" : isNewParagraph ? "\n\n" : separatorBefore(segment.language)) +
        name +
        segmentText;
  }
  return text;
}

/** One line per segment, with its time. */
export const timedText = (segments: readonly DocumentSegment[]): string =>
  segments.map((segment) => `${formatTime(segment.startSec)}\t${segment.text.trim()}`).join("\n");

// A transcript as text for the clipboard. A paragraph ends where there is a longer pause or somebody else speaks.

import { gapBefore } from "../../../../main/contract/languages.ts";
import type { DocumentSegment } from "../../../../main/contract/studio.ts";
import { formatTime } from "../../../messages/format.ts";

const paragraphPauseSec = 2;

export function plainText(segments: readonly DocumentSegment[]): string {
  let text = "";
  for (const [index, segment] of segments.entries()) {
    const before = segments[index - 1];
    const isNew =
      before !== undefined &&
      (segment.startSec - before.endSec >= paragraphPauseSec || segment.speaker !== before.speaker);
    const own = segment.text.trim();
    const name =
      segment.speaker !== undefined && segment.speaker !== before?.speaker
        ? `${segment.speaker}: `
        : "";
    if (own !== "")
      text += (text === "" ? "" : isNew ? "\n\n" : gapBefore(segment.language)) + name + own;
  }
  return text;
}

/** A line a segment, its time before it. */
export const timedText = (segments: readonly DocumentSegment[]): string =>
  segments.map((segment) => `${formatTime(segment.startSec)}\t${segment.text.trim()}`).join("\n");

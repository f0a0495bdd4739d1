// Which languages a transcript is of, told by its segments.

import type { DocumentSegment, TranscriptDocument } from "../../../../main/contract/studio.ts";

/** Of all that is said; what is less is taken for a moment that was mistaken. */
const minShare = 0.02;

/** Codes, the one most spoken first. None where nothing was said. */
export function spokenLanguages(segments: readonly DocumentSegment[]): readonly string[] {
  const spokenSec = new Map<string, number>();
  for (const { language, startSec, endSec } of segments)
    if (language !== "")
      spokenSec.set(language, (spokenSec.get(language) ?? 0) + endSec - startSec);
  const totals = [...spokenSec].toSorted(([, one], [, other]) => other - one);
  const minSec = totals.reduce((all, [, sec]) => all + sec, 0) * minShare;
  return totals.flatMap(([code, sec]) => (sec < minSec ? [] : [code]));
}

/**
 * Whether the text is a translation. This machine tells what was spoken, and leaves English as it is; others name the
 * language they wrote.
 */
export const isTranslated = (
  options: TranscriptDocument["options"] | undefined,
  languages: readonly string[],
  channels: readonly string[],
): boolean =>
  options?.translate === true &&
  languages.length > 0 &&
  (languages.some((code) => code !== "en") || channels.some((channel) => channel !== "local"));

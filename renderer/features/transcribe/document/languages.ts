// Languages of a transcript, from its segments.

import type {
  DocumentSegment,
  TranscriptDocument,
} from "../../../../main/contract/transcript-document.ts";

/** A smaller share of the speech is probably a wrong detection. */
const minShare = 0.02;

/** Codes, sorted by duration. Empty if there is no speech. */
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
 * Whether the text is a translation. This machine reports the spoken language and does not translate English; providers
 * report the language of their output.
 */
export const isTranslated = (
  options: TranscriptDocument["options"] | undefined,
  languages: readonly string[],
  channels: readonly string[],
): boolean =>
  options?.translate === true &&
  languages.length > 0 &&
  (languages.some((code) => code !== "en") || channels.some((channel) => channel !== "local"));

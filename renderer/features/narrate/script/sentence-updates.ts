// What becomes of sentences when the app has read the script anew: news of takes that came meanwhile are put on top,
// and sentences that were made before and have to be made again are noticed. Pure.

import type { NarrationSentence } from "../../../../main/contract/studio.ts";
import type { TextRange } from "./text-ranges.ts";

export const isGenerated = ({ takes }: NarrationSentence): boolean => takes.length > 0;

/** What an event told of a sentence; the script knows its position. */
export function withUpdate(
  sentence: NarrationSentence,
  { takes, chosenTake, missed }: NarrationSentence,
): NarrationSentence {
  const { chosenTake: _, missed: __, ...rest } = sentence;
  return {
    ...rest,
    takes,
    ...(chosenTake !== undefined && { chosenTake }),
    ...(missed !== undefined && { missed }),
  };
}

/** Ids of sentences without a take that stand where there was one. Both lists are in order. */
export function staleIds(
  sentences: readonly NarrationSentence[],
  generatedRanges: readonly TextRange[],
): ReadonlySet<string> {
  const stale = new Set<string>();
  let index = 0;
  for (const sentence of sentences) {
    while (index < generatedRanges.length && (generatedRanges[index]?.end ?? 0) <= sentence.start)
      index += 1;
    const range = generatedRanges[index];
    if (!isGenerated(sentence) && range !== undefined && range.start < sentence.end)
      stale.add(sentence.id);
  }
  return stale;
}

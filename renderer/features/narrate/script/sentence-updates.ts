// Merges sentence updates from events into the app's latest sentences, and finds sentences that must be generated
// again. Pure.

import type { NarrationSentence } from "../../../../main/contract/narration.ts";
import type { TextRange } from "./text-ranges.ts";

export const isGenerated = ({ takes }: NarrationSentence): boolean => takes.length > 0;

/** Applies an event's takes; the position comes from the script. */
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

/** Ids of sentences without a take that overlap a range which had one. Both lists are in order. */
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

// What becomes of sentences when the app has read the script anew: news of takes that came meanwhile are put on top,
// and sentences that were made before and have to be made again are noticed. Pure.

import type { NarrationSentence } from "../../../../main/contract/studio.ts";
import type { Placed } from "./placing.ts";

export const isMade = ({ takes }: NarrationSentence): boolean => takes.length > 0;

/** What an event told of a sentence; the script knows its position. */
export function withNews(
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
  now: readonly NarrationSentence[],
  madeBefore: readonly Placed[],
): ReadonlySet<string> {
  const stale = new Set<string>();
  let at = 0;
  for (const sentence of now) {
    while (at < madeBefore.length && (madeBefore[at]?.end ?? 0) <= sentence.start) at += 1;
    const before = madeBefore[at];
    if (!isMade(sentence) && before !== undefined && before.start < sentence.end)
      stale.add(sentence.id);
  }
  return stale;
}

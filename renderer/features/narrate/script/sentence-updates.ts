// Merges sentence updates from events into the app's latest sentences, and finds sentences that must be generated
// again.

import type { NarrationSentence } from "../../../../main/contract/studio.ts";
import type { TextRange } from "./text-ranges.ts";

export const isGenerated = ({ takes }: NarrationSentence): boolean => takes.length > 0;

/** Applies an event's takes; the position comes from the script. */
function withUpdate(
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

export const updateIn = (
  sentences: readonly NarrationSentence[],
  update: NarrationSentence,
): NarrationSentence[] =>
  sentences.map((sentence) =>
    sentence.id === update.id ? withUpdate(sentence, update) : sentence,
  );

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

/** Events can overtake responses: updates that came after a request was sent are newer than its response. */
export function createSentenceUpdates() {
  const byId = new Map<string, { readonly count: number; readonly sentence: NarrationSentence }>();
  let updateCount = 0;
  return {
    count: (): number => updateCount,
    add(sentence: NarrationSentence): void {
      updateCount += 1;
      byId.set(sentence.id, { count: updateCount, sentence });
    },
    applyNewer: (sentences: readonly NarrationSentence[], sinceCount: number) =>
      sentences.map((sentence) => {
        const update = byId.get(sentence.id);
        return update !== undefined && update.count > sinceCount
          ? withUpdate(sentence, update.sentence)
          : sentence;
      }),
  };
}

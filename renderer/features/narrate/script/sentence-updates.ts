// Merges sentence updates from events into the app's latest sentences, and finds sentences that must be generated
// again.

import type { NarrationSentence } from "../../../../main/contract/narration.ts";
import type { TextRange } from "./text-ranges.ts";

export const isGenerated = ({ takes }: NarrationSentence): boolean => takes.length > 0;

/** Applies an event to its sentence. */
export const updateIn = (
  sentences: readonly NarrationSentence[],
  update: NarrationSentence,
): NarrationSentence[] =>
  sentences.map((each) => (each.id === update.id ? withUpdate(each, update) : each));

/** Applies an event's takes; the position comes from the script. */
function withUpdate(
  sentence: NarrationSentence,
  { takes, chosenTake, spokenBy, missed }: NarrationSentence,
): NarrationSentence {
  const { chosenTake: _, spokenBy: __, missed: ___, ...rest } = sentence;
  return {
    ...rest,
    takes,
    ...(chosenTake !== undefined && { chosenTake }),
    ...(spokenBy !== undefined && { spokenBy }),
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

export type SentenceUpdates = {
  /** Number of updates so far. */
  count(): number;
  add(sentence: NarrationSentence): void;
  /**
   * The sentences of a response with the updates that came after its request.
   * @param sinceCount number of updates when it was sent
   */
  applyTo(sentences: readonly NarrationSentence[], sinceCount: number): NarrationSentence[];
};

/** Events can overtake responses: updates that came after a request was sent are newer than its response. */
export function createSentenceUpdates(): SentenceUpdates {
  const updates = new Map<string, { count: number; sentence: NarrationSentence }>();
  let count = 0;
  return {
    count: () => count,
    add(sentence) {
      count += 1;
      updates.set(sentence.id, { count, sentence });
    },
    applyTo: (sentences, sinceCount) =>
      sentences.map((sentence) => {
        const update = updates.get(sentence.id);
        return update !== undefined && update.count > sinceCount
          ? withUpdate(sentence, update.sentence)
          : sentence;
      }),
  };
}

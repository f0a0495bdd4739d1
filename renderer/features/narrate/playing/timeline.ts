// Timeline: where each sentence starts when they are played in sequence with their pauses. Durations of sentences that
// are not generated are estimated from the others. Pure.

import type { NarrationSentence } from "../../../../main/contract/narration.ts";
import { firstIndexWhere } from "../../../../main/contract/first-index-where.ts";

/** Typical of English at speed 1; used only until a sentence is generated. */
const defaultCharactersPerSec = 15;

export type Timeline = {
  /** Start of each sentence. */
  readonly startsSec: readonly number[];
  /** Duration of each, without the pause after it. */
  readonly durationsSec: readonly number[];
  readonly totalSec: number;
  /** The generated part of the total. */
  readonly generatedSec: number;
  readonly isEstimated: boolean;
};

export const selectedTake = ({ takes, chosenTake }: NarrationSentence) =>
  takes.find(({ id }) => id === chosenTake) ?? takes[0];

/** `speed` is the narration's, for the estimate. */
export function computeTimeline(sentences: readonly NarrationSentence[], speed: number): Timeline {
  let characters = 0;
  let seconds = 0;
  for (const sentence of sentences) {
    const take = selectedTake(sentence);
    if (take === undefined || take.durationSec === 0) continue;
    characters += sentence.text.length;
    seconds += take.durationSec;
  }
  const secPerCharacter =
    characters > 0 ? seconds / characters : 1 / (defaultCharactersPerSec * speed);
  const startsSec: number[] = [];
  const durationsSec: number[] = [];
  let [totalSec, generatedSec, isEstimated] = [0, 0, false];
  for (const sentence of sentences) {
    const take = selectedTake(sentence);
    const sentenceSec = take?.durationSec ?? sentence.text.length * secPerCharacter;
    startsSec.push(totalSec);
    durationsSec.push(sentenceSec);
    totalSec += sentenceSec + sentence.pauseSec;
    if (take === undefined) isEstimated = true;
    else generatedSec += sentenceSec + sentence.pauseSec;
  }
  return { startsSec, durationsSec, totalSec, generatedSec, isEstimated };
}

/** Index of the sentence that plays at a time, or whose pause it is; −1 if there is none. */
export function sentenceIndexAt({ startsSec }: Timeline, sec: number): number {
  const next = firstIndexWhere(startsSec, (startSec) => startSec > sec);
  return Math.max(next - 1, Math.min(0, startsSec.length - 1));
}

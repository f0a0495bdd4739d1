// Sentences in time: where each begins when they are played one after the other with their pauses. What is not made
// yet is guessed from what is. Pure.

import type { NarrationSentence } from "../../../../main/contract/studio.ts";

/** Of English read out at speed 1; only until something is made. */
const defaultCharactersPerSec = 15;

export type Timeline = {
  /** Seconds at which each sentence begins. */
  readonly startsSec: readonly number[];
  /** Seconds of each, the pause after it left out. */
  readonly durationsSec: readonly number[];
  readonly totalSec: number;
  /** Of the whole, what is made. */
  readonly generatedSec: number;
  readonly isEstimated: boolean;
};

export const selectedTake = ({ takes, chosenTake }: NarrationSentence) =>
  takes.find(({ id }) => id === chosenTake) ?? takes[0];

/** `speed` is that of the narration, for the guess. */
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

/** The sentence that sounds at a moment, or whose pause it is; −1 where there is none. */
export function sentenceIndexAt({ startsSec }: Timeline, sec: number): number {
  let low = 0;
  let high = startsSec.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((startsSec[middle] ?? Infinity) <= sec) low = middle + 1;
    else high = middle;
  }
  return Math.max(low - 1, Math.min(0, startsSec.length - 1));
}

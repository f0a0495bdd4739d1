// Sentences in time: where each begins when they are played one after the other with their pauses. What is not made
// yet is guessed from what is. Pure.

import type { NarrationSentence } from "../../../../main/contract/studio.ts";

/** Of English read out at speed 1; only until something is made. */
const defaultCharactersPerSec = 15;

export type Timeline = {
  /** Seconds at which each sentence begins. */
  readonly starts: readonly number[];
  /** Seconds of each, the pause after it left out. */
  readonly sounds: readonly number[];
  readonly totalSec: number;
  /** Of the whole, what is made. */
  readonly madeSec: number;
  readonly isGuessed: boolean;
};

export const chosenOf = ({ takes, chosenTake }: NarrationSentence) =>
  takes.find(({ id }) => id === chosenTake) ?? takes[0];

/** `speed` is that of the narration, for the guess. */
export function timelineOf(sentences: readonly NarrationSentence[], speed: number): Timeline {
  let characters = 0;
  let seconds = 0;
  for (const sentence of sentences) {
    const take = chosenOf(sentence);
    if (take === undefined || take.durationSec === 0) continue;
    characters += sentence.text.length;
    seconds += take.durationSec;
  }
  const secPerCharacter =
    characters > 0 ? seconds / characters : 1 / (defaultCharactersPerSec * speed);
  const starts: number[] = [];
  const sounds: number[] = [];
  let [totalSec, madeSec, isGuessed] = [0, 0, false];
  for (const sentence of sentences) {
    const take = chosenOf(sentence);
    const soundSec = take?.durationSec ?? sentence.text.length * secPerCharacter;
    starts.push(totalSec);
    sounds.push(soundSec);
    totalSec += soundSec + sentence.pauseSec;
    if (take === undefined) isGuessed = true;
    else madeSec += soundSec + sentence.pauseSec;
  }
  return { starts, sounds, totalSec, madeSec, isGuessed };
}

/** The sentence that sounds at a moment, or whose pause it is; −1 where there is none. */
export function indexAt({ starts }: Timeline, sec: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? Infinity) <= sec) low = middle + 1;
    else high = middle;
  }
  return Math.max(low - 1, Math.min(0, starts.length - 1));
}

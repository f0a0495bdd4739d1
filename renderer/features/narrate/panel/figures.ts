// What is known of a narration in figures: how much there is to say, how much of it is made, how long it takes, what
// making the rest costs. Pure.

import type { ModelDetails } from "../../../../main/contract/studio-api.ts";
import type { NarrationSentence } from "../../../../main/contract/studio.ts";
import { timelineOf } from "../playing/timeline.ts";

export type Figures = {
  /** Of what is spoken. */
  readonly characters: number;
  readonly sentences: number;
  readonly made: number;
  readonly chapters: number;
  readonly durationSec: number;
  readonly isGuessed: boolean;
  /** Of what is not made; undefined: nobody told a price. */
  readonly restUsd: number | undefined;
};

export function figuresOf(
  sentences: readonly NarrationSentence[],
  speed: number,
  model: ModelDetails | undefined,
): Figures {
  const left = sentences
    .filter(({ takes }) => takes.length === 0)
    .reduce((sum, { text }) => sum + text.length, 0);
  const price =
    model === undefined || model.channel === "local" ? 0 : model.perThousandCharactersUsd;
  const { totalSec, isGuessed } = timelineOf(sentences, speed);
  return {
    characters: sentences.reduce((sum, { text }) => sum + text.length, 0),
    sentences: sentences.length,
    made: sentences.filter(({ takes }) => takes.length > 0).length,
    chapters: sentences.filter(({ chapter }) => chapter !== undefined).length,
    durationSec: totalSec,
    isGuessed,
    restUsd: price === undefined ? undefined : (left / 1000) * price,
  };
}

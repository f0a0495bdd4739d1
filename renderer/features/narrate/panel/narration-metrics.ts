// What is known of a narration in figures: how much there is to say, how much of it is made, how long it takes, what
// making the rest costs. Pure.

import type { ModelDetails } from "../../../../main/contract/studio-api.ts";
import type { NarrationSentence } from "../../../../main/contract/studio.ts";
import { computeTimeline } from "../playing/timeline.ts";

export type NarrationMetrics = {
  /** Of what is spoken. */
  readonly characterCount: number;
  readonly sentenceCount: number;
  readonly generatedCount: number;
  readonly chapterCount: number;
  readonly durationSec: number;
  readonly isEstimated: boolean;
  /** Of what is not made; undefined: nobody told a price. */
  readonly remainingUsd: number | undefined;
};

export function computeNarrationMetrics(
  sentences: readonly NarrationSentence[],
  speed: number,
  model: ModelDetails | undefined,
): NarrationMetrics {
  const remainingCharacters = sentences
    .filter(({ takes }) => takes.length === 0)
    .reduce((sum, { text }) => sum + text.length, 0);
  const price =
    model === undefined || model.channel === "local" ? 0 : model.perThousandCharactersUsd;
  const { totalSec, isEstimated } = computeTimeline(sentences, speed);
  return {
    characterCount: sentences.reduce((sum, { text }) => sum + text.length, 0),
    sentenceCount: sentences.length,
    generatedCount: sentences.filter(({ takes }) => takes.length > 0).length,
    chapterCount: sentences.filter(({ chapter }) => chapter !== undefined).length,
    durationSec: totalSec,
    isEstimated,
    remainingUsd: price === undefined ? undefined : (remainingCharacters / 1000) * price,
  };
}

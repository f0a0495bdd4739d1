// Metrics of a narration: characters, sentences, generated ones, duration, cost of the rest. Pure.

import type { ListedModel } from "../../../../main/contract/window-api.ts";
import type { NarrationSentence } from "../../../../main/contract/narration.ts";
import { computeTimeline } from "../playing/timeline.ts";

export type NarrationMetrics = {
  /** Of the text that is spoken. */
  readonly characterCount: number;
  readonly sentenceCount: number;
  readonly generatedCount: number;
  readonly chapterCount: number;
  readonly durationSec: number;
  readonly isEstimated: boolean;
  /** Cost of what is not generated; undefined if the price is not known. */
  readonly remainingUsd: number | undefined;
};

export function computeNarrationMetrics(
  sentences: readonly NarrationSentence[],
  speed: number,
  model: ListedModel | undefined,
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

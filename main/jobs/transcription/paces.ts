// How long a transcription will take: at first as recent ones suggest, then more and more by its own pace.

import type { TranscribeOptions } from "../../contract/transcript-document.ts";

type PaceOptions = Pick<TranscribeOptions, "model" | "language" | "translate">;

export type Paces = {
  /** Seconds of audio per second, from the last transcription with these options, or else with this model. */
  expected(options: PaceOptions): number;
  /** Too short ones are ignored, since loading a model takes most of their time. */
  note(options: PaceOptions, done: { audioSec: number; tookSec: number }): void;
};

/** Of a slow machine: a first estimate should be too long rather than too short. */
const defaultPace = 8;
const minTookSec = 3;

const keysOf = ({ model, language = "", translate }: PaceOptions): [string, string] => [
  JSON.stringify([model, language, translate]),
  model,
];

export function createPaces(): Paces {
  const byOptions = new Map<string, number>();
  return {
    expected(options) {
      const [exact, model] = keysOf(options);
      return byOptions.get(exact) ?? byOptions.get(model) ?? defaultPace;
    },
    note(options, { audioSec, tookSec }) {
      if (tookSec < minTookSec || audioSec <= 0) return;
      for (const key of keysOf(options)) byOptions.set(key, audioSec / tookSec);
    },
  };
}

/** The expected pace counts as much as this time of the transcription itself. */
const expectedWeightSec = 5;

/**
 * Also before the first result, which takes seconds in languages that are transcribed in long batches: without one, the
 * estimate grows slowly.
 */
export function estimateLeftSec({
  expectedPace,
  elapsedSec,
  doneSec,
  pendingSec,
}: {
  expectedPace: number;
  elapsedSec: number;
  doneSec: number;
  /** Including what is done. */
  pendingSec: number;
}): number {
  const pace = (expectedPace * expectedWeightSec + doneSec) / (expectedWeightSec + elapsedSec);
  return Math.max(0, pendingSec - doneSec) / pace;
}

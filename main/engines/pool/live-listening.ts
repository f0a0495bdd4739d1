// Listens to a recording while it is being made: finds the stretches of speech in the samples as they reach the disk.

import { createLeveller } from "../../audio/dsp/level.ts";
import { createCutter, sentencePolicy, type PieceSpan } from "../../audio/dsp/segments.ts";
import { frameSamples, type Silero } from "../vad/silero.ts";
import { listeningRateHz } from "./listening.ts";

/** Text is to appear while one speaks: a breath ends a stretch. */
const livePolicy = { ...sentencePolicy, pauseSec: 0.6, maxSec: 12 };

export type LiveListening = {
  /** The stretches that are final with these samples (16 kHz); times count from the first sample of all. */
  step(samples: Float32Array): Promise<PieceSpan[]>;
};

export function createLiveListening(silero: Silero): LiveListening {
  const leveller = createLeveller(frameSamples, listeningRateHz);
  const detector = silero.createDetector();
  const cutter = createCutter(frameSamples / listeningRateHz, livePolicy);
  return { step: async (samples) => cutter.push(await detector.push(leveller.level(samples))) };
}

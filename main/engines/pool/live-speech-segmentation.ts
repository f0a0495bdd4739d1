// Listens to a recording while it is being made: finds the stretches of speech in the samples as they reach the disk.

import { createGainControl } from "../../audio/dsp/gain-control.ts";
import {
  createVadSegmenter,
  sentenceSegmentationPolicy,
  type SpeechSegmentSpan,
} from "../../audio/dsp/vad-segmenter.ts";
import { vadFrameSamples, type SileroModel } from "../vad/silero.ts";
import { sttSampleRateHz } from "./speech-segmentation.ts";

/** Text is to appear while one speaks: a breath ends a stretch. */
const liveSegmentationPolicy = { ...sentenceSegmentationPolicy, pauseSec: 0.6, maxSec: 12 };

export type LiveSpeechSegmentation = {
  /** The stretches that are final with these samples (16 kHz); times count from the first sample of all. */
  step(samples: Float32Array): Promise<SpeechSegmentSpan[]>;
};

export function createLiveSpeechSegmentation(silero: SileroModel): LiveSpeechSegmentation {
  const gainControl = createGainControl(vadFrameSamples, sttSampleRateHz);
  const vad = silero.createVad();
  const segmenter = createVadSegmenter(vadFrameSamples / sttSampleRateHz, liveSegmentationPolicy);
  return { step: async (samples) => segmenter.push(await vad.push(gainControl.process(samples))) };
}

// Runs VAD on a live recording, on samples as they are written to disk.

import { createGainControl } from "../../audio/dsp/gain-control.ts";
import {
  createVadSegmenter,
  sentenceSegmentationPolicy,
  type SpeechSegmentSpan,
} from "../../audio/dsp/vad-segmenter.ts";
import { vadFrameSamples, type SileroModel } from "../vad/silero.ts";
import { sttSampleRateHz } from "../engine.ts";

/** Text should appear while the user speaks, so a short pause for breath already ends a segment. */
const liveSegmentationPolicy = { ...sentenceSegmentationPolicy, pauseSec: 0.6, maxSec: 12 };

export type LiveSpeechSegmentation = {
  /**
   * Takes samples at 16 kHz. Returns the segments that are now final; times count from the first sample of the session.
   */
  step(samples: Float32Array): Promise<SpeechSegmentSpan[]>;
};

export function createLiveSpeechSegmentation(silero: SileroModel): LiveSpeechSegmentation {
  const gainControl = createGainControl(vadFrameSamples, sttSampleRateHz);
  const vad = silero.createVad();
  const segmenter = createVadSegmenter(vadFrameSamples / sttSampleRateHz, liveSegmentationPolicy);
  return { step: async (samples) => segmenter.push(await vad.push(gainControl.process(samples))) };
}

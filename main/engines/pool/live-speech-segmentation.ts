// Runs VAD on a live recording, on samples as they arrive. Segments are cut as those of a file are, so that the text of
// a live transcription is that of the file.

import { createGainControl } from "../../audio/dsp/gain-control.ts";
import {
  createVadSegmenter,
  type SegmentationPolicy,
  sentenceSegmentationPolicy,
  type LiveSpeechStep,
} from "../../audio/dsp/vad-segmenter.ts";
import { vadFrameSamples, type SileroModel } from "../vad/silero.ts";
import { sttSampleRateHz } from "../engine.ts";

export type LiveSpeechSegmentation = {
  /** Takes samples at 16 kHz. @param endsSpeech speech that is open afterwards ends here */
  step(samples: Float32Array, endsSpeech: boolean): Promise<LiveSpeechStep>;
};

export function createLiveSpeechSegmentation(
  silero: SileroModel,
  policy: Partial<SegmentationPolicy> = {},
): LiveSpeechSegmentation {
  const gainControl = createGainControl(vadFrameSamples, sttSampleRateHz);
  const vad = silero.createVad();
  const segmenter = createVadSegmenter(vadFrameSamples / sttSampleRateHz, {
    ...sentenceSegmentationPolicy,
    ...policy,
  });
  let sampleCount = 0;
  return {
    async step(samples, endsSpeech) {
      sampleCount += samples.length;
      const speechSegments = segmenter.push(await vad.push(gainControl.process(samples)));
      if (endsSpeech) speechSegments.push(...segmenter.finish(sampleCount / sttSampleRateHz));
      return { speechSegments, openSpeech: segmenter.openSpeech() };
    },
  };
}

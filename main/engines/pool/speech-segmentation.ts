// Decodes one media file window by window to 16 kHz PCM, runs VAD on it, and cuts it at pauses.

import { openDecoder, minDurationSec } from "../../audio/codec/decode.ts";
import { createGainControl } from "../../audio/dsp/gain-control.ts";
import { floatToPcm, joinSamples } from "../../audio/codec/pcm.ts";
import { createVadSegmenter, type SpeechSegmentSpan } from "../../audio/dsp/vad-segmenter.ts";
import { AppError } from "../../contract/errors.ts";
import { appendFileSync, writeFileSync } from "../../storage/disk.ts";
import { sttSampleRateHz } from "../engine.ts";
import { vadFrameSamples, type SileroModel } from "../vad/silero.ts";
import { defaultMediaLimits } from "./media-limits.ts";
import type { MediaLimits } from "./protocol.ts";
import { createTempSpace } from "./temp-space.ts";

const bytesPerSample = 2;

export type SpeechSegmentation = {
  /** From the container; undefined if it has none. */
  readonly durationSec: number | undefined;
  /** Decodes about `windowSec` more. Returns segments once they are final, in time order. */
  step(
    windowSec: number,
    signal: AbortSignal,
  ): Promise<{ speechSegments: SpeechSegmentSpan[]; processedSec: number; ended: boolean }>;
  close(): void;
};

/** @param silero undefined: the file is only decoded @throws AppError if it cannot be decoded */
export function openSpeechSegmentation(
  silero: SileroModel | undefined,
  mediaPath: string,
  pcmPath: string,
  limits: MediaLimits = defaultMediaLimits,
): SpeechSegmentation {
  const decoder = openDecoder(mediaPath, {
    sampleRateHz: sttSampleRateHz,
    maxDurationSec: limits.maxDurationSec,
  });
  const tempSpace = createTempSpace(mediaPath, pcmPath, limits);
  try {
    tempSpace.checkTotal((decoder.durationSec ?? 0) * sttSampleRateHz * bytesPerSample);
  } catch (error) {
    decoder.close();
    throw error;
  }
  const gainControl = createGainControl(vadFrameSamples, sttSampleRateHz);
  const vad = silero?.createVad();
  const segmenter = createVadSegmenter(vadFrameSamples / sttSampleRateHz);
  writeFileSync(pcmPath, "");
  let processedSamples = 0;
  return {
    durationSec: decoder.durationSec,
    async step(windowSec, signal) {
      const blocks: Float32Array[] = [];
      let stepSamples = 0;
      let ended = false;
      while (stepSamples < windowSec * sttSampleRateHz && !ended) {
        const block = decoder.read();
        if (block === undefined) ended = true;
        else {
          blocks.push(block);
          stepSamples += block.length;
        }
      }
      signal.throwIfAborted();
      const samples = joinSamples(blocks);
      processedSamples += stepSamples;
      tempSpace.add(stepSamples * bytesPerSample);
      appendFileSync(pcmPath, floatToPcm(samples));
      const speechSegments =
        vad === undefined ? [] : segmenter.push(await vad.push(gainControl.process(samples)));
      const processedSec = processedSamples / sttSampleRateHz;
      if (ended) {
        if (processedSec < minDurationSec) {
          throw new AppError("audio.tooShort", { min: minDurationSec }, { param: "file" });
        }
        if (vad !== undefined)
          speechSegments.push(
            ...segmenter.push(await vad.push(gainControl.finish())),
            ...segmenter.push(await vad.finish()),
            ...segmenter.finish(processedSec),
          );
      }
      return { speechSegments, processedSec, ended };
    },
    close: () => decoder.close(),
  };
}

// Splits the speech in a range of a media file into WAV files without long silence, because providers charge per
// second. wav-splitter.ts splits without VAD.

import { setImmediate as turn } from "node:timers/promises";
import { openDecoder } from "../../audio/codec/decode.ts";
import { joinBytes, wavHeader } from "../../audio/codec/framing.ts";
import { createGainControl } from "../../audio/dsp/gain-control.ts";
import { floatToPcm, joinSamples } from "../../audio/codec/pcm.ts";
import {
  createVadSegmenter,
  type SpeechSegmentSpan,
  sentenceSegmentationPolicy,
} from "../../audio/dsp/vad-segmenter.ts";
import { writeFileSync } from "../../storage/disk.ts";
import { vadFrameSamples, type SileroModel } from "../vad/silero.ts";
import type { WavSplitter } from "./wav-splitter.ts";
import { sttSampleRateHz } from "./speech-segmentation.ts";

/** In doubt, audio counts as speech: the provider's model decides better. */
const sensitivePolicy = {
  ...sentenceSegmentationPolicy,
  enterProb: 0.35,
  quitProb: 0.2,
  leadSec: 0.5,
  tailSec: 0.5,
};
/** A shorter pause is kept with the speech around it: it costs less than another request, and keeps the context. */
const splitPauseSec = 10;
/**
 * A segment that VAD has not returned yet started at most this long ago: it may wait for the end of another one of the
 * same maximum length.
 */
const maxUndecidedSec = 4 * sensitivePolicy.maxSec;
const windowSec = 10;
/** Long silence is skipped in several steps, so that no task exceeds its timeout. */
const maxStepAudioSec = 1200;

/** @throws AppError if the file cannot be decoded */
export function openSpeechSplitter(
  silero: SileroModel,
  mediaPath: string,
  fromSec: number,
  toSec: number | undefined,
  maxDurationSec?: number,
): WavSplitter {
  const decoder = openDecoder(mediaPath, {
    sampleRateHz: sttSampleRateHz,
    ...(maxDurationSec === undefined ? {} : { maxDurationSec }),
  });
  const gainControl = createGainControl(vadFrameSamples, sttSampleRateHz);
  const vad = silero.createVad();
  const segmenter = createVadSegmenter(vadFrameSamples / sttSampleRateHz, sensitivePolicy);
  const startSample = Math.round(fromSec * sttSampleRateHz);
  const endSample = toSec === undefined ? Infinity : Math.round(toSec * sttSampleRateHz);
  let decodedSamples = 0;
  let isEndReached = false;
  /** Samples of the range from `bufferStart` on; positions count from the start of the range, not of the file. */
  let buffered: Float32Array = new Float32Array(0);
  let bufferStart = 0;
  /** Segments that are not in a part yet. */
  let speechSegments: SpeechSegmentSpan[] = [];

  const processedSec = (): number => (bufferStart + buffered.length) / sttSampleRateHz;

  /** Audio before this position is no longer needed. */
  const neededFromSec = (): number =>
    Math.max(0, Math.min(speechSegments[0]?.fromSec ?? Infinity, processedSec() - maxUndecidedSec));

  /** Decodes the next window and adds the segments that it makes final. */
  async function processNextWindow(signal: AbortSignal): Promise<void> {
    const blocks: Float32Array[] = [];
    const windowEnd = decodedSamples + windowSec * sttSampleRateHz;
    while (decodedSamples < windowEnd && !isEndReached) {
      const block = decodedSamples >= endSample ? undefined : decoder.read();
      if (block === undefined) isEndReached = true;
      else {
        blocks.push(
          block.subarray(
            Math.max(0, startSample - decodedSamples),
            Math.max(0, endSample - decodedSamples),
          ),
        );
        decodedSamples += block.length;
      }
    }
    await turn();
    signal.throwIfAborted();
    const samples = joinSamples(blocks);
    buffered = joinSamples([buffered, samples]);
    speechSegments.push(...segmenter.push(await vad.push(gainControl.process(samples))));
    if (isEndReached)
      speechSegments.push(
        ...segmenter.push(await vad.finish()),
        ...segmenter.finish(processedSec()),
      );
    discardBefore(neededFromSec());
  }

  function discardBefore(beforeSec: number): void {
    const dropSamples = Math.round(beforeSec * sttSampleRateHz) - bufferStart;
    // Not at every call: the remaining samples are copied.
    if (dropSamples < 30 * sttSampleRateHz) return;
    buffered = buffered.slice(dropSamples);
    bufferStart += dropSamples;
  }

  /** Number of segments in the next part; undefined while further ones may belong to it. */
  function countReadySegments(maxSec: number): number | undefined {
    const first = speechSegments[0];
    if (first === undefined) return isEndReached ? 0 : undefined;
    const nextPartIndex = speechSegments.findIndex(
      (speechSegment, index) =>
        index > 0 &&
        (speechSegment.toSec - first.fromSec > maxSec ||
          speechSegment.fromSec - (speechSegments[index - 1]?.toSec ?? 0) > splitPauseSec),
    );
    if (nextPartIndex > 0) return nextPartIndex;
    const isComplete =
      isEndReached ||
      processedSec() - (speechSegments.at(-1)?.toSec ?? 0) > splitPauseSec + maxUndecidedSec;
    return isComplete ? speechSegments.length : undefined;
  }

  function writePart(wavPath: string, partFromSec: number, partToSec: number): void {
    const [from, to] = [partFromSec, partToSec].map(
      (sec) => Math.round(sec * sttSampleRateHz) - bufferStart,
    );
    const samples = buffered.subarray(Math.max(0, from ?? 0), to);
    writeFileSync(
      wavPath,
      joinBytes([wavHeader(sttSampleRateHz, samples.length), floatToPcm(samples)]),
    );
  }

  return {
    async step(maxSec, wavPath, signal) {
      const stepEndSec = processedSec() + maxStepAudioSec;
      let count = countReadySegments(maxSec);
      while (count === undefined && processedSec() < stepEndSec) {
        await processNextWindow(signal);
        count = countReadySegments(maxSec);
      }
      if (count === undefined)
        return {
          fromSec: fromSec + neededFromSec(),
          toSec: fromSec + neededFromSec(),
          ended: false,
        };
      const [first, last] = [speechSegments[0], speechSegments[count - 1]];
      if (first === undefined || last === undefined)
        return { fromSec: fromSec + processedSec(), toSec: fromSec + processedSec(), ended: true };
      writePart(wavPath, first.fromSec, last.toSec);
      speechSegments = speechSegments.slice(count);
      return {
        fromSec: fromSec + first.fromSec,
        toSec: fromSec + last.toSec,
        ended: isEndReached && speechSegments.length === 0,
      };
    },
    close: () => decoder.close(),
  };
}

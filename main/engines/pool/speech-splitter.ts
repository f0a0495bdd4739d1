// Splits the speech in a range of a media file into WAV files without long silence, because providers charge per
// second. wav-splitter.ts splits without VAD.

import { setImmediate as turn } from "node:timers/promises";
import { type DecoderOptions, type MediaDecoder, openDecoder } from "../../audio/codec/decode.ts";
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
import { sttSampleRateHz } from "../engine.ts";

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
  options: Omit<DecoderOptions, "sampleRateHz"> = {},
): WavSplitter {
  const decoder = openDecoder(mediaPath, { ...options, sampleRateHz: sttSampleRateHz });
  const range = createRangeReader(decoder, fromSec, toSec);
  const gainControl = createGainControl(vadFrameSamples, sttSampleRateHz);
  const vad = silero.createVad();
  const segmenter = createVadSegmenter(vadFrameSamples / sttSampleRateHz, sensitivePolicy);
  /** Positions here and in the segments count from the start of the range, not of the file. */
  const buffer = createSampleBuffer();
  /** Segments that are not in a part yet. */
  let speechSegments: SpeechSegmentSpan[] = [];

  /** Audio before this position is no longer needed. */
  const neededFromSec = (): number =>
    Math.max(
      0,
      Math.min(speechSegments[0]?.fromSec ?? Infinity, buffer.endSec() - maxUndecidedSec),
    );

  /** Decodes the next window and adds the segments that it makes final. */
  async function processNextWindow(signal: AbortSignal): Promise<void> {
    const samples = range.readWindow();
    await turn();
    signal.throwIfAborted();
    buffer.append(samples);
    speechSegments.push(...segmenter.push(await vad.push(gainControl.process(samples))));
    if (range.isEndReached())
      speechSegments.push(
        ...segmenter.push(await vad.push(gainControl.finish())),
        ...segmenter.push(await vad.finish()),
        ...segmenter.finish(buffer.endSec()),
      );
    buffer.discardBefore(neededFromSec());
  }

  const countReady = (maxSec: number): number | undefined =>
    countReadySegments(speechSegments, maxSec, buffer.endSec(), range.isEndReached());

  return {
    async step(maxSec, wavPath, signal) {
      const stepEndSec = buffer.endSec() + maxStepAudioSec;
      let count = countReady(maxSec);
      while (count === undefined && buffer.endSec() < stepEndSec) {
        await processNextWindow(signal);
        count = countReady(maxSec);
      }
      if (count === undefined)
        return {
          fromSec: fromSec + neededFromSec(),
          toSec: fromSec + neededFromSec(),
          ended: false,
        };
      const [first, last] = [speechSegments[0], speechSegments[count - 1]];
      if (first === undefined || last === undefined)
        return {
          fromSec: fromSec + buffer.endSec(),
          toSec: fromSec + buffer.endSec(),
          ended: true,
        };
      writeWav(wavPath, buffer.slice(first.fromSec, last.toSec));
      speechSegments = speechSegments.slice(count);
      return {
        fromSec: fromSec + first.fromSec,
        toSec: fromSec + last.toSec,
        ended: range.isEndReached() && speechSegments.length === 0,
      };
    },
    close: () => decoder.close(),
  };
}

type RangeReader = {
  /** The next samples of the range; empty for a window before it. */
  readWindow(): Float32Array;
  isEndReached(): boolean;
};

function createRangeReader(
  decoder: MediaDecoder,
  fromSec: number,
  toSec: number | undefined,
): RangeReader {
  const startSample = Math.round(fromSec * sttSampleRateHz);
  const endSample = toSec === undefined ? Infinity : Math.round(toSec * sttSampleRateHz);
  let decodedSamples = 0;
  let isEndReached = false;
  return {
    readWindow() {
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
      return joinSamples(blocks);
    },
    isEndReached: () => isEndReached,
  };
}

type SampleBuffer = {
  append(samples: Float32Array): void;
  endSec(): number;
  slice(fromSec: number, toSec: number): Float32Array;
  discardBefore(sec: number): void;
};

/** The last samples of a stream. */
function createSampleBuffer(): SampleBuffer {
  let buffered: Float32Array = new Float32Array(0);
  /** Position of the first buffered sample. */
  let startSample = 0;
  const toIndex = (sec: number): number => Math.round(sec * sttSampleRateHz) - startSample;
  return {
    append(samples) {
      buffered = joinSamples([buffered, samples]);
    },
    endSec: () => (startSample + buffered.length) / sttSampleRateHz,
    slice: (fromSec, toSec) => buffered.subarray(Math.max(0, toIndex(fromSec)), toIndex(toSec)),
    discardBefore(sec) {
      const dropSamples = toIndex(sec);
      // Not at every call: the remaining samples are copied.
      if (dropSamples < 30 * sttSampleRateHz) return;
      buffered = buffered.slice(dropSamples);
      startSample += dropSamples;
    },
  };
}

/** Number of segments in the next part; undefined while further ones may belong to it. */
function countReadySegments(
  speechSegments: readonly SpeechSegmentSpan[],
  maxSec: number,
  processedSec: number,
  isEndReached: boolean,
): number | undefined {
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
    processedSec - (speechSegments.at(-1)?.toSec ?? 0) > splitPauseSec + maxUndecidedSec;
  return isComplete ? speechSegments.length : undefined;
}

function writeWav(path: string, samples: Float32Array): void {
  writeFileSync(path, joinBytes([wavHeader(sttSampleRateHz, samples.length), floatToPcm(samples)]));
}

// Whisper: multilingual speech to text, and translation into English. Packs segments into windows, decodes them in
// batches with openai/whisper's temperature fallback, and decodes segments separately if words seem to be missing. See
// window-transcript.ts for the text of a window.

import type { TranscriptSegment } from "../../../contract/speech.ts";
import type { SpeechSegment, SpeechToText, TranscribeOptions } from "../../engine.ts";
import type { ModelFiles } from "../../model-files.ts";
import { readConfiguration } from "./configuration.ts";
import { detectLanguages, type EncodedWindow } from "./decoding.ts";
import { createGraphs } from "./graphs.ts";
import { splitByLanguage } from "./shared-windows.ts";
import { createFallbackDecoder } from "./temperature-fallback.ts";
import {
  createWindowEncoder,
  encoderFramesPerSec,
  shortenedSec,
  toFrameRange,
} from "./window-encoder.ts";
import { createWindowReader, type DecodedWindow } from "./window-transcript.ts";
import {
  packWindows,
  createSingleWindow,
  sampleRateHz,
  type Window,
  windowSamples,
} from "./windows.ts";

/** Windows decoded together; each further one takes a third of the time of the first. */
const maxBatchWindows = 8;
/**
 * They have at least this share of the length of the longest: a shorter one costs less in a batch of its own than
 * encoded and decoded at that length.
 */
const minBatchLengthShare = 0.8;
/** Their keys and values of the encoder's states: a window of 20 s has 25 MB with base, 330 with large. */
const maxBatchBytes = 250_000_000;
/** All speech shares one window, uncut, if it fits and no pause is longer than this. */
const maxSingleWindowPauseSec = 3;
/** Otherwise neighbours share a window if the pause between them is short and both fit in this length. */
const maxPauseSec = 1.5;
const maxPackedSec = 20;
/**
 * Language detection gets a full window for less speech than this: shorter windows transcribe as well, but two seconds
 * are taken for another language twice as often.
 */
const minShortenedDetectionSec = 5;

export async function createWhisper(files: ModelFiles): Promise<SpeechToText> {
  const { configuration, vocabulary } = await readConfiguration(async (name) =>
    (await files.read(name)).toString(),
  );
  const graphs = await createGraphs(files, configuration.melBands);
  const encode = createWindowEncoder(graphs, configuration);
  const decodeWithFallback = createFallbackDecoder(graphs, configuration, vocabulary);
  const readWindow = createWindowReader(configuration, vocabulary);

  /** Takes the longest windows and those of similar length. They share even batches, so that none is small. */
  function takeBatch(windows: Window[]): Window[] {
    // Where rows of a batch end early, the last ones cost least to leave out.
    windows.sort((one, other) => other.samples.length - one.samples.length);
    const lengths = windows.map(({ samples }) =>
      graphs.supportsShortWindows ? shortenedSec(samples) : windowSamples / sampleRateHz,
    );
    const [longestSec = 0] = lengths;
    const similar = lengths.filter((sec) => sec >= minBatchLengthShare * longestSec).length;
    const maxWindows = Math.floor(
      maxBatchBytes / (graphs.bytesPerFrame * encoderFramesPerSec * longestSec),
    );
    const batches = Math.ceil(similar / Math.min(maxBatchWindows, Math.max(1, maxWindows)));
    return windows.splice(0, Math.ceil(similar / batches));
  }

  return {
    async transcribe(speechSegments, requestedOptions, signal) {
      const segments: TranscriptSegment[][] = speechSegments.map(() => []);
      const pendingWindows = planWindows(speechSegments, requestedOptions);
      const options = graphs.returnsAttentions
        ? requestedOptions
        : withoutWordTimes(requestedOptions, pendingWindows);
      const isSingleWindow = pendingWindows.length === 1 && options.isExcerpt !== true;
      while (pendingWindows.length > 0) {
        const batch = takeBatch(pendingWindows);
        const encodedWindows = await encode(
          batch.map(({ samples }) => samples),
          isSingleWindow && batch.length === 1,
          signal,
        );
        const decodedWindows = await decodeWithFallback(
          encodedWindows.map((encoded, index) =>
            withRanges(batch[index] as Window, encoded, options),
          ),
          options,
          needsAttentions(batch, options),
          signal,
        );
        for (const [index, window] of batch.entries()) {
          const decoded = decodedWindows[index] as DecodedWindow;
          const parts = splitByLanguage(window, decoded.decoded.rangeLanguages);
          if (parts.length > 1) {
            pendingWindows.push(...parts);
            continue;
          }
          const { placedSegments, retryWindows } = readWindow(
            window,
            decoded,
            speechSegments,
            options,
          );
          for (const { speechSegmentIndex, segment } of placedSegments)
            segments[speechSegmentIndex]?.push(segment);
          pendingWindows.push(...retryWindows);
        }
      }
      for (const segmentResults of segments)
        segmentResults.sort((one, other) => one.startSec - other.startSec);
      return segments;
    },
    async detectLanguage(samples, signal) {
      const isShort = samples.length < minShortenedDetectionSec * sampleRateHz;
      const [window] = await encode([samples.subarray(0, windowSamples)], isShort, signal);
      return detectLanguages(graphs, configuration, window as EncodedWindow);
    },
    close: () => graphs.close(),
  };
}

function planWindows(
  speechSegments: readonly SpeechSegment[],
  { isExcerpt = false }: TranscribeOptions,
): Window[] {
  const singleWindow = isExcerpt
    ? undefined
    : createSingleWindow(speechSegments, maxSingleWindowPauseSec);
  return singleWindow !== undefined
    ? [singleWindow]
    : packWindows(speechSegments, maxPauseSec, maxPackedSec);
}

/** With its segments' ranges where their languages have to be compared. */
const withRanges = (
  { spans }: Window,
  encoded: EncodedWindow,
  { language }: TranscribeOptions,
): EncodedWindow =>
  spans.length === 1 || language !== undefined
    ? encoded
    : { ...encoded, ranges: spans.map((span) => toFrameRange(span, encoded.frames)) };

/** Without word times, timestamps divide the text of a window among its segments. */
const withoutWordTimes = (
  options: TranscribeOptions,
  windows: readonly Window[],
): TranscribeOptions => ({
  ...options,
  wordTimes: false,
  timestamps: options.timestamps === true || windows.some(({ spans }) => spans.length > 1),
});

/** Word times come from attentions; without timestamps they also divide the text of a window among its segments. */
const needsAttentions = (
  windows: readonly Window[],
  { wordTimes, timestamps }: TranscribeOptions,
): boolean => wordTimes || (timestamps !== true && windows.some(({ spans }) => spans.length > 1));

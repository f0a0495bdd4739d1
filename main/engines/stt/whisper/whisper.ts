// Whisper: multilingual speech to text, and translation into English. Packs segments into windows, decodes them in
// batches with openai/whisper's temperature fallback, and decodes segments separately if words seem to be missing. See
// window-transcript.ts for the text of a window.

import { Tensor } from "onnxruntime-node";
import type { TranscriptSegment } from "../../../contract/speech.ts";
import type { TranscribeOptions, LanguageProbability, SpeechToText } from "../../engine.ts";
import { avgLogprob, compressionRatio, maxCompressionRatio } from "../scores.ts";
import { readConfiguration, secPerFrame } from "./configuration.ts";
import { decode, type DecodedText, detectLanguages, type EncodedWindow } from "./decoding.ts";
import { createGraphs } from "./graphs.ts";
import { createLogMel } from "./log-mel.ts";
import { splitByLanguage, minCertainProbability } from "./shared-windows.ts";
import {
  createWindowReader,
  type DecodedWindow,
  isLowConfidence,
  isSilence,
} from "./window-transcript.ts";
import {
  packWindows,
  sampleRateHz,
  type Span,
  createSingleWindow,
  type Window,
  windowSamples,
} from "./windows.ts";

const temperatures = [0, 0.2, 0.4, 0.6, 0.8, 1];
/** Windows decoded together; each further one takes a third of the time of the first. */
const maxBatchWindows = 4;
/** All speech shares one window, uncut, if it fits and no pause is longer than this. */
const maxSingleWindowPauseSec = 3;
/** Otherwise neighbours share a window if the pause between them is short and both fit in this length. */
const maxPauseSec = 1.5;
const maxPackedSec = 20;
/**
 * Minimum length of a shortened window, and margin after its speech. Measured over 25 clips in five languages: 19.7 %
 * word errors with shortened windows, 19.8 % with 30 s, in less than half the time.
 */
const minEncodedSec = 8;
const trailingMarginSec = 1;
const encoderFramesPerSec = 1 / secPerFrame;

/**
 * @param read returns the verified bytes of a model file
 * @param fileNames of the model
 */
export async function createWhisper(
  read: (fileName: string) => Promise<Uint8Array>,
  fileNames: readonly string[],
): Promise<SpeechToText> {
  const { configuration, vocabulary } = await readConfiguration(async (name) =>
    new TextDecoder().decode(await read(name)),
  );
  const graphs = await createGraphs(read, fileNames, configuration.melBands);
  const logMel = createLogMel({ melBands: configuration.melBands });
  const readWindow = createWindowReader(configuration, vocabulary);
  const maxPreviousTokens = (configuration.maxSequence >> 1) - 1;

  /**
   * Encodes windows as a batch: a `singleWindow` at the length used in training, others only as long as the longest.
   */
  async function encode(
    windows: readonly Float32Array[],
    isFullLength: boolean,
    signal: AbortSignal,
  ): Promise<EncodedWindow[]> {
    const frameCounts = windows.map((samples) =>
      Math.min(
        configuration.encoderFrames,
        Math.max(1, Math.ceil((samples.length / sampleRateHz) * encoderFramesPerSec)),
      ),
    );
    const neededFrames = Math.max(
      minEncodedSec * encoderFramesPerSec,
      Math.max(...frameCounts) + trailingMarginSec * encoderFramesPerSec,
    );
    const length =
      graphs.supportsShortWindows && !isFullLength
        ? Math.min(configuration.encoderFrames, neededFrames)
        : configuration.encoderFrames;
    const encoded: EncodedWindow[] = [];
    for (const [index, samples] of windows.entries()) {
      signal.throwIfAborted();
      // Two feature frames are one encoder frame.
      encoded.push({
        states: await graphs.encode(logMel(samples, 2 * length)),
        frames: frameCounts[index] as number,
      });
    }
    return encoded;
  }

  /** Decodes windows again at higher temperatures if their text fails the checks. */
  async function decodeWithFallback(
    windows: readonly EncodedWindow[],
    options: TranscribeOptions,
    attentions: boolean,
    signal: AbortSignal,
  ): Promise<DecodedWindow[]> {
    const decodedWindows: DecodedWindow[] = [];
    const previousTokens =
      options.prompt === undefined
        ? []
        : vocabulary.encode(` ${options.prompt.trim()}`).slice(-maxPreviousTokens);
    let pending = [...windows.entries()];
    for (const temperature of options.temperature === 0 ? temperatures : [options.temperature]) {
      const decoded = await decode(
        graphs,
        configuration,
        pending.map(([, window]) => window),
        {
          task: options.task,
          timestamps: options.timestamps === true,
          language:
            options.language ??
            ((bestLanguages) => chooseLanguage(bestLanguages, options.likelyLanguage)),
          previousTokens,
          temperature,
          attentions,
          signal,
        },
      );
      const attempts = pending.map(([index], position) => ({
        index,
        result: { decoded: decoded[position] as DecodedText, temperature },
      }));
      for (const { index, result } of attempts)
        decodedWindows[index] = chooseBetter(decodedWindows[index], result);
      pending = pending.filter((_, position) => needsFallback(decoded[position] as DecodedText));
      if (pending.length === 0) break;
    }
    return decodedWindows;
  }

  /**
   * The later text if it passes the checks. If none does, not the last one, as openai/whisper does, but the one with
   * the highest confidence that does not repeat itself.
   */
  function chooseBetter(earlier: DecodedWindow | undefined, later: DecodedWindow): DecodedWindow {
    if (earlier === undefined || !needsFallback(later.decoded)) return later;
    const [score, laterScore] = [earlier, later].map(({ decoded }) =>
      isRepetitive(decoded) ? -Infinity : avgLogprob(decoded),
    ) as [number, number];
    return laterScore > score ? later : earlier;
  }

  const isRepetitive = ({ tokens }: DecodedText): boolean =>
    compressionRatio(vocabulary.decode(tokens)) > maxCompressionRatio;

  function needsFallback(decoded: DecodedText): boolean {
    // Silence is no reason to retry.
    return !isSilence(decoded) && (isLowConfidence(decoded) || isRepetitive(decoded));
  }

  /** Parts of a window with one language each, as far as the segments' languages are certain. */
  async function splitWindowByLanguage(
    window: Window,
    encoded: EncodedWindow,
    options: TranscribeOptions,
  ): Promise<Window[]> {
    if (
      window.spans.length === 1 ||
      options.language !== undefined ||
      configuration.languages.size === 0
    )
      return [window];
    const bestLanguages: (LanguageProbability | undefined)[] = [];
    for (const span of window.spans)
      bestLanguages.push(
        (await detectLanguages(graphs, configuration, sliceEncodedWindow(encoded, span)))[0],
      );
    return splitByLanguage(window, bestLanguages);
  }

  return {
    async transcribe(speechSegments, options, signal) {
      const segments: TranscriptSegment[][] = speechSegments.map(() => []);
      // Windows of similar length share a batch.
      const singleWindow = createSingleWindow(speechSegments, maxSingleWindowPauseSec);
      const pendingWindows =
        singleWindow !== undefined
          ? [singleWindow]
          : packWindows(speechSegments, maxPauseSec, maxPackedSec).sort(
              (one, other) => one.samples.length - other.samples.length,
            );
      while (pendingWindows.length > 0) {
        const batch = pendingWindows.splice(0, maxBatchWindows);
        const encoded = await encode(
          batch.map(({ samples }) => samples),
          batch.length === 1,
          signal,
        );
        const monolingualWindows: { window: Window; encoded: EncodedWindow }[] = [];
        for (const [index, window] of batch.entries()) {
          const states = encoded[index] as EncodedWindow;
          const parts = await splitWindowByLanguage(window, states, options);
          if (parts.length > 1) pendingWindows.push(...parts);
          else monolingualWindows.push({ window, encoded: states });
        }
        const attentions =
          options.wordTimes ||
          (options.timestamps !== true &&
            monolingualWindows.some(({ window }) => window.spans.length > 1));
        const decodedWindows = await decodeWithFallback(
          monolingualWindows.map((one) => one.encoded),
          options,
          attentions,
          signal,
        );
        for (const [index, { window }] of monolingualWindows.entries()) {
          const { placedSegments, retryWindows } = readWindow(
            window,
            decodedWindows[index] as DecodedWindow,
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
      // A full window: shorter ones transcribe as well, but two seconds are taken for another language twice as often.
      const [window] = await encode([samples.subarray(0, windowSamples)], true, signal);
      return detectLanguages(graphs, configuration, window as EncodedWindow);
    },
    close: () => graphs.close(),
  };
}

function chooseLanguage(
  [best, ...others]: readonly LanguageProbability[],
  likelyLanguage: string | undefined,
): string {
  if (best === undefined) throw new Error("the model knows no languages");
  const likelyMatch = others.find((guess) => guess.language === likelyLanguage);
  return likelyMatch === undefined || best.probability >= minCertainProbability
    ? best.language
    : likelyMatch.language;
}

/** Encoder output for a part of its window. */
function sliceEncodedWindow(
  { states }: EncodedWindow,
  { windowSec, lengthSec }: Span,
): EncodedWindow {
  const [, frames = 0, width = 0] = states.dims;
  const from = Math.min(frames - 1, Math.floor(windowSec * encoderFramesPerSec));
  const to = Math.min(
    frames,
    Math.max(from + 1, Math.ceil((windowSec + lengthSec) * encoderFramesPerSec)),
  );
  return {
    states: new Tensor("float32", (states.data as Float32Array).slice(from * width, to * width), [
      1,
      to - from,
      width,
    ]),
    frames: to - from,
  };
}

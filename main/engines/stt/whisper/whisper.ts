// Whisper: speech to text in many languages and translation into English. Packs pieces into windows, decodes them
// in batches with openai/whisper's fallback to higher temperatures, and hears alone what looks lost. See
// window-text.ts for what a window says.

import { Tensor } from "onnxruntime-node";
import type { TranscriptSegment } from "../../../contract/speech.ts";
import type { HearingOptions, LanguageGuess, SpeechToText } from "../../engine.ts";
import { avgLogprob, compressionRatio, maxCompressionRatio } from "../scores.ts";
import { readConfiguration, secPerFrame } from "./configuration.ts";
import { decode, type Decoded, detectLanguages, type EncodedWindow } from "./decoding.ts";
import { createGraphs } from "./graphs.ts";
import { createLogMel } from "./log-mel.ts";
import { partByLanguage, sureProbability } from "./shared-windows.ts";
import { createWindowReader, type HeardWindow, isGuessed, isSilence } from "./window-text.ts";
import {
  packWindows,
  sampleRateHz,
  type Span,
  wholeWindow,
  type Window,
  windowSamples,
} from "./windows.ts";

const temperatures = [0, 0.2, 0.4, 0.6, 0.8, 1];
/** Windows decoded together; each further one takes a third of the time of the first. */
const maxTogether = 4;
/** All there is to hear shares a window where it finds room in one, uncut, and no pause is longer than this. */
const maxWholePauseSec = 3;
/** Else neighbours do where the pause between them is short and both find room in so much. */
const maxPauseSec = 1.5;
const packedSec = 20;
/**
 * What a shortened window holds at least, and behind its speech. Measured over 25 clips in five languages: 19.7 % word
 * errors with windows shortened like this, 19.8 % with 30 s, at less than half the time.
 */
const minWindowSec = 8;
const marginSec = 1;
const encoderFramesPerSec = 1 / secPerFrame;

/**
 * @param read gives the verified bytes of a file of the model
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
  const maxPrevious = (configuration.maxSequence >> 1) - 1;

  /** Windows as a batch: `whole` are as long as those the model was trained with, others only as long as the longest. */
  async function encode(
    windows: readonly Float32Array[],
    whole: boolean,
    signal: AbortSignal,
  ): Promise<EncodedWindow[]> {
    const framesOf = windows.map((samples) =>
      Math.min(
        configuration.encoderFrames,
        Math.max(1, Math.ceil((samples.length / sampleRateHz) * encoderFramesPerSec)),
      ),
    );
    const enough = Math.max(
      minWindowSec * encoderFramesPerSec,
      Math.max(...framesOf) + marginSec * encoderFramesPerSec,
    );
    const length =
      graphs.anyLength && !whole
        ? Math.min(configuration.encoderFrames, enough)
        : configuration.encoderFrames;
    const encoded: EncodedWindow[] = [];
    for (const [index, samples] of windows.entries()) {
      signal.throwIfAborted();
      // Two frames of the features are one of the encoder's.
      encoded.push({
        states: await graphs.encode(logMel(samples, 2 * length)),
        frames: framesOf[index] as number,
      });
    }
    return encoded;
  }

  /** Windows whose text is no good are decoded again at higher temperatures. */
  async function decodeWell(
    windows: readonly EncodedWindow[],
    options: HearingOptions,
    attentions: boolean,
    signal: AbortSignal,
  ): Promise<HeardWindow[]> {
    const heard: HeardWindow[] = [];
    const previous =
      options.prompt === undefined
        ? []
        : vocabulary.encode(` ${options.prompt.trim()}`).slice(-maxPrevious);
    let left = [...windows.entries()];
    for (const temperature of options.temperature === 0 ? temperatures : [options.temperature]) {
      const decoded = await decode(
        graphs,
        configuration,
        left.map(([, window]) => window),
        {
          task: options.task,
          timestamps: options.timestamps === true,
          language:
            options.language ?? ((guesses) => chooseLanguage(guesses, options.likelyLanguage)),
          previous,
          temperature,
          attentions,
          signal,
        },
      );
      const tried = left.map(([index], place) => ({
        index,
        result: { decoded: decoded[place] as Decoded, temperature },
      }));
      for (const { index, result } of tried) heard[index] = better(heard[index], result);
      left = left.filter((_, place) => isNoGood(decoded[place] as Decoded));
      if (left.length === 0) break;
    }
    return heard;
  }

  /** The later one where it is good; where none is, not the last one, as openai/whisper does, but the surest that does not repeat itself. */
  function better(before: HeardWindow | undefined, later: HeardWindow): HeardWindow {
    if (before === undefined || !isNoGood(later.decoded)) return later;
    const [worth, laterWorth] = [before, later].map(({ decoded }) =>
      repeatsItself(decoded) ? -Infinity : avgLogprob(decoded),
    ) as [number, number];
    return laterWorth > worth ? later : before;
  }

  const repeatsItself = ({ tokens }: Decoded): boolean =>
    compressionRatio(vocabulary.decode(tokens)) > maxCompressionRatio;

  function isNoGood(decoded: Decoded): boolean {
    // Silence is no reason to try again.
    return !isSilence(decoded) && (isGuessed(decoded) || repeatsItself(decoded));
  }

  /** The parts of a window that are of one language each, as far as each piece by itself is clear. */
  async function partsOf(
    window: Window,
    encoded: EncodedWindow,
    options: HearingOptions,
  ): Promise<Window[]> {
    if (
      window.spans.length === 1 ||
      options.language !== undefined ||
      configuration.languages.size === 0
    )
      return [window];
    const guesses: (LanguageGuess | undefined)[] = [];
    for (const span of window.spans)
      guesses.push((await detectLanguages(graphs, configuration, excerpt(encoded, span)))[0]);
    return partByLanguage(window, guesses);
  }

  return {
    async run(pieces, options, signal) {
      const segments: TranscriptSegment[][] = pieces.map(() => []);
      // Windows of like length share a batch.
      const whole = wholeWindow(pieces, maxWholePauseSec);
      const waiting =
        whole !== undefined
          ? [whole]
          : packWindows(pieces, maxPauseSec, packedSec).sort(
              (one, other) => one.samples.length - other.samples.length,
            );
      while (waiting.length > 0) {
        const batch = waiting.splice(0, maxTogether);
        const encoded = await encode(
          batch.map(({ samples }) => samples),
          batch.length === 1,
          signal,
        );
        const oneLanguage: { window: Window; encoded: EncodedWindow }[] = [];
        for (const [index, window] of batch.entries()) {
          const states = encoded[index] as EncodedWindow;
          const parts = await partsOf(window, states, options);
          if (parts.length > 1) waiting.push(...parts);
          else oneLanguage.push({ window, encoded: states });
        }
        const attentions =
          options.wordTimes ||
          (options.timestamps !== true &&
            oneLanguage.some(({ window }) => window.spans.length > 1));
        const heard = await decodeWell(
          oneLanguage.map((one) => one.encoded),
          options,
          attentions,
          signal,
        );
        for (const [index, { window }] of oneLanguage.entries()) {
          const { placed, again } = readWindow(
            window,
            heard[index] as HeardWindow,
            pieces,
            options,
          );
          for (const { piece, segment } of placed) segments[piece]?.push(segment);
          waiting.push(...again);
        }
      }
      for (const own of segments) own.sort((one, other) => one.startSec - other.startSec);
      return segments;
    },
    async detectLanguage(samples, signal) {
      // Shorter windows are as good for words, not for this: two seconds are taken for another language twice as often.
      const [window] = await encode([samples.subarray(0, windowSamples)], true, signal);
      return detectLanguages(graphs, configuration, window as EncodedWindow);
    },
    close: () => graphs.close(),
  };
}

function chooseLanguage(
  [best, ...others]: readonly LanguageGuess[],
  likelyLanguage: string | undefined,
): string {
  if (best === undefined) throw new Error("the model knows no languages");
  const likely = others.find((guess) => guess.language === likelyLanguage);
  return likely === undefined || best.probability >= sureProbability
    ? best.language
    : likely.language;
}

/** What the encoder gave for a part of its window. */
function excerpt({ states }: EncodedWindow, { windowSec, lengthSec }: Span): EncodedWindow {
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

// Whisper: multilingual speech to text, and translation into English. Packs segments into windows, decodes them in
// batches with openai/whisper's temperature fallback, and decodes segments separately if words seem to be missing. See
// window-transcript.ts for the text of a window.

import type { TranscriptSegment } from "../../../contract/speech.ts";
import type {
  LanguageProbability,
  SpeechSegment,
  SpeechToText,
  TranscribeOptions,
} from "../../engine.ts";
import type { ModelFiles } from "../../model-files.ts";
import { readConfiguration } from "./configuration.ts";
import { detectLanguages, type EncodedWindow } from "./decoding.ts";
import { createGraphs } from "./graphs.ts";
import { splitByLanguage } from "./shared-windows.ts";
import { createFallbackDecoder } from "./temperature-fallback.ts";
import { createWindowEncoder, sliceEncodedWindow } from "./window-encoder.ts";
import { createWindowReader, type DecodedWindow } from "./window-transcript.ts";
import { packWindows, createSingleWindow, type Window, windowSamples } from "./windows.ts";

type WindowToDecode = { window: Window; encoded: EncodedWindow };

/** Windows decoded together; each further one takes a third of the time of the first. */
const maxBatchWindows = 4;
/** Their keys and values of the encoder's states: eight windows of base have 295 MB, one of large has 490. */
const maxBatchBytes = 300_000_000;
/** All speech shares one window, uncut, if it fits and no pause is longer than this. */
const maxSingleWindowPauseSec = 3;
/** Otherwise neighbours share a window if the pause between them is short and both fit in this length. */
const maxPauseSec = 1.5;
const maxPackedSec = 20;

export async function createWhisper(files: ModelFiles): Promise<SpeechToText> {
  const { configuration, vocabulary } = await readConfiguration(async (name) =>
    (await files.read(name)).toString(),
  );
  const graphs = await createGraphs(files, configuration.melBands);
  const batchWindows = Math.max(
    1,
    Math.min(
      maxBatchWindows,
      Math.floor(maxBatchBytes / (graphs.bytesPerFrame * configuration.encoderFrames)),
    ),
  );
  const encode = createWindowEncoder(graphs, configuration);
  const decodeWithFallback = createFallbackDecoder(graphs, configuration, vocabulary);
  const readWindow = createWindowReader(configuration, vocabulary);

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

  /** Encodes windows; those that contain several languages are returned in parts instead. */
  async function encodeBatch(
    batch: readonly Window[],
    options: TranscribeOptions,
    signal: AbortSignal,
  ): Promise<{ monolingualWindows: WindowToDecode[]; parts: Window[] }> {
    const encodedWindows = await encode(
      batch.map(({ samples }) => samples),
      batch.length === 1,
      signal,
    );
    const monolingualWindows: WindowToDecode[] = [];
    const parts: Window[] = [];
    for (const [index, window] of batch.entries()) {
      const encoded = encodedWindows[index] as EncodedWindow;
      const windowParts = await splitWindowByLanguage(window, encoded, options);
      if (windowParts.length > 1) parts.push(...windowParts);
      else monolingualWindows.push({ window, encoded });
    }
    return { monolingualWindows, parts };
  }

  return {
    async transcribe(speechSegments, requestedOptions, signal) {
      const segments: TranscriptSegment[][] = speechSegments.map(() => []);
      const pendingWindows = planWindows(speechSegments);
      const options = graphs.returnsAttentions
        ? requestedOptions
        : withoutWordTimes(requestedOptions, pendingWindows);
      while (pendingWindows.length > 0) {
        const batch = pendingWindows.splice(0, batchWindows);
        const { monolingualWindows, parts } = await encodeBatch(batch, options, signal);
        pendingWindows.push(...parts);
        const decodedWindows = await decodeWithFallback(
          monolingualWindows.map(({ encoded }) => encoded),
          options,
          needsAttentions(monolingualWindows, options),
          signal,
        );
        for (const [index, { window }] of monolingualWindows.entries()) {
          const decoded = decodedWindows[index] as DecodedWindow;
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
      // A full window: shorter ones transcribe as well, but two seconds are taken for another language twice as often.
      const [window] = await encode([samples.subarray(0, windowSamples)], true, signal);
      return detectLanguages(graphs, configuration, window as EncodedWindow);
    },
    close: () => graphs.close(),
  };
}

/** Windows in the order of decoding: those of similar length share a batch. */
function planWindows(speechSegments: readonly SpeechSegment[]): Window[] {
  const singleWindow = createSingleWindow(speechSegments, maxSingleWindowPauseSec);
  return singleWindow !== undefined
    ? [singleWindow]
    : packWindows(speechSegments, maxPauseSec, maxPackedSec).sort(
        (one, other) => one.samples.length - other.samples.length,
      );
}

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
  windows: readonly WindowToDecode[],
  { wordTimes, timestamps }: TranscribeOptions,
): boolean =>
  wordTimes || (timestamps !== true && windows.some(({ window }) => window.spans.length > 1));

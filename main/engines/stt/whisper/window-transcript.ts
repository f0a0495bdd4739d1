// Converts a decoded window to transcript segments of its speech segments: by Whisper's own timestamps if requested,
// otherwise by word times.

import type { TranscriptSegment, TranscriptWord } from "../../../contract/speech.ts";
import type { TranscribeOptions, SpeechSegment } from "../../engine.ts";
import { countWords } from "../missing-words.ts";
import { avgLogprob, compressionRatio } from "../scores.ts";
import type { WhisperConfiguration, WhisperVocabulary } from "./configuration.ts";
import type { DecodedText } from "./decoding.ts";
import { hasMissingWords, countWordsBySpan } from "./shared-windows.ts";
import { splitAtTimestamps } from "./timestamps.ts";
import {
  toFileSec,
  remainingWindow,
  sampleRateHz,
  type Span,
  findSpanAt,
  type Window,
  createSubWindow,
} from "./windows.ts";
import { type WindowWord, groupWordsBySegment, extractWords } from "./word-timing.ts";

/** A window's text and the temperature of the decoding that was accepted. */
export type DecodedWindow = { decoded: DecodedText; temperature: number };
/** Result of a window, and parts that must be decoded again. */
export type WindowTranscript = { placedSegments: PlacedSegment[]; retryWindows: Window[] };
/** A transcript segment and the index of its speech segment. */
type PlacedSegment = { speechSegmentIndex: number; segment: TranscriptSegment };
/** Tokens with their times in the window, and the span they are assigned to. */
type TextRun = {
  span: Span;
  startSec: number;
  endSec: number;
  tokens: number[];
  words: readonly WindowWord[];
};

/** openai/whisper's thresholds for no speech and for low confidence. */
const maxNoSpeechProb = 0.6;
const minAvgLogprob = -1;

export const isLowConfidence = (decoded: DecodedText): boolean =>
  avgLogprob(decoded) < minAvgLogprob;
export const isSilence = (decoded: DecodedText): boolean =>
  decoded.noSpeechProb > maxNoSpeechProb && isLowConfidence(decoded);

export type ReadWindow = (
  window: Window,
  decodedWindow: DecodedWindow,
  speechSegments: readonly SpeechSegment[],
  options: TranscribeOptions,
) => WindowTranscript;

export function createWindowReader(
  configuration: WhisperConfiguration,
  vocabulary: WhisperVocabulary,
): ReadWindow {
  const countTokenWords = (tokens: readonly number[]): number =>
    countWords(vocabulary.decode(tokens));

  return (window, { decoded, temperature }, speechSegments, options) => {
    if (isSilence(decoded)) return { placedSegments: [], retryWindows: [] };
    const { noSpeechProb, language = "en" } = decoded;
    const metrics = {
      temperature,
      avgLogprob: avgLogprob(decoded),
      compressionRatio: compressionRatio(vocabulary.decode(decoded.tokens)),
      noSpeechProb,
      seekFrames: Math.round(windowStartSec(window) * 100),
      language,
    };
    const words =
      decoded.attentions.length > 0 ? extractWords(decoded, configuration, vocabulary) : [];
    const placeSegments = (
      textRuns: readonly TextRun[],
      getTimes: (textRun: TextRun) => { startSec: number; endSec: number },
    ): PlacedSegment[] =>
      textRuns.flatMap((textRun) => {
        const text = vocabulary.decode(textRun.tokens).trim();
        if (text === "") return [];
        const times = options.wordTimes
          ? { words: textRun.words.map((word) => toFileWord(word, window, speechSegments)) }
          : {};
        return [
          {
            speechSegmentIndex: textRun.span.speechSegmentIndex,
            segment: { ...metrics, ...getTimes(textRun), text, tokens: textRun.tokens, ...times },
          },
        ];
      });
    const needsSplit = (wordCounts: readonly number[], untilSec: number): boolean =>
      window.spans.length > 1 && hasMissingWords(window, wordCounts, speechSegments, untilSec);
    const retryEachSpan = (): WindowTranscript => ({
      placedSegments: [],
      retryWindows: window.spans.map((span) => createSubWindow(window, [span])),
    });

    if (options.timestamps === true) {
      const { textRuns, remainder, wordCounts, untilSec } = splitByTimestamps(
        window,
        decoded,
        words,
        configuration,
        countTokenWords,
      );
      if (needsSplit(wordCounts, untilSec)) return retryEachSpan();
      return {
        placedSegments: placeSegments(textRuns, (textRun) => toFileTimes(textRun, window)),
        retryWindows: remainder === undefined ? [] : [remainder],
      };
    }
    const textRuns = splitByWords(window, decoded, words);
    if (
      needsSplit(
        textRuns.map(({ tokens }) => countTokenWords(tokens)),
        Infinity,
      )
    )
      return retryEachSpan();
    return {
      placedSegments: placeSegments(textRuns, ({ span }) =>
        speechTimes(span, speechSegments[span.speechSegmentIndex] as SpeechSegment),
      ),
      retryWindows: [],
    };
  };
}

/** Text across two segments belongs to the one that contains its middle; unfinished text is left for a retry. */
function splitByTimestamps(
  window: Window,
  { tokens: allTokens }: DecodedText,
  words: readonly WindowWord[],
  configuration: WhisperConfiguration,
  countTokenWords: (tokens: readonly number[]) => number,
): {
  textRuns: TextRun[];
  remainder: Window | undefined;
  wordCounts: number[];
  untilSec: number;
} {
  const { segments, processedSec } = splitAtTimestamps(
    allTokens,
    configuration.firstTimestamp,
    window.samples.length / sampleRateHz,
  );
  const remainder = processedSec > 0 ? remainingWindow(window, processedSec) : undefined;
  const ownWords = groupWordsBySegment(words, segments, configuration);
  return {
    textRuns: segments.map((segment, index) => ({
      ...segment,
      span: findSpanAt(window, (segment.startSec + segment.endSec) / 2),
      words: ownWords[index] ?? [],
    })),
    remainder,
    wordCounts: countWordsBySpan(
      window,
      segments.map(({ startSec, endSec, tokens }) => ({
        startSec,
        endSec,
        words: countTokenWords(tokens),
      })),
    ),
    untilSec: remainder === undefined ? Infinity : processedSec,
  };
}

/** Assigns words to segments by their times. */
function splitByWords(
  window: Window,
  { tokens: allTokens }: DecodedText,
  words: readonly WindowWord[],
): TextRun[] {
  return window.spans.map((span) => {
    const isSingle = window.spans.length === 1;
    const ownWords = isSingle
      ? words
      : words.filter(
          ({ startSec, endSec }) => findSpanAt(window, (startSec + endSec) / 2) === span,
        );
    return {
      span,
      startSec: span.windowSec,
      endSec: span.windowSec + span.lengthSec,
      tokens: isSingle ? allTokens : ownWords.flatMap(({ tokens }) => tokens),
      words: ownWords,
    };
  });
}

/** Start of the window in the file. */
const windowStartSec = ({ spans: [first] }: Window): number =>
  first === undefined ? 0 : first.fileSec - first.windowSec;

function toFileTimes(
  { startSec, endSec }: TextRun,
  window: Window,
): { startSec: number; endSec: number } {
  const start = toFileSec(startSec, findSpanAt(window, startSec));
  return {
    startSec: start,
    endSec: Math.max(start, toFileSec(endSec, findSpanAt(window, endSec))),
  };
}

/** Start and end of the voice in the span's segment. */
const speechTimes = ({ fileSec, lengthSec }: Span, { startSec, endSec }: SpeechSegment) => ({
  startSec: Math.max(startSec, fileSec),
  endSec: Math.min(endSec, fileSec + lengthSec),
});

/** The word with its times in the file, within the voice of its segment. */
function toFileWord(
  { text, startSec, endSec, probability }: WindowWord,
  window: Window,
  speechSegments: readonly SpeechSegment[],
): TranscriptWord {
  const span = findSpanAt(window, (startSec + endSec) / 2);
  const speechSegment = speechSegments[span.speechSegmentIndex] as SpeechSegment;
  const clampToSpeech = (sec: number): number =>
    Math.min(Math.max(toFileSec(sec, span), speechSegment.startSec), speechSegment.endSec);
  return {
    word: text.trim(),
    startSec: clampToSpeech(startSec),
    endSec: clampToSpeech(endSec),
    probability,
  };
}

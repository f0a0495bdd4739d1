// What a decoded window says, as segments of the pieces in it: by Whisper's own timestamps where it was to write them,
// by the times of its words else.

import type { TranscriptSegment, TranscriptWord } from "../../../contract/speech.ts";
import type { HearingOptions, SpeechPiece } from "../../engine.ts";
import { countWords } from "../lost-words.ts";
import { avgLogprob, compressionRatio } from "../scores.ts";
import type { WhisperConfiguration, WhisperVocabulary } from "./configuration.ts";
import type { Decoded } from "./decoding.ts";
import { lacksWords, wordsBySpan } from "./shared-windows.ts";
import { splitAtTimestamps } from "./timestamps.ts";
import {
  fileTime,
  restOf,
  sampleRateHz,
  type Span,
  spanAt,
  type Window,
  windowOf,
} from "./windows.ts";
import { type WindowWord, wordsBySegment, wordsOf } from "./words.ts";

/** A window's text at the temperature it was good at. */
export type HeardWindow = { decoded: Decoded; temperature: number };
/** What a window gave, and what of it must be heard again. */
export type WindowText = { placed: Placed[]; again: Window[] };
/** A segment of the piece with this number. */
type Placed = { piece: number; segment: TranscriptSegment };
/** Tokens with their times in the window, and the part of it they are counted to. */
type Stretch = {
  span: Span;
  startSec: number;
  endSec: number;
  tokens: number[];
  words: readonly WindowWord[];
};

/** openai/whisper's signs of no speech, and of a text that was guessed. */
const maxNoSpeechProb = 0.6;
const minAvgLogprob = -1;

export const isGuessed = (decoded: Decoded): boolean => avgLogprob(decoded) < minAvgLogprob;
export const isSilence = (decoded: Decoded): boolean =>
  decoded.noSpeechProb > maxNoSpeechProb && isGuessed(decoded);

export type ReadWindow = (
  window: Window,
  heard: HeardWindow,
  pieces: readonly SpeechPiece[],
  options: HearingOptions,
) => WindowText;

export function createWindowReader(
  configuration: WhisperConfiguration,
  vocabulary: WhisperVocabulary,
): ReadWindow {
  const wordsIn = (tokens: readonly number[]): number => countWords(vocabulary.decode(tokens));

  /** Text that two pieces share is the one's in whose midst it lies; what was not finished is left over. */
  function byTimestamps(
    window: Window,
    { tokens: all }: Decoded,
    words: readonly WindowWord[],
  ): { stretches: Stretch[]; rest: Window | undefined; wordsOfSpans: number[]; untilSec: number } {
    const { segments, heardSec } = splitAtTimestamps(
      all,
      configuration.firstTimestamp,
      window.samples.length / sampleRateHz,
    );
    const rest = heardSec > 0 ? restOf(window, heardSec) : undefined;
    const own = wordsBySegment(words, segments, configuration);
    return {
      stretches: segments.map((segment, index) => ({
        ...segment,
        span: spanAt(window, (segment.startSec + segment.endSec) / 2),
        words: own[index] ?? [],
      })),
      rest,
      wordsOfSpans: wordsBySpan(
        window,
        segments.map(({ startSec, endSec, tokens }) => ({
          startSec,
          endSec,
          words: wordsIn(tokens),
        })),
      ),
      untilSec: rest === undefined ? Infinity : heardSec,
    };
  }

  return (window, { decoded, temperature }, pieces, options) => {
    if (isSilence(decoded)) return { placed: [], again: [] };
    const { noSpeechProb, language = "en" } = decoded;
    const figures = {
      temperature,
      avgLogprob: avgLogprob(decoded),
      compressionRatio: compressionRatio(vocabulary.decode(decoded.tokens)),
      noSpeechProb,
      seekFrames: Math.round(beginsSec(window) * 100),
      language,
    };
    const words = decoded.attentions.length > 0 ? wordsOf(decoded, configuration, vocabulary) : [];
    const placed = (
      stretches: readonly Stretch[],
      timesOf: (stretch: Stretch) => { startSec: number; endSec: number },
    ): Placed[] =>
      stretches.flatMap((stretch) => {
        const text = vocabulary.decode(stretch.tokens).trim();
        if (text === "") return [];
        const times = options.wordTimes
          ? { words: stretch.words.map((word) => wordInFile(word, window, pieces)) }
          : {};
        return [
          {
            piece: stretch.span.piece,
            segment: { ...figures, ...timesOf(stretch), text, tokens: stretch.tokens, ...times },
          },
        ];
      });
    const isLacking = (wordsOfSpans: readonly number[], untilSec: number): boolean =>
      window.spans.length > 1 && lacksWords(window, wordsOfSpans, pieces, untilSec);
    const eachAlone = (): WindowText => ({
      placed: [],
      again: window.spans.map((span) => windowOf(window, [span])),
    });

    if (options.timestamps === true) {
      const { stretches, rest, wordsOfSpans, untilSec } = byTimestamps(window, decoded, words);
      if (isLacking(wordsOfSpans, untilSec)) return eachAlone();
      return {
        placed: placed(stretches, (stretch) => timesInFile(stretch, window)),
        again: rest === undefined ? [] : [rest],
      };
    }
    const stretches = byWords(window, decoded, words);
    if (
      isLacking(
        stretches.map(({ tokens }) => wordsIn(tokens)),
        Infinity,
      )
    )
      return eachAlone();
    return {
      placed: placed(stretches, ({ span }) => voiceOf(span, pieces[span.piece] as SpeechPiece)),
      again: [],
    };
  };
}

/** Each piece's own words, by their times. */
function byWords(
  window: Window,
  { tokens: all }: Decoded,
  words: readonly WindowWord[],
): Stretch[] {
  return window.spans.map((span) => {
    const alone = window.spans.length === 1;
    const own = alone
      ? words
      : words.filter(({ startSec, endSec }) => spanAt(window, (startSec + endSec) / 2) === span);
    return {
      span,
      startSec: span.windowSec,
      endSec: span.windowSec + span.lengthSec,
      tokens: alone ? all : own.flatMap(({ tokens }) => tokens),
      words: own,
    };
  });
}

/** Where it begins in the file. */
const beginsSec = ({ spans: [first] }: Window): number =>
  first === undefined ? 0 : first.fileSec - first.windowSec;

function timesInFile(
  { startSec, endSec }: Stretch,
  window: Window,
): { startSec: number; endSec: number } {
  const start = fileTime(startSec, spanAt(window, startSec));
  return { startSec: start, endSec: Math.max(start, fileTime(endSec, spanAt(window, endSec))) };
}

/** Where the voice of its piece begins and ends. */
const voiceOf = ({ fileSec, lengthSec }: Span, { startSec, endSec }: SpeechPiece) => ({
  startSec: Math.max(startSec, fileSec),
  endSec: Math.min(endSec, fileSec + lengthSec),
});

/** Its times as those of the file, within the voice of its piece. */
function wordInFile(
  { text, startSec, endSec, probability }: WindowWord,
  window: Window,
  pieces: readonly SpeechPiece[],
): TranscriptWord {
  const span = spanAt(window, (startSec + endSec) / 2);
  const piece = pieces[span.piece] as SpeechPiece;
  const within = (sec: number): number =>
    Math.min(Math.max(fileTime(sec, span), piece.startSec), piece.endSec);
  return { word: text.trim(), startSec: within(startSec), endSec: within(endSec), probability };
}

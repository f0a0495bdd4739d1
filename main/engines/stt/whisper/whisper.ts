// Whisper: speech to text in many languages and translation into English. Packs pieces into windows, decodes them
// in batches with openai/whisper's fallback to higher temperatures, and brings the text back to its pieces.

import type { TranscriptSegment, TranscriptWord } from '../../../contract/speech.ts';
import type { HearingOptions, LanguageGuess, SpeechPiece, SpeechToText } from '../../engine.ts';
import { avgLogprob, compressionRatio } from '../scores.ts';
import { readConfiguration } from './configuration.ts';
import { decode, type Decoded, detectLanguages, type EncodedWindow } from './decoding.ts';
import { createGraphs } from './graphs.ts';
import { createLogMel } from './log-mel.ts';
import { splitAtTimestamps } from './timestamps.ts';
import { fileTime, packWindows, restOf, sampleRateHz, type Span, spanAt, type Window, windowSamples } from './windows.ts';
import { type WindowWord, wordsOf } from './words.ts';

const temperatures = [0, 0.2, 0.4, 0.6, 0.8, 1];
/** openai/whisper's signs of a text that repeats itself, of one that was guessed, and of no speech. */
const maxCompressionRatio = 2.4;
const minAvgLogprob = -1;
const maxNoSpeechProb = 0.6;
/** Windows decoded together; each further one takes a third of the time of the first. */
const mostTogether = 4;
/** Neighbours share a window where the pause between them is short and both find room in so much. */
const maxPauseSec = 1.5;
const packedSec = 20;
/**
 * What a shortened window holds at least, and behind its speech. Measured over 25 clips in five languages: 19.7 % word
 * errors with windows shortened like this, 19.8 % with 30 s, at less than half the time.
 */
const leastWindowSec = 8;
const marginSec = 1;
/** A language this probable is believed against the one that is likely. */
const sureProbability = 0.7;
const encoderFramesPerSec = 50;

/** A window's text at the temperature it was good at. */
type HeardWindow = { decoded: Decoded; temperature: number };
/** A segment of the piece with this number. */
type Placed = { piece: number; segment: TranscriptSegment };

/**
 * @param read gives the verified bytes of a file of the model
 * @param fileNames of the model
 * @param random for sampling, 0 to 1
 */
export async function createWhisper(read: (fileName: string) => Promise<Uint8Array>, fileNames: readonly string[], random: () => number = Math.random): Promise<SpeechToText> {
  const { configuration, vocabulary } = await readConfiguration(async (name) => new TextDecoder().decode(await read(name)));
  const graphs = await createGraphs(read, fileNames, configuration.melBands);
  const logMel = createLogMel({ melBands: configuration.melBands });
  const mostPrevious = (configuration.maxSequence >> 1) - 1;

  /** Windows as a batch: `whole` are as long as those the model was trained with, others only as long as the longest. */
  async function encode(windows: readonly Float32Array[], whole: boolean, signal: AbortSignal): Promise<EncodedWindow[]> {
    const framesOf = windows.map((samples) => Math.min(configuration.encoderFrames, Math.max(1, Math.ceil((samples.length / sampleRateHz) * encoderFramesPerSec))));
    const enough = Math.max(leastWindowSec * encoderFramesPerSec, Math.max(...framesOf) + marginSec * encoderFramesPerSec);
    const length = graphs.anyLength && !whole ? Math.min(configuration.encoderFrames, enough) : configuration.encoderFrames;
    const encoded: EncodedWindow[] = [];
    for (const [index, samples] of windows.entries()) {
      signal.throwIfAborted();
      // Two frames of the features are one of the encoder's.
      encoded.push({ states: await graphs.encode(logMel(samples, 2 * length)), frames: framesOf[index] as number });
    }
    return encoded;
  }

  /** Windows whose text is no good are decoded again at higher temperatures. */
  async function decodeWell(windows: readonly EncodedWindow[], options: HearingOptions, attentions: boolean, signal: AbortSignal): Promise<HeardWindow[]> {
    const heard: HeardWindow[] = [];
    const previous = options.prompt === undefined ? [] : vocabulary.encode(` ${options.prompt.trim()}`).slice(-mostPrevious);
    let left = [...windows.entries()];
    for (const temperature of options.temperature === 0 ? temperatures : [options.temperature]) {
      const decoded = await decode(graphs, configuration, left.map(([, window]) => window), {
        task: options.task,
        timestamps: options.timestamps === true,
        language: (guesses) => chooseLanguage(guesses, options),
        previous,
        temperature,
        attentions,
        random,
        signal,
      });
      const tried = left.map(([index], place) => ({ index, result: { decoded: decoded[place] as Decoded, temperature } }));
      for (const { index, result } of tried) heard[index] = better(heard[index], result);
      left = left.filter((_, place) => isNoGood((decoded[place] as Decoded)));
      if (left.length === 0) break;
    }
    return heard;
  }

  /** The later one where it is good; where none is, not the last one, as openai/whisper does, but the surest that does not repeat itself. */
  function better(before: HeardWindow | undefined, later: HeardWindow): HeardWindow {
    if (before === undefined || !isNoGood(later.decoded)) return later;
    const [worth, laterWorth] = [before, later].map(({ decoded }) => (repeatsItself(decoded) ? -Infinity : avgLogprob(decoded.logProbs))) as [number, number];
    return laterWorth > worth ? later : before;
  }

  const repeatsItself = ({ tokens }: Decoded): boolean => compressionRatio(vocabulary.decode(tokens)) > maxCompressionRatio;

  function isNoGood(decoded: Decoded): boolean {
    const unsure = avgLogprob(decoded.logProbs) < minAvgLogprob;
    // Silence is no reason to try again.
    if (unsure && decoded.noSpeechProb > maxNoSpeechProb) return false;
    return unsure || repeatsItself(decoded);
  }

  /** The window's segments, and what of it must be heard again. */
  function readWindow(window: Window, { decoded, temperature }: HeardWindow, pieces: readonly SpeechPiece[], options: HearingOptions): { placed: Placed[]; rest: Window | undefined } {
    const { noSpeechProb, language } = decoded;
    const figures = {
      temperature,
      avgLogprob: avgLogprob(decoded.logProbs),
      compressionRatio: compressionRatio(vocabulary.decode(decoded.tokens)),
      noSpeechProb,
      seekFrames: Math.round((window.spans[0]?.fileSec ?? 0) * 100),
      language: language ?? 'en',
    };
    if (noSpeechProb > maxNoSpeechProb && figures.avgLogprob <= minAvgLogprob) return { placed: [], rest: undefined };
    const words = decoded.attentions.length > 0 ? wordsOf(decoded, configuration, vocabulary) : [];
    const segment = (span: Span, tokens: number[], startSec: number, endSec: number, own: readonly WindowWord[]): Placed[] => {
      const text = vocabulary.decode(tokens).trim();
      if (text === '') return [];
      const times = options.wordTimes ? { words: own.map((word) => wordInFile(word, window, pieces)) } : {};
      return [{ piece: span.piece, segment: { ...figures, startSec, endSec, text, tokens, ...times } }];
    };
    if (options.timestamps === true) {
      const { segments, heardSec } = splitAtTimestamps(decoded.tokens, configuration.firstTimestamp, window.samples.length / sampleRateHz);
      const placed = segments.flatMap(({ startSec, endSec, tokens }) => {
        const own = words.filter((word) => word.startSec >= startSec && word.startSec < endSec);
        const start = fileTime(startSec, spanAt(window, startSec));
        return segment(spanAt(window, (startSec + endSec) / 2), tokens, start, Math.max(start, fileTime(endSec, spanAt(window, endSec))), own);
      });
      return { placed, rest: heardSec > 0 ? restOf(window, heardSec) : undefined };
    }
    const placed = window.spans.flatMap((span) => {
      const { startSec, endSec } = pieces[span.piece] as SpeechPiece;
      const alone = window.spans.length === 1;
      const own = alone ? words : words.filter((word) => spanAt(window, (word.startSec + word.endSec) / 2) === span);
      return segment(span, alone ? decoded.tokens : own.flatMap(({ tokens }) => tokens), Math.max(startSec, span.fileSec), Math.min(endSec, span.fileSec + span.lengthSec), own);
    });
    return { placed, rest: undefined };
  }

  return {
    async run(pieces, options, signal) {
      const segments: TranscriptSegment[][] = pieces.map(() => []);
      // Windows of like length share a batch.
      const waiting = packWindows(pieces, maxPauseSec, packedSec).sort((one, other) => one.samples.length - other.samples.length);
      while (waiting.length > 0) {
        const batch = waiting.splice(0, mostTogether);
        const encoded = await encode(batch.map(({ samples }) => samples), batch.length === 1, signal);
        const attentions = options.wordTimes || (options.timestamps !== true && batch.some(({ spans }) => spans.length > 1));
        const heard = await decodeWell(encoded, options, attentions, signal);
        for (const [index, window] of batch.entries()) {
          const { placed, rest } = readWindow(window, heard[index] as HeardWindow, pieces, options);
          for (const { piece, segment } of placed) segments[piece]?.push(segment);
          if (rest !== undefined) waiting.push(rest);
        }
      }
      for (const own of segments) own.sort((one, other) => one.startSec - other.startSec);
      return segments;
    },
    async detectLanguage(samples, signal) {
      const [window] = await encode([samples.subarray(0, windowSamples)], false, signal);
      return detectLanguages(graphs, configuration, window as EncodedWindow);
    },
    close: () => graphs.close(),
  };
}

function chooseLanguage([best, ...others]: readonly LanguageGuess[], { language, likelyLanguage }: HearingOptions): string {
  if (language !== undefined) return language;
  if (best === undefined) throw new Error('the model knows no languages');
  const likely = others.find((guess) => guess.language === likelyLanguage);
  return likely === undefined || best.probability >= sureProbability ? best.language : likely.language;
}

/** Its times as those of the file, within the voice of its piece. */
function wordInFile({ text, startSec, endSec, probability }: WindowWord, window: Window, pieces: readonly SpeechPiece[]): TranscriptWord {
  const span = spanAt(window, (startSec + endSec) / 2);
  const piece = pieces[span.piece] as SpeechPiece;
  const within = (sec: number): number => Math.min(Math.max(fileTime(sec, span), piece.startSec), piece.endSec);
  return { word: text.trim(), startSec: within(startSec), endSec: within(endSec), probability };
}

// Interfaces that a speech engine implements. Engines run in child processes and convert between samples and text; they
// do not depend on HTTP, on the pool, or on each other.

import type { GrowingUtterance, TranscriptSegment } from "../contract/speech.ts";
import type { VocabularyTerm } from "../contract/vocabulary.ts";

/** Of all audio that is transcribed. */
export const sttSampleRateHz = 16_000;
/** Of all speech that is generated. */
export const ttsSampleRateHz = 24_000;

/** Speech cut at pauses: 16 kHz mono samples in −1..1, and their position in the file. */
export type SpeechSegment = {
  samples: Float32Array;
  /** Audio without voice directly before and after the samples, as far as known. */
  before?: Float32Array;
  after?: Float32Array;
  /** Position of the first sample in the file; a little before the voice starts. */
  offsetSec: number;
  /** Start and end of the voice in the file. */
  startSec: number;
  endSec: number;
  /** Seconds that VAD classified as voice. */
  voicedSec: number;
  /** Mean voice probability of the segment, 0..1. */
  voiceProb: number;
};

export type TranscribeOptions = {
  task: "transcribe" | "translate";
  /** A code of contract/languages.ts; if omitted, engines that can detect the language do so. */
  language?: string;
  /** Preferred when an engine's own language detection is uncertain. */
  likelyLanguage?: string;
  prompt?: string;
  /** To be listed before the prompt, as many as there is room for. */
  terms?: readonly VocabularyTerm[];
  temperature: number;
  wordTimes: boolean;
  /** The segments are a part of a longer file: an engine may save time where a whole file would get more context. */
  isExcerpt?: boolean;
  /** Speech that goes on, transcribed again within a second: no further attempt at a doubtful text. */
  isDraft?: boolean;
  /** Tokens that this model will probably choose for a single speech segment: the result is the same, in less time. */
  expectedTokens?: readonly number[];
  /** Of drafts: which of them are of the same speech. */
  utterance?: GrowingUtterance;
  /** The model itself returns the times of segments, if it can. */
  timestamps?: boolean;
};

export type LanguageProbability = { language: string; probability: number };

/** Speech to text. One instance per child process; calls never overlap. */
export interface SpeechToText {
  /**
   * Returns the transcript segments of each speech segment, in the same order; empty if nothing was said. Throws on
   * abort.
   */
  transcribe(
    speechSegments: readonly SpeechSegment[],
    options: TranscribeOptions,
    signal: AbortSignal,
  ): Promise<TranscriptSegment[][]>;
  /** Languages of the first 30 s of speech, the most probable first. Only for multilingual models. */
  detectLanguage?(samples: Float32Array, signal: AbortSignal): Promise<LanguageProbability[]>;
  close(): Promise<void>;
}

export type SynthesisOptions = {
  voice: string;
  /** 0.25 to 4; 1 is the voice's natural pace. */
  speed: number;
  /** `high` corresponds to `tts-1-hd`. */
  quality: "standard" | "high";
  /** A paragraph ends here: the pause is longer. */
  paragraphEnd?: boolean;
  /** Each number gives another variation, and always the same one. Optional; default: 0, the voice as it is. */
  take?: number;
};

/** Text to speech. One instance per child process; calls overlap only where `tasksSideBySide` allows it. */
export interface TextToSpeech {
  readonly sampleRateHz: number;
  /** About one sentence → mono samples in −1..1, including the pause after it. Empty if there is nothing to speak. */
  synthesize(text: string, options: SynthesisOptions, signal: AbortSignal): Promise<Float32Array>;
  /** Phonemes of the text, to inspect its pronunciation. */
  phonemes(text: string): Promise<string>;
  /** Of these words, those whose pronunciation is a guess. Omitted if the engine has no lexicon. */
  unknownWords?(words: readonly string[]): string[];
  close(): Promise<void>;
}

// The ports a speech engine fills. Engines live in child processes, take samples or text and give text or
// samples; they know nothing of HTTP, of files to serve, or of each other.

import type { TranscriptSegment } from "../contract/speech.ts";

/** Speech cut out at pauses: 16 kHz mono samples in −1..1 and where they lie in the file. */
export type SpeechSegment = {
  samples: Float32Array;
  /** The sound right before and behind them that holds no voice, as far as it is known. */
  before?: Float32Array;
  after?: Float32Array;
  /** Where in the file `samples` begins; a little before the voice does. */
  offsetSec: number;
  /** Where the voice begins and ends in the file. */
  startSec: number;
  endSec: number;
  /** Seconds of it that the voice activity model took for voice. */
  voicedSec: number;
  /** Mean voice probability over the piece, 0..1. */
  voiceProb: number;
};

export type TranscribeOptions = {
  task: "transcribe" | "translate";
  /** As contract/languages.ts codes it; omitted: each engine detects it if it can. */
  language?: string;
  /** What the speech probably is, where an engine that finds out is not sure. */
  likelyLanguage?: string;
  prompt?: string;
  temperature: number;
  wordTimes: boolean;
  /** The model itself says where segments begin and end, where it can. */
  timestamps?: boolean;
};

export type LanguageProbability = { language: string; probability: number };

/** Speech to text. One instance per child process; `run` is never entered twice at once. */
export interface SpeechToText {
  /** For each piece, in the same order, its segments; none where nothing was said. Throws on abort. */
  transcribe(
    speechSegments: readonly SpeechSegment[],
    options: TranscribeOptions,
    signal: AbortSignal,
  ): Promise<TranscriptSegment[][]>;
  /** Languages of the first 30 s of speech, the most probable first. Only where the model knows several. */
  detectLanguage?(samples: Float32Array, signal: AbortSignal): Promise<LanguageProbability[]>;
  close(): Promise<void>;
}

export type SynthesisOptions = {
  voice: string;
  /** 0.25 to 4; 1 is the voice's natural pace. */
  speed: number;
  /** `high` is what `tts-1-hd` stands for. */
  quality: "standard" | "high";
  /** A paragraph ends here: the pause is longer. */
  paragraphEnd?: boolean;
  /** Each number says it a little differently, and always the same way. Absent or 0: the voice's usual way. */
  take?: number;
};

/** Text to speech. One instance per child process; calls are never entered twice at once. */
export interface TextToSpeech {
  readonly sampleRateHz: number;
  /** One sentence or so → mono samples in −1..1, the pause that follows it included. Empty when there is nothing to say. */
  synthesize(text: string, options: SynthesisOptions, signal: AbortSignal): Promise<Float32Array>;
  /** The text as phonemes, to see how it is read. */
  phonemes(text: string): Promise<string>;
  close(): Promise<void>;
}

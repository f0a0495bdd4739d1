// What the gateway and the command line ask of a provider, local or not. A channel takes a neutral job and an
// AbortSignal; results come back as values or as an AsyncIterable. Errors are AppErrors. A channel tries once:
// router.ts retries, and falls back to other channels.

import type {
  ModelInfo,
  SpeechChunk,
  SpeechJob,
  TranscriptionEvent,
  TranscriptionJob,
  VoiceInfo,
} from "./speech.ts";

export interface Channel {
  /** Shown to people, and as `owned_by` where a model has no owner of its own. */
  readonly name: string;
  /** What it hears and speaks does not leave this machine. */
  readonly isLocal: boolean;
  /** The same array until something changed. */
  models(): readonly ModelInfo[];
  /** Empty where only the provider knows. */
  voices(): readonly VoiceInfo[];
  /** A new request would have to wait for others. */
  isBusy(): boolean;
  /**
   * Hears a file. Ends with one `done`. Throws AppError before the first event where the job cannot be done
   * (unknown language, undecodable file); leaving the loop or aborting cancels the work.
   */
  transcribe(job: TranscriptionJob, signal: AbortSignal): AsyncIterable<TranscriptionEvent>;
  /** Speaks a text, first sentence first. The bytes, one after the other, are one file of the asked format. */
  synthesize(job: SpeechJob, signal: AbortSignal): AsyncIterable<SpeechChunk>;
  close(): Promise<void>;
}

/** The built-in engines can tell how they read. */
export interface LocalChannel extends Channel {
  /** Each line's phonemes, as the voice reads it. */
  phonemes(lines: readonly string[], signal: AbortSignal): Promise<string[]>;
}

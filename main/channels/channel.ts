// What the gateway and the command line ask of a provider, local or not. A channel takes a neutral job and an
// AbortSignal; results come back as values or as an AsyncIterable. Errors are AppErrors.

import type { ModelInfo, SpeechChunk, SpeechJob, TranscriptionEvent, TranscriptionJob, VoiceInfo } from '../contract/speech.ts';

export interface Channel {
  /** Shown as `owned_by` where the model has no owner of its own. */
  readonly name: string;
  models(): readonly ModelInfo[];
  voices(): readonly VoiceInfo[];
  /**
   * Hears a file. Ends with one `done`. Throws AppError before the first event where the job cannot be done
   * (unknown language, undecodable file); leaving the loop or aborting cancels the work.
   */
  transcribe(job: TranscriptionJob, signal: AbortSignal): AsyncIterable<TranscriptionEvent>;
  /** Speaks a text, first sentence first. The bytes, one after the other, are one file of the asked format. */
  speak(job: SpeechJob, signal: AbortSignal): AsyncIterable<SpeechChunk>;
  /** Each line's phonemes, as the voice reads it. */
  phonemes(lines: readonly string[], signal: AbortSignal): Promise<string[]>;
  close(): Promise<void>;
}

// The interface of a provider, local or remote, as the server and the command line use it. A channel takes a neutral
// job and an AbortSignal and returns values or an AsyncIterable; errors are AppErrors. A channel tries once;
// channels/router.ts does retries and fallbacks.

import type { AppError } from "./errors.ts";
import type { ModelInfo } from "./models.ts";
import type {
  DraftJob,
  DraftTranscript,
  SpeechChunk,
  SpeechJob,
  TranscriptionEvent,
  TranscriptionJob,
  VoiceInfo,
} from "./speech.ts";

/** Called when a provider is about to receive audio or text: it is connected, and the request is written next. */
export type OnSending = () => void;

export interface Channel {
  /** Shown to people. Also `owned_by` of models that name no owner. */
  readonly name: string;
  /** Audio and text do not leave this machine. */
  readonly isLocal: boolean;
  /** Returns the same array until something changes. */
  models(): readonly ModelInfo[];
  /** Why a model that is known is not among them; undefined for other models. */
  whyMissing?(model: string): AppError | undefined;
  /** Why it cannot do a job, as far as that is known before any work. */
  whyUnable?(job: TranscriptionJob): AppError | undefined;
  /** Empty if only the provider knows its voices. */
  voices(): readonly VoiceInfo[];
  /** Knows also blends of voices, which are not listed; default: the listed ones. */
  hasVoice?(voice: string): boolean;
  /** True if a new request would have to wait in a queue. */
  isBusy(): boolean;
  /**
   * Transcribes a file; the last event is `done`. Leaving the loop or aborting cancels the work.
   * @throws AppError before the first event if the job is impossible (unknown language, undecodable file)
   */
  transcribe(
    job: TranscriptionJob,
    signal: AbortSignal,
    onSending?: OnSending,
  ): AsyncIterable<TranscriptionEvent>;
  /**
   * What is said so far where somebody still speaks: quick and rough. Omitted if each request costs.
   * @returns undefined if it has no such model
   */
  draft?(job: DraftJob, signal: AbortSignal): Promise<DraftTranscript | undefined>;
  /** Synthesizes a text, first sentence first. The concatenated bytes are one file in the requested format. */
  synthesize(
    job: SpeechJob,
    signal: AbortSignal,
    onSending?: OnSending,
  ): AsyncIterable<SpeechChunk>;
  /**
   * Opens a realtime transcription session at a provider, with OpenAI's events.
   * @returns undefined if the provider has no such sessions @throws AppError if it cannot be reached
   */
  openRealtime?(model: string, request: RealtimeRequest): Promise<RealtimeConnection | undefined>;
  close(): Promise<void>;
}

export type RealtimeRequest = {
  /** Events have the form of the beta. */
  isBeta: boolean;
  /** Hearsay gateways that the session passed. */
  via?: readonly string[] | undefined;
  /** An event of the provider, as JSON; also before the session is returned. */
  onEvent(json: string): void;
  /** The provider or the channel ended it; `error`: it broke off. Not called after `close`. */
  onEnd(error: AppError | undefined): void;
};

export type RealtimeConnection = {
  /** The provider's name of the model. */
  readonly model: string;
  /** Sends a client's event. Resolves when it was written to the connection, or there is none any more. */
  send(json: string): Promise<void>;
  close(): void;
};

/** A channel of the built-in engines, which can also return phonemes. */
export interface LocalChannel extends Channel {
  /** Phonemes of each line, as the voice pronounces it. */
  phonemes(lines: readonly string[], signal: AbortSignal): Promise<string[]>;
  /** Of these English words, those in no lexicon; none where the model with the lexicon cannot be used. */
  unknownWords(words: readonly string[], signal: AbortSignal): Promise<string[]>;
}

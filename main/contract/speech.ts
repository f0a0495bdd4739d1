// The neutral words of hearing and speaking that gateway, channels, engines and command line share.
// No HTTP in here: see contract/openai.ts for how these look on the wire.

/** One recognised word with its place in the file. */
export type TranscriptWord = {
  word: string;
  startSec: number;
  endSec: number;
  probability: number;
};

/** A stretch of speech between two pauses. Definitions of the figures are openai/whisper's. */
export type TranscriptSegment = {
  startSec: number;
  endSec: number;
  text: string;
  /** Ids of the model's own vocabulary, without the start and end tokens. */
  tokens: number[];
  /** The temperature the text was sampled at; 0 is greedy. */
  temperature: number;
  /** Sum of the tokens' log-probabilities, the end token included, divided by their number. */
  avgLogprob: number;
  /** UTF-8 bytes of the text divided by the bytes zlib makes of it; 0 for no text. */
  compressionRatio: number;
  /** That nothing was said, 0 to 1: Whisper's own; of other models 1 minus the voice activity model's mean probability over the segment. */
  noSpeechProb: number;
  /** Where the window that was decoded began, in frames of 10 ms. */
  seekFrames: number;
  /** As contract/languages.ts codes it. */
  language: string;
  /** Only when words were asked for. */
  words?: TranscriptWord[];
};

/** A stretch that held speech and could not be heard, after a second try. */
export type FailedRange = { startSec: number; endSec: number; message: string };

/** A channel that heard parts of a file for this machine, and how much of it. */
export type HelperShare = { channel: string; processedSec: number };

export type Transcript = {
  /** Full lower-case English name of the language, as openai/whisper writes it: `english`; empty where it was not told. */
  language: string;
  durationSec: number;
  text: string;
  segments: TranscriptSegment[];
  /** Empty when every second was heard. */
  failed: FailedRange[];
  /** The channels that heard parts of it for this machine, where there were any. */
  helpers?: readonly HelperShare[];
};

/** What a transcription tells while it runs; `done` comes last and exactly once. Segments come in time order. */
export type TranscriptionEvent =
  /** Text as another provider tells it, in place of segments; one after the other they are the whole. */
  | { type: "text"; text: string }
  | { type: "progress"; processedSec: number; durationSec: number | undefined }
  | { type: "segment"; segment: TranscriptSegment }
  | { type: "failed"; range: FailedRange }
  | { type: "done"; transcript: Transcript };

export type TranscriptionJob = {
  task: "transcribe" | "translate";
  /** The channel's own model id, without its prefix. */
  model: string;
  /** A media file that outlives the job, or how to have one where it is in memory alone; its container was already recognised by content. */
  mediaPath: string | (() => Promise<string>);
  /** The file itself, where it is small and at hand. */
  mediaBytes?: Uint8Array;
  /** ISO-639-1; omitted: detect it. */
  language?: string;
  prompt?: string;
  /** 0 to 1. */
  temperature: number;
  wordTimes: boolean;
  /** Nothing but the text is wanted: segments may be left out. */
  textOnly?: boolean;
  /** Text is wanted while it is being heard. */
  stream?: boolean;
  /** Fields of the request that are not ours: for providers that know them. */
  extraFields?: ReadonlyMap<string, readonly string[]>;
  /** Gateways of our kind the request came through. */
  via?: readonly string[];
  /** Whose usage record it counts in: a key's id, or one of `ownCallers`. */
  callerId?: string;
  /** Told of each channel before it is given anything, also of those that refuse. */
  onChannelSelected?: (channel: string) => void;
};

/** Where a job's file is; written first, where it is not yet. */
export const resolveMediaPath = async ({
  mediaPath,
}: Pick<TranscriptionJob, "mediaPath">): Promise<string> =>
  typeof mediaPath === "string" ? mediaPath : await mediaPath();

export const audioFormats = ["mp3", "opus", "aac", "flac", "wav", "pcm"] as const;
export type AudioFormat = (typeof audioFormats)[number];

export type SpeechJob = {
  model: string;
  /** Any length; the channel splits it at sentences. */
  text: string;
  voice: string;
  /** 0.25 to 4. */
  speed: number;
  format: AudioFormat;
  /** Fields of the request that are not ours, `instructions` for one: for providers that know them. */
  extraFields?: Readonly<Record<string, unknown>>;
  /** Gateways of our kind the request came through. */
  via?: readonly string[];
  /** Which attempt at the text it is: the built-in voices say it a little differently each time. Optional; default the usual reading. */
  take?: number;
  /** Told of each channel before it is given anything, also of those that refuse. */
  onChannelSelected?: (channel: string) => void;
};

/** Encoded audio as it is made. */
export type SpeechChunk = {
  bytes: Uint8Array;
  /** With the last bytes: what may be written over earlier ones, now that the length is known. */
  corrections?: readonly { at: number; bytes: Uint8Array }[];
  /** Seconds of audio made so far; undefined where only another provider knows. */
  audioSec: number | undefined;
  /** 0 to 1, by characters; undefined where only another provider knows. */
  progress: number | undefined;
};

export type ModelInfo = {
  id: string;
  /** Unix seconds. */
  created: number;
  ownedBy: string;
  /** What it does; of another provider's model it may not be known. */
  kind: "speech-to-text" | "text-to-speech" | "unknown";
};

export type VoiceInfo = { id: string; name: string; character: string };

export type ModelFile = {
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
};

/** What the engine processes hold in memory, as they told it with their last answers. */
export type EngineMemory = {
  readonly processes: number;
  readonly bytes: number;
  /** Model id → the bytes by which a process grew when it was loaded, of models that have been, and whether one holds it now. */
  readonly models: ReadonlyMap<string, { readonly bytes: number; readonly isLoaded: boolean }>;
};

/** An installed model as an engine takes it: which engine runs it, where its files lie, and what they must be. */
export type ModelBundle = {
  readonly id: string;
  readonly engine: "moonshine" | "whisper" | "hibari" | "silero";
  readonly dir: string;
  readonly files: readonly ModelFile[];
  /** Neighbouring stretches of speech are best heard in one go, up to so many seconds. */
  readonly batchMaxSec?: number;
  /** What is no longer than this, silence and all, is heard in one go. */
  readonly singlePassMaxSec?: number;
};

// Neutral types of transcription and synthesis that server, channels, engines and command line share. No HTTP here: see
// contract/openai.ts for the wire format.

import { z } from "zod";
import type { KnownSpeaker, SpeakerCount } from "./speakers.ts";
import type { SentMessage } from "./messages/messages.ts";
import type { ModelFamily } from "./models.ts";
import type { VocabularyTerm } from "./vocabulary.ts";

/** One recognized word with its times in the file. */
export type TranscriptWord = {
  word: string;
  startSec: number;
  endSec: number;
  probability: number;
  /** What the model wrote, where the vocabulary changed it. */
  heard?: string;
};

/** Speech between two pauses. The figures are defined as in openai/whisper. */
export type TranscriptSegment = {
  startSec: number;
  endSec: number;
  text: string;
  /** Token ids of the model's vocabulary, without start and end tokens. */
  tokens: number[];
  /** Sampling temperature; 0 is greedy. */
  temperature: number;
  /** Sum of the tokens' log-probabilities, including the end token, divided by their number. */
  avgLogprob: number;
  /** UTF-8 bytes of the text divided by its zlib-compressed bytes; 0 for an empty text. */
  compressionRatio: number;
  /**
   * Probability that there is no speech, 0 to 1. Whisper's own value; for other models 1 minus the mean VAD probability
   * over the segment.
   */
  noSpeechProb: number;
  /** Start of the decoded window, in frames of 10 ms. */
  seekFrames: number;
  /** A code of contract/languages.ts. */
  language: string;
  /** Only if word times were requested. */
  words?: TranscriptWord[];
  /** Only if speakers were to be told apart: a name, or a letter by their order. */
  speaker?: string;
};

/** A range with speech that could not be transcribed, even after a retry. */
export type FailedRange = SentMessage & { readonly startSec: number; readonly endSec: number };

export type Transcript = {
  /** Lower-case English name of the language, as in openai/whisper: `english`; empty if unknown. */
  language: string;
  durationSec: number;
  text: string;
  segments: TranscriptSegment[];
  /** Empty if all ranges succeeded. */
  failed: FailedRange[];
  /** Only if speakers were to be told apart. */
  turns?: readonly { fromSec: number; toSec: number; speaker: string }[];
};

/** A run of speech. Times are seconds in the file; `from`/`to` include the silence kept around the voice. */
export type SpeechSpan = {
  fromSec: number;
  toSec: number;
  startSec: number;
  endSec: number;
  /** Seconds of frames above the threshold. */
  voicedSec: number;
  /** Mean probability from start to end. */
  voiceProb: number;
};

/** A WAV file that exists until the next part is requested. Times count from the start of the media file. */
export type AudioPart = { path: string; fromSec: number; toSec: number };

/** Events of a running transcription. `done` comes last and exactly once; segments come in order of time. */
export type TranscriptionEvent =
  /** Text of a provider that sends no segments; the concatenation of these events is the whole text. */
  | { type: "text"; text: string }
  | { type: "progress"; processedSec: number; durationSec: number | undefined }
  | { type: "segment"; segment: TranscriptSegment }
  | { type: "failed"; range: FailedRange }
  | { type: "done"; transcript: Transcript };

/** Data alone; callbacks and signals are passed beside it. */
export type TranscriptionJob = {
  task: "transcribe" | "translate";
  /** The channel's own model id, without its prefix. */
  model: string;
  /** A media file that outlives the job. Its container was already recognized by content. */
  mediaPath: string;
  /** Content of the file, if it is in memory only so far; storage/media-file.ts writes the file where one is needed. */
  mediaBytes?: Uint8Array;
  /** ISO-639-1; omitted: detect it. */
  language?: string;
  prompt?: string;
  /** Names and terms to expect: a part of the prompt, or corrected afterwards by a model that takes none. */
  vocabulary?: readonly VocabularyTerm[];
  /** 0 to 1. */
  temperature: number;
  wordTimes: boolean;
  /** Speakers are to be told apart; segments then come at the end. */
  speakers?: SpeakerCount;
  /** Whose names speakers get if their voices are alike. */
  knownSpeakers?: readonly KnownSpeaker[];
  /** A model that gives no times of words, or takes no prompt, transcribes without; otherwise it refuses the job. */
  isBestEffort?: boolean;
  /** Only text is needed; segments may be left out. */
  textOnly?: boolean;
  /** The caller wants text while transcription runs. */
  stream?: boolean;
  /** The file is a part of a longer recording; its speech, and maybe its likely language, are known. */
  excerpt?: { readonly speech: readonly SpeechSpan[]; readonly likelyLanguage?: string };
  /** Unknown fields of the request, forwarded to providers. */
  extraFields?: ReadonlyMap<string, readonly string[]>;
  /** Hearsay gateways that the request passed. */
  via?: readonly string[];
};

/** Speech that still goes on, as 16-bit samples at 16 kHz in a file of their own. */
export type DraftJob = Pick<TranscriptionJob, "task" | "model" | "language" | "prompt"> & {
  pcmPath: string;
  durationSec: number;
  /** Of an earlier draft of the same speech: makes this one faster. */
  earlier?: DecodedText;
  utterance?: GrowingUtterance;
};

/** Speech of which each draft has the samples of the one before, and more: a streaming model takes only these. */
export type GrowingUtterance = {
  /** Unique among all sessions. */
  readonly id: string;
  /** There are no more drafts of it. */
  readonly isOver: boolean;
};

/** Text as the tokens of a model. */
export type DecodedText = { readonly model: string; readonly tokens: readonly number[] };

/** `language`: a code of contract/languages.ts, if it is known. */
export type DraftTranscript = {
  text: string;
  /** The words of the text, from the start of the audio; omitted if the model gives no times. */
  words?: readonly Pick<TranscriptWord, "word" | "endSec" | "probability">[];
  language?: string;
  /** The model of the last pass transcribes neighboring speech together, up to this duration. */
  batchMaxSec?: number;
  /** The model takes only new samples, and writes nothing in short speech that was not said. */
  isStreaming?: boolean;
  /** The model and its tokens of the text, for the next draft. */
  decoded?: DecodedText;
};

export const audioFormats = ["mp3", "opus", "aac", "flac", "wav", "pcm"] as const;
export type AudioFormat = (typeof audioFormats)[number];

export type SpeechJob = {
  model: string;
  /** Any length; the channel splits it into sentences. */
  text: string;
  voice: string;
  /** Of the text: ISO-639-1; omitted: detect that of each paragraph. */
  language?: string;
  /** 0.25 to 4. */
  speed: number;
  format: AudioFormat;
  /** Unknown fields of the request, such as `instructions`, forwarded to providers. */
  extraFields?: Readonly<Record<string, unknown>>;
  /** Hearsay gateways that the request passed. */
  via?: readonly string[];
  /**
   * The family that speaks English on this machine unless a person chose otherwise; default: that of the model's name.
   */
  englishFamily?: ModelFamily;
  /** Number of the take. Built-in voices vary the reading with it; omitted: the default reading. */
  take?: number;
};

/** Encoded audio, as it is generated. */
export type SpeechChunk = {
  bytes: Uint8Array;
  /** Of built-in voices. */
  casting?: VoiceCasting;
  /** With the last bytes: data that may overwrite earlier bytes, now that the length is known. */
  corrections?: readonly { at: number; bytes: Uint8Array }[];
  /** Seconds of audio generated so far; undefined if only the provider knows. */
  audioSec: number | undefined;
  /** 0 to 1, by characters; undefined if only the provider knows. */
  progress: number | undefined;
};

export type VoiceCasting = {
  /** Ids of voices that speak what is in languages that the requested one does not know. */
  readonly takenOverBy: readonly string[];
  /** The requested voice speaks a language that it does not know. */
  readonly warning?: SentMessage;
};

/** A voice as clients see it. */
export const voiceInfo = z.object({
  id: z.string(),
  name: z.string(),
  /** In a few words. */
  character: z.string(),
  /** BCP 47: the language, with its region where the model has voices of several; empty if unknown. */
  language: z.string(),
  gender: z.enum(["female", "male", "neutral", "unknown"]),
  /** How it sounds, in a sentence. */
  description: z.string(),
  /** Id of its model. */
  model: z.string(),
  /** A text in its language, to try it with. */
  sample: z.string(),
});
export type VoiceInfo = z.infer<typeof voiceInfo>;

/** Memory of the engine processes, as reported with their last responses. */
export type EngineMemory = {
  readonly processes: number;
  readonly bytes: number;
  /**
   * Model id → growth of the process in bytes when it loaded the model, for models loaded at least once, and whether a
   * process holds it now.
   */
  readonly models: ReadonlyMap<string, { readonly bytes: number; readonly isLoaded: boolean }>;
};

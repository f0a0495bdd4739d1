// A channel with scripted results instead of engines: a real implementation of the channel interface.

import type { Channel } from "../../main/contract/channel.ts";
import { createHealth } from "../../main/channels/health.ts";
import type { RegisteredChannel } from "../../main/channels/registry.ts";
import type { ModelInfo } from "../../main/contract/models.ts";
import type {
  SpeechChunk,
  SpeechJob,
  Transcript,
  TranscriptSegment,
  TranscriptionEvent,
  TranscriptionJob,
  VoiceInfo,
} from "../../main/contract/speech.ts";

export type FakeScript = {
  name?: string;
  isLocal?: boolean;
  /** Whether requests are sent at all; default: true. */
  isReachable?: boolean;
  isBusy?(): boolean;
  models?: readonly ModelInfo[];
  voices?: readonly VoiceInfo[];
  transcribe?(job: TranscriptionJob, signal: AbortSignal): AsyncIterable<TranscriptionEvent>;
  synthesize?(job: SpeechJob, signal: AbortSignal): AsyncIterable<SpeechChunk>;
};

export type FakeChannel = Channel & {
  readonly transcriptionJobs: TranscriptionJob[];
  readonly speechJobs: SpeechJob[];
};

const created = 1_700_000_000;
export const fakeModels: readonly ModelInfo[] = [
  { id: "whisper-1", created, ownedBy: "hearsay", kind: "speech-to-text" },
  { id: "tts-1", created, ownedBy: "hearsay", kind: "text-to-speech" },
  { id: "tts-1-hd", created, ownedBy: "hearsay", kind: "text-to-speech" },
];

export const fakeVoices: readonly VoiceInfo[] = [
  "alloy",
  "echo",
  "fable",
  "onyx",
  "nova",
  "shimmer",
].map((id) => ({
  id,
  name: id[0]?.toUpperCase() + id.slice(1),
  character: "calm",
  language: "en-US",
  gender: "unknown",
  description: "A calm voice.",
  model: "hibari",
  sample: "A sentence.",
}));

export function segment(startSec: number, endSec: number, text: string): TranscriptSegment {
  return {
    startSec,
    endSec,
    text,
    tokens: [11, 12],
    temperature: 0,
    avgLogprob: -0.25,
    compressionRatio: 1.25,
    noSpeechProb: 0.03,
    seekFrames: Math.round(startSec * 100),
    language: "en",
  };
}

const words = (from: number, text: string) =>
  text.split(" ").map((word, at) => ({
    word,
    startSec: from + at / 2,
    endSec: from + at / 2 + 0.4,
    probability: 0.9,
  }));

/** The default result of a transcription: two segments, 3.32 s. */
export function fakeTranscript(job: TranscriptionJob): Transcript {
  const segments = [
    segment(0, 1.5, "Hear what is said."),
    segment(1.75, 3.3199999, "And say it again."),
  ].map((one) => (job.wordTimes ? { ...one, words: words(one.startSec, one.text) } : one));
  return {
    language: "english",
    durationSec: 3.3199999,
    text: segments.map(({ text }) => text).join(" "),
    segments,
    failed: [],
  };
}

export async function* streamTranscript(
  transcript: Transcript,
): AsyncGenerator<TranscriptionEvent> {
  for (const one of transcript.segments) yield { type: "segment", segment: one };
  yield { type: "done", transcript };
}

/** The chunks are the texts themselves, so that a test can check that all arrived in order. */
export async function* streamSpeech(texts: readonly string[]): AsyncGenerator<SpeechChunk> {
  for (const [at, text] of texts.entries()) {
    yield { bytes: Buffer.from(text), audioSec: at + 1, progress: (at + 1) / texts.length };
  }
}

/** Fails before the first event. */
export const failingIterable = (createError: () => unknown): AsyncIterable<never> => ({
  [Symbol.asyncIterator]: () => ({
    next: async () => {
      throw await createError();
    },
  }),
});

/** Yields nothing and rejects when the signal is aborted. */
export const rejectOnAbort = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });

export function createFakeChannel(script: FakeScript = {}): FakeChannel {
  const transcriptionJobs: TranscriptionJob[] = [];
  const speechJobs: SpeechJob[] = [];
  return {
    name: script.name ?? "fake",
    isLocal: script.isLocal ?? false,
    isBusy: () => script.isBusy?.() ?? false,
    transcriptionJobs,
    speechJobs,
    models: () => script.models ?? fakeModels,
    voices: () => script.voices ?? fakeVoices,
    transcribe(job, signal, onSending) {
      transcriptionJobs.push(job);
      if (script.isReachable !== false) onSending?.();
      return script.transcribe?.(job, signal) ?? streamTranscript(fakeTranscript(job));
    },
    synthesize(job, signal, onSending) {
      speechJobs.push(job);
      if (script.isReachable !== false) onSending?.();
      return script.synthesize?.(job, signal) ?? streamSpeech(["said: ", job.text]);
    },
    close: async () => {},
  };
}

/** The channel as an entry of the registry. Without a prefix its models have bare names. */
export function toRegisteredChannel(
  channel: Channel,
  overrides: Partial<RegisteredChannel> = {},
): RegisteredChannel {
  return { channel, priority: 10, weight: 1, health: createHealth(), ...overrides };
}

// A router over scripted channels: time advances only while the router waits, and randomness is seeded.

import { createRegistry, type RegisteredChannel } from "../../main/channels/registry.ts";
import { createRouter, type Router, type RouterDeps } from "../../main/channels/router.ts";
import type { RequestTrace } from "../../main/usage/request-trace.ts";
import type { Routing } from "../../main/contract/channels.ts";
import type {
  SpeechJob,
  TranscriptionEvent,
  TranscriptionJob,
} from "../../main/contract/speech.ts";

export type TestRouter = {
  router: Router;
  clock: { ms: number };
  /** The waits of the router, in milliseconds. */
  waitsMs: number[];
  /** Transcribes to the end. */
  transcribe(
    job?: Partial<TranscriptionJob>,
    signal?: AbortSignal,
  ): Promise<{ events: TranscriptionEvent[]; served: RequestTrace }>;
  /** Synthesizes to the end; returns the bytes as text. */
  synthesize(
    job?: Partial<SpeechJob>,
    signal?: AbortSignal,
  ): Promise<{ text: string; served: RequestTrace }>;
};

export type TestRouterOptions = {
  routing?: Partial<Routing>;
  voiceAliases?: ReadonlyMap<string, string>;
  seed?: number;
} & Pick<RouterDeps, "measureMediaSec">;

export const transcriptionJob = (overrides: Partial<TranscriptionJob> = {}): TranscriptionJob => ({
  task: "transcribe",
  model: "whisper-1",
  mediaPath: "/nowhere.wav",
  temperature: 0,
  wordTimes: false,
  ...overrides,
});
export const speechJob = (overrides: Partial<SpeechJob> = {}): SpeechJob => ({
  model: "tts-1",
  text: "Hello.",
  voice: "nova",
  speed: 1,
  format: "mp3",
  ...overrides,
});
export const neverAborted = new AbortController().signal;

export function createTestRouter(
  channels: readonly RegisteredChannel[],
  { routing = {}, voiceAliases = new Map(), seed = 1, ...otherDeps }: TestRouterOptions = {},
): TestRouter {
  const clock = { ms: 0 };
  const waitsMs: number[] = [];
  const router = createRouter({
    ...otherDeps,
    registry: createRegistry(() => channels),
    routing: () => ({ aliases: {}, prefer: "listed", ...routing }),
    voiceAliases,
    random: createSeededRandom(seed),
    now: () => clock.ms,
    async wait(ms, signal) {
      signal.throwIfAborted();
      waitsMs.push(ms);
      clock.ms += ms;
    },
  });
  return {
    router,
    clock,
    waitsMs,
    async transcribe(job, signal = neverAborted) {
      const served: RequestTrace = { attempts: 0 };
      return {
        events: await collect(router.transcribe(transcriptionJob(job), served, signal)),
        served,
      };
    },
    async synthesize(job, signal = neverAborted) {
      const served: RequestTrace = { attempts: 0 };
      const chunks = await collect(router.synthesize(speechJob(job), served, signal));
      return { text: Buffer.concat(chunks.map(({ bytes }) => bytes)).toString(), served };
    },
  };
}

export async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** Marsaglia's 32-bit xorshift (2003): uniform in [0, 1). */
function createSeededRandom(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

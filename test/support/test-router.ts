// A router over scripted channels: time advances only while the router waits, and randomness is seeded.

import { createRegistry, type RegisteredChannel } from "../../main/channels/registry.ts";
import {
  createRouter,
  type RequestOptions,
  type Router,
  type RouterDeps,
} from "../../main/channels/router.ts";
import type { UsageRecord } from "../../main/contract/usage.ts";
import { createMetering } from "../../main/usage/metering.ts";
import type { ChannelAttempt } from "../../main/usage/request-cost.ts";
import type { Routing } from "../../main/contract/channels.ts";
import type {
  SpeechJob,
  TranscriptionEvent,
  TranscriptionJob,
} from "../../main/contract/speech.ts";

/** How a request was served, as reported to its meter and to `onServing`. */
export type Served = {
  attempts: number;
  latestAttempt?: ChannelAttempt | undefined;
  channel?: string;
  model?: string | undefined;
  isPaid?: boolean | undefined;
};

export type TestRouter = {
  router: Router;
  /** The usage records of requests that have ended. */
  records: UsageRecord[];
  clock: { ms: number };
  /** The waits of the router, in milliseconds. */
  waitsMs: number[];
  /** Options of a request, and how it is served. */
  watch(
    signal: AbortSignal,
    endpoint: UsageRecord["endpoint"],
  ): { served: Served; options: RequestOptions };
  /** Transcribes to the end. */
  transcribe(
    job?: Partial<TranscriptionJob>,
    signal?: AbortSignal,
  ): Promise<{ events: TranscriptionEvent[]; served: Served }>;
  /** Synthesizes to the end; returns the bytes as text. */
  synthesize(
    job?: Partial<SpeechJob>,
    signal?: AbortSignal,
  ): Promise<{ text: string; served: Served }>;
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
/** Options of a request that is not watched. */
export const asOwner = { caller: "owner", signal: neverAborted };

export function createTestRouter(
  channels: readonly RegisteredChannel[],
  { routing = {}, voiceAliases = new Map(), seed = 1, ...otherDeps }: TestRouterOptions = {},
): TestRouter {
  const clock = { ms: 0 };
  const waitsMs: number[] = [];
  const records: UsageRecord[] = [];
  const metering = createMetering({
    usage: { add: (record) => void records.push(record) },
    prices: () => ({
      "whisper-1": { perMinuteUsd: 0.06 },
      "tts-1": { perThousandCharactersUsd: 1 },
    }),
  });
  const router = createRouter({
    ...otherDeps,
    registry: createRegistry(() => channels),
    metering,
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
  /** Options of a request with a meter that is watched. */
  function watch(signal: AbortSignal, endpoint: UsageRecord["endpoint"]) {
    const meter = metering.start("owner", endpoint);
    const served: Served = { attempts: 0 };
    const options: RequestOptions = {
      signal,
      onServing(channel) {
        const { model, isPaid } = served.latestAttempt ?? {};
        Object.assign(served, { channel, model, isPaid });
      },
      meter: {
        ...meter,
        async admit(attempt, measureSec) {
          const admission = await meter.admit(attempt, measureSec);
          served.attempts += 1;
          served.latestAttempt = attempt;
          return admission;
        },
      },
    };
    return { served, options };
  }
  return {
    router,
    records,
    clock,
    waitsMs,
    watch,
    async transcribe(job, signal = neverAborted) {
      const { served, options } = watch(signal, "transcriptions");
      return { events: await collect(router.transcribe(transcriptionJob(job), options)), served };
    },
    async synthesize(job, signal = neverAborted) {
      const { served, options } = watch(signal, "speech");
      const chunks = await collect(router.synthesize(speechJob(job), options));
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

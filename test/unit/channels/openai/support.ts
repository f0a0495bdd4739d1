// A channel to a faulty upstream, with short time limits, and helpers for its tests.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createOpenAiChannel } from "../../../../main/channels/openai/channel.ts";
import type { OpenAiChannel } from "../../../../main/channels/openai/channel.ts";
import type { OnSending } from "../../../../main/contract/channel.ts";
import { channelFields } from "../../../../main/contract/channels.ts";
import type { ChannelInput, ChannelLimits } from "../../../../main/contract/channels.ts";
import type {
  SpeechChunk,
  SpeechJob,
  TranscriptionEvent,
  TranscriptionJob,
} from "../../../../main/contract/speech.ts";
import { createLog } from "../../../../main/log.ts";
import { wavBytes } from "../../../support/gateway-server.ts";
import { openOutbound } from "../../../support/outbound.ts";

export const secret = "sk-test-0123456789abcdef";

export type TestChannelOptions = {
  /** null: no key. */ key?: string | null;
  config?: Partial<ChannelInput>;
  limits?: Partial<ChannelLimits>;
  logged?: string[];
};

/** Closed at the end of the test. */
export function channelTo(
  baseUrl: string,
  { key = secret, config = {}, limits = {}, logged = [] }: TestChannelOptions = {},
): OpenAiChannel {
  const fields = channelFields.parse({ name: "Cloud", baseUrl, prefix: "cloud", ...config });
  const channel = createOpenAiChannel({
    config: {
      id: "cloud",
      ...fields,
      limits: { connectMs: 1000, headersMs: 2000, bodyMs: 2000, totalMs: 20_000, ...limits },
    },
    key: () => key ?? undefined,
    instanceId: "gateway-a",
    outbound: openOutbound,
    log: createLog("trace", { write: (line) => void logged.push(line) }),
  });
  onTestFinished(() => channel.close());
  return channel;
}

/** Writes a small WAV file, or other bytes, into a folder that is removed after the test. */
export async function recording(bytes: Uint8Array = wavBytes()): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "hearsay-upstream-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "recording");
  await writeFile(path, bytes);
  return path;
}

export async function transcriptionJob(
  job: Partial<TranscriptionJob> = {},
): Promise<TranscriptionJob> {
  return {
    task: "transcribe",
    model: "whisper-1",
    mediaPath: job.mediaPath ?? (await recording()),
    temperature: 0,
    wordTimes: false,
    ...job,
  };
}

export const speechJob = (job: Partial<SpeechJob> = {}): SpeechJob => ({
  model: "tts-1",
  text: "Hello.",
  voice: "alloy",
  speed: 1,
  format: "mp3",
  ...job,
});

export const never = new AbortController().signal;

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

export async function transcribe(
  channel: OpenAiChannel,
  job: Partial<TranscriptionJob> = {},
  signal: AbortSignal = never,
  onSending?: OnSending,
): Promise<TranscriptionEvent[]> {
  return await all(channel.transcribe(await transcriptionJob(job), signal, onSending));
}

export async function synthesize(
  channel: OpenAiChannel,
  job: Partial<SpeechJob> = {},
  signal: AbortSignal = never,
  onSending?: OnSending,
): Promise<SpeechChunk[]> {
  return await all(channel.synthesize(speechJob(job), signal, onSending));
}

/** Resolves with the error of a promise that is expected to reject. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => {
      throw new Error("nothing failed");
    },
    (error: unknown) => error,
  );
}

// The narration jobs over a test library: a real engine process, and the local channel or scripted channels.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { wavHeader } from "../../main/audio/codec/framing.ts";
import { floatToPcm } from "../../main/audio/codec/pcm.ts";
import { createLocalChannel } from "../../main/inference/local-channel.ts";
import { createMetering } from "../../main/usage/metering.ts";
import { createRegistry, type RegisteredChannel } from "../../main/channels/registry.ts";
import { createRouter } from "../../main/channels/router.ts";
import type { SpeechChunk } from "../../main/contract/speech.ts";
import type { AppEvent } from "../../main/contract/app-event.ts";
import { type NarrateOptions, narrateOptions } from "../../main/contract/narration.ts";
import type { UsageRecord } from "../../main/contract/usage.ts";
import { voices } from "../../main/engines/tts/hibari/voices.ts";
import { openDatabase } from "../../main/storage/database.ts";
import { createItems, type Items } from "../../main/library/items.ts";
import { createNarrationWork } from "../../main/library/narration-work.ts";
import { createNarrations } from "../../main/library/narrations.ts";
import { createVocabulary } from "../../main/library/vocabulary.ts";
import { createInProcessTasks } from "../../main/library/process/tasks.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import { createRetriedWrites } from "../../main/storage/retried-writes.ts";
import {
  createNarrationJobs,
  type NarrationJobs,
} from "../../main/jobs/narration/narration-jobs.ts";
import { quietLog } from "./app.ts";
import { toRegisteredChannel } from "./fake-channel.ts";
import { sharedPool } from "./shared-pool.ts";
import { openFolder } from "./test-data.ts";
import { hibariForEnglish, localModels } from "./local-models.ts";

export type TestNarrationJobs = {
  narrationJobs: NarrationJobs;
  items: Items;
  dataDir: string;
  publishedEvents: AppEvent[];
  usageRecords: UsageRecord[];
  create(script: string, options?: Partial<NarrateOptions>): string;
  /** Generates the narration and waits for the end. */
  generateAndWait(itemId: string, fields?: Parameters<NarrationJobs["generate"]>[1]): Promise<void>;
  /** As when the app ends; the folder is kept. */
  close(): Promise<void>;
};

type Tasks = ReturnType<typeof createInProcessTasks>;

/**
 * @param dataDir folder of an earlier one that was closed
 * @param channels replace the local channel
 * @param tasks replace some of the tasks
 */
export async function openNarrationJobs({
  dataDir,
  channels,
  speaksOnlyEnglish = channels === undefined,
  tasks,
}: {
  dataDir?: string;
  channels?: readonly RegisteredChannel[];
  speaksOnlyEnglish?: boolean;
  tasks?: (defaultTasks: Tasks) => Partial<Tasks>;
} = {}): Promise<TestNarrationJobs> {
  const folder = dataDir ?? (await newFolder());
  const tempDir = join(folder, "tmp");
  await mkdir(tempDir, { recursive: true });
  const database = openDatabase(join(folder, "hearsay.sqlite"));
  const defaultTasks = createInProcessTasks(database);
  const publishedEvents: AppEvent[] = [];
  const usageRecords: UsageRecord[] = [];
  const publish = (event: AppEvent): void => void publishedEvents.push(event);
  const items = createItems(database, {
    dataDir: folder,
    onChange: (item) => publish({ type: "item", item }),
  });
  const pool = sharedPool();
  const writes = createRetriedWrites({ log: quietLog, firstRetryMs: 1 });
  const local = createLocalChannel({
    pool,
    ...localModels(undefined, hibariForEnglish),
    vad: shippedModel("silero-vad"),
    voices,
    tempDir: () => tempDir,
  });
  const all = channels ?? [toRegisteredChannel(local)];
  const registry = createRegistry(() => all);
  const narrationJobs = createNarrationJobs({
    writes,
    items,
    narrations: createNarrations(database),
    work: createNarrationWork(database),
    tasks: { ...defaultTasks, ...tasks?.(defaultTasks) },
    vocabulary: createVocabulary(database),
    router: createRouter({
      registry,
      metering: createMetering({
        usage: { add: (record) => void usageRecords.push(record) },
        prices: () => ({}),
      }),
      routing: () => ({ aliases: {}, prefer: "listed" }),
    }),
    pool,
    events: { publish },
    voices: () => registry.voices().map(({ id }) => id),
    spokenLanguages: () => (channels === undefined ? new Set(["en", "es", "hi"]) : undefined),
    isLocalModel: () => channels === undefined,
    speaksOnlyEnglish: () => speaksOnlyEnglish,
    tempDir: () => tempDir,
    log: quietLog,
  });
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    writes.close();
    await narrationJobs.close();
    await local.close();
    database.close();
  };
  onTestFinished(close);
  return {
    narrationJobs,
    items,
    dataDir: folder,
    publishedEvents,
    usageRecords,
    create: (script, options = {}) =>
      narrationJobs.create({ title: "", script, options: narrateOptions.parse(options) }).id,
    async generateAndWait(itemId, fields = {}) {
      await narrationJobs.generate(itemId, fields);
      await narrationJobs.whenIdle(itemId);
    },
    close,
  };
}

async function newFolder(): Promise<string> {
  const { path, remove } = await openFolder();
  onTestFinished(remove);
  return path;
}

/** A tone as a WAV file, 0.01 s per character of the text. */
export async function* streamTone(text: string): AsyncGenerator<SpeechChunk> {
  const samples = Float32Array.from(
    { length: text.length * 240 },
    (_, at) => 0.2 * Math.sin(at * 0.1),
  );
  yield {
    bytes: Buffer.concat([wavHeader(24_000, samples.length), floatToPcm(samples)]),
    audioSec: samples.length / 24_000,
    progress: 1,
  };
}

// The transcription jobs over a test library: a real engine process, and the local channel or scripted channels.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createDiarization } from "../../main/inference/local-diarization.ts";
import { createLocalChannel } from "../../main/inference/local-channel.ts";
import { createMetering } from "../../main/usage/metering.ts";
import { createRegistry, type RegisteredChannel } from "../../main/channels/registry.ts";
import { createRouter } from "../../main/channels/router.ts";
import type { AppEvent } from "../../main/contract/app-event.ts";
import type { Item } from "../../main/contract/library-item.ts";
import {
  type TranscribeOptions,
  transcribeOptions,
} from "../../main/contract/transcript-document.ts";
import type { UsageRecord } from "../../main/contract/usage.ts";
import { voices } from "../../main/engines/tts/hibari/voices.ts";
import { openDatabase } from "../../main/storage/database.ts";
import { createDocuments, type Documents } from "../../main/library/documents.ts";
import { createPeople, type People } from "../../main/library/people.ts";
import { createQueueStore } from "../../main/library/queue-state.ts";
import { createItems, type Items } from "../../main/library/items.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import { createRetriedWrites } from "../../main/storage/retried-writes.ts";
import { createAppEvents } from "../../main/jobs/events.ts";
import {
  createRememberedVoices,
  type RememberedVoices,
} from "../../main/jobs/transcription/remembered-voices.ts";
import {
  createTranscriptionJobs,
  type TranscriptionJobs,
} from "../../main/jobs/transcription/transcription-jobs.ts";
import { quietLog } from "./app.ts";
import { toRegisteredChannel } from "./fake-channel.ts";
import { sharedPool } from "./shared-pool.ts";
import { openFolder } from "./test-data.ts";
import { localModels } from "./local-models.ts";

export type TestTranscriptionJobs = {
  transcriptionJobs: TranscriptionJobs;
  items: Items;
  /** Subscribes as a window does. */
  subscribe(): { close(): void };
  documents: Documents;
  people: People;
  rememberedVoices: RememberedVoices;
  dataDir: string;
  /** All published events. */
  publishedEvents: AppEvent[];
  usageRecords: UsageRecord[];
  /** Resolves with the first state of the item that matches, including earlier ones. */
  waitForItem(itemId: string, matches: (item: Item) => boolean): Promise<Item>;
  /** Adds a file. */
  add(name: string, bytes: Uint8Array, options?: Partial<TranscribeOptions>): Promise<Item>;
  /** The complete text. */
  textOf(itemId: string): string;
  /** As when the app ends; the folder is kept. */
  close(): Promise<void>;
};

export const parseOptions = (options: Partial<TranscribeOptions> = {}): TranscribeOptions =>
  transcribeOptions.parse(options);

/**
 * @param dataDir folder of an earlier one that was closed
 * @param channels replace the local channel
 */
export async function openTranscriptionJobs({
  dataDir,
  channels,
  now: clock,
}: {
  dataDir?: string;
  channels?: readonly RegisteredChannel[];
  /** The clock of recordings, in milliseconds. */
  now?: () => number;
} = {}): Promise<TestTranscriptionJobs> {
  const folder = dataDir ?? (await newFolder());
  const tempDir = join(folder, "tmp");
  await mkdir(tempDir, { recursive: true });
  const database = openDatabase(join(folder, "hearsay.sqlite"));
  const { events, publishedEvents, waitForEvent } = createWatchedEvents();
  const usageRecords: UsageRecord[] = [];
  const items = createItems(database, {
    dataDir: folder,
    onChange: (item) => events.publish({ type: "item", item }),
  });
  const documents = createDocuments(database);
  const writes = createRetriedWrites({ log: quietLog, firstRetryMs: 1 });
  const pool = sharedPool();
  const vad = shippedModel("silero-vad");
  const local = createLocalChannel({
    pool,
    ...localModels(),
    vad,
    voices,
    tempDir: () => tempDir,
  });
  const all = channels ?? [toRegisteredChannel(local)];
  const router = createRouter({
    registry: createRegistry(() => all),
    metering: createMetering({
      usage: { add: (record) => void usageRecords.push(record) },
      prices: () => ({}),
    }),
    routing: () => ({ aliases: {}, prefer: "listed" }),
    splitSpeech: (part, signal) =>
      pool.job(signal).splitAudio(tempDir, { ...part, fromSec: 0, vad }),
  });
  const people = createPeople(database);
  const { findSpeakers, followSpeakers } = createDiarization({
    pool,
    vad,
    diarizer: () => shippedModel("pyannote-community-1"),
    tempDir: () => tempDir,
  });
  const transcriptionJobs = createTranscriptionJobs({
    vocabulary: () => [],
    writes,
    items,
    documents,
    router,
    events,
    pool,
    vad,
    findSpeakers,
    followSpeakers,
    voices: people.voices,
    queueStore: createQueueStore(database),
    tempDir: () => tempDir,
    log: quietLog,
    ...(clock === undefined ? {} : { now: clock }),
  });
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    writes.close();
    await transcriptionJobs.close();
    events.close();
    await local.close();
    database.close();
  };
  onTestFinished(close);
  return {
    transcriptionJobs,
    items,
    subscribe: events.subscribe,
    documents,
    people,
    rememberedVoices: createRememberedVoices({
      pool,
      tempDir: () => tempDir,
      findSpeakers,
      items,
      documents,
      people,
      media: transcriptionJobs.media,
    }),
    dataDir: folder,
    publishedEvents,
    usageRecords,
    waitForItem(itemId, matches) {
      const now = items.find(itemId);
      if (now !== undefined && matches(now)) return Promise.resolve(now);
      return waitForEvent((event) =>
        event.type === "item" && event.item.id === itemId && matches(event.item)
          ? event.item
          : undefined,
      );
    },
    add(name, bytes, options = {}) {
      const chunks = [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)];
      return transcriptionJobs.add(
        { name, options: parseOptions(options), next: async () => chunks.shift() },
        new AbortController().signal,
      );
    },
    textOf: (itemId) => joinTexts(documents.read(itemId).segments),
    close,
  };
}

/** The events of the app, kept in order, for tests that wait for one. */
function createWatchedEvents() {
  const publishedEvents: AppEvent[] = [];
  const watchers = new Set<(event: AppEvent) => void>();
  const bus = createAppEvents();
  return {
    publishedEvents,
    events: {
      ...bus,
      publish(event: AppEvent): void {
        publishedEvents.push(event);
        for (const watcher of watchers) watcher(event);
        bus.publish(event);
      },
    },
    /** Resolves with the first result that `select` returns for a future event. */
    waitForEvent: <Result>(select: (event: AppEvent) => Result | undefined): Promise<Result> =>
      new Promise((resolve) => {
        const watcher = (event: AppEvent): void => {
          const result = select(event);
          if (result === undefined) return;
          watchers.delete(watcher);
          resolve(result);
        };
        watchers.add(watcher);
      }),
  };
}

const joinTexts = (segments: readonly { text: string }[]): string =>
  segments.map(({ text }) => text).join(" ");

async function newFolder(): Promise<string> {
  const { path, remove } = await openFolder();
  onTestFinished(remove);
  return path;
}

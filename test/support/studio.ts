// The studio's transcriptions over a library of the test's own: real engine processes, and this machine's channel or
// channels that a test scripts.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createLocalChannel } from "../../main/inference/local-channel.ts";
import { createMetering } from "../../main/usage/metering.ts";
import { createRegistry, type RegisteredChannel } from "../../main/channels/registry.ts";
import { createRouter } from "../../main/channels/router.ts";
import { cutStretches } from "../../main/engines/pool/media-ranges.ts";
import {
  type Item,
  type StudioEvent,
  type TranscribeOptions,
  transcribeOptions,
} from "../../main/contract/studio.ts";
import type { UsageRecord } from "../../main/contract/usage.ts";
import { createPool } from "../../main/engines/pool/pool.ts";
import { voices } from "../../main/engines/tts/hibari/voices.ts";
import { openDatabase } from "../../main/storage/database.ts";
import { createDocuments, type Documents } from "../../main/library/documents.ts";
import { createItems, type Items } from "../../main/library/items.ts";
import { offeredModels } from "../../main/models/offered.ts";
import { modelBundle } from "../../main/models/store.ts";
import { createPatientWrites } from "../../main/storage/patient-writes.ts";
import { createStudioEvents } from "../../main/jobs/events.ts";
import {
  createTranscribing,
  type Transcribing,
} from "../../main/jobs/transcription/transcribing.ts";
import { engineModule, launcher, quietLog } from "./app.ts";
import { registered } from "./fake-channel.ts";
import { openFolder } from "./test-data.ts";

export type TestStudio = {
  transcribing: Transcribing;
  items: Items;
  /** As a window that listens. */
  listen(): { close(): void };
  documents: Documents;
  dataDir: string;
  /** Everything that was announced. */
  announced: StudioEvent[];
  used: UsageRecord[];
  /** Resolves with the first state of the item that fits, from now or before. */
  until(itemId: string, fits: (item: Item) => boolean): Promise<Item>;
  /** Adds a file's bytes. */
  add(name: string, bytes: Uint8Array, options?: Partial<TranscribeOptions>): Promise<Item>;
  /** The whole text. */
  textOf(itemId: string): string;
  /** As when the app ends; the folder stays. */
  close(): Promise<void>;
};

export const wanted = (options: Partial<TranscribeOptions> = {}): TranscribeOptions =>
  transcribeOptions.parse(options);

/** @param dataDir of an earlier one, which was closed @param channels in place of this machine's */
export async function openStudio({
  dataDir,
  channels,
  now: clock,
}: {
  dataDir?: string;
  channels?: readonly RegisteredChannel[];
  /** The clock of recordings, in milliseconds. */ now?: () => number;
} = {}): Promise<TestStudio> {
  const folder = dataDir ?? (await newFolder());
  const tempDir = join(folder, "tmp");
  await mkdir(tempDir, { recursive: true });
  const database = openDatabase(join(folder, "hearsay.sqlite"));
  const announced: StudioEvent[] = [];
  const used: UsageRecord[] = [];
  const watchers = new Set<(event: StudioEvent) => void>();
  const bus = createStudioEvents();
  const events = {
    ...bus,
    publish(event: StudioEvent) {
      announced.push(event);
      for (const watch of watchers) watch(event);
      bus.publish(event);
    },
  };
  const items = createItems(database, {
    dataDir: folder,
    onChange: (item) => events.publish({ type: "item", item }),
  });
  const documents = createDocuments(database);
  const writes = createPatientWrites({ log: quietLog, firstPauseMs: 1 });
  const pool = createPool(
    launcher(engineModule, folder),
    { size: 2, idleMs: 60_000, taskLimitMs: 30_000 },
    quietLog,
  );
  const voiceActivity = modelBundle("silero-vad");
  const local = createLocalChannel({
    pool,
    models: offeredModels(),
    voiceActivity,
    voices,
    tempDir: () => tempDir,
  });
  const all = channels ?? [registered(local)];
  const router = createRouter({
    registry: createRegistry(() => all),
    routing: () => ({ aliases: {}, prefer: "listed", shareLongFiles: false }),
    cutSpeech: (part, signal) =>
      cutStretches(pool, () => tempDir, { ...part, fromSec: 0, voiceActivity }, signal),
  });
  const metering = createMetering({
    usage: { add: (record) => void used.push(record) },
    prices: () => ({}),
  });
  const transcribing = createTranscribing({
    writes,
    items,
    documents,
    router,
    metering,
    events,
    pool,
    voiceActivity,
    tempDir: () => tempDir,
    log: quietLog,
    ...(clock === undefined ? {} : { now: clock }),
  });
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    writes.close();
    await transcribing.close();
    events.close();
    await local.close();
    database.close();
  };
  onTestFinished(close);
  return {
    transcribing,
    items,
    listen: bus.subscribe,
    documents,
    dataDir: folder,
    announced,
    used,
    until(itemId, fits) {
      const now = items.find(itemId);
      if (now !== undefined && fits(now)) return Promise.resolve(now);
      return new Promise((resolve) => {
        const watch = (event: StudioEvent): void => {
          if (event.type !== "item" || event.item.id !== itemId || !fits(event.item)) return;
          watchers.delete(watch);
          resolve(event.item);
        };
        watchers.add(watch);
      });
    },
    add(name, bytes, options = {}) {
      const pieces = [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)];
      return transcribing.add(
        { name, options: wanted(options), next: async () => pieces.shift() },
        new AbortController().signal,
      );
    },
    textOf: (itemId) =>
      documents
        .read(itemId)
        .segments.map(({ text }) => text)
        .join(" "),
    close,
  };
}

async function newFolder(): Promise<string> {
  const { path, remove } = await openFolder();
  onTestFinished(remove);
  return path;
}

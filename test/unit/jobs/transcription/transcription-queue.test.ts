import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Router } from "../../../../main/channels/router.ts";
import { transcribeOptions } from "../../../../main/contract/transcript-document.ts";
import { createAppEvents } from "../../../../main/jobs/events.ts";
import { emptyTranscript } from "../../../../main/jobs/transcription/empty-transcript.ts";
import { createPaces, estimateLeftSec } from "../../../../main/jobs/transcription/paces.ts";
import {
  createTranscriptionQueue,
  type TranscriptionQueueDeps,
} from "../../../../main/jobs/transcription/transcription-queue.ts";
import { createDocuments } from "../../../../main/library/documents.ts";
import { createItems } from "../../../../main/library/items.ts";
import { createQueueStore } from "../../../../main/library/queue-state.ts";
import { createRetriedWrites } from "../../../../main/storage/retried-writes.ts";
import { quietLog } from "../../../support/app.ts";
import { openTestLibrary } from "../../../support/library.ts";
import { openTestFolder } from "../../../support/test-data.ts";

const options = transcribeOptions.parse({});

/** Transcriptions end when the test says so. */
async function openQueue() {
  const database = openTestLibrary();
  const items = createItems(database, { dataDir: await openTestFolder() });
  const documents = createDocuments(database);
  const running: { path: string; end: () => void }[] = [];
  const router = {
    isLocal: () => true,
    async *transcribe({ mediaPath }: { mediaPath: string }, { signal }: { signal: AbortSignal }) {
      const ended = Promise.withResolvers<void>();
      const run = { path: mediaPath, end: ended.resolve };
      running.push(run);
      signal.addEventListener("abort", () => ended.reject(signal.reason));
      await ended.promise.finally(() => running.splice(running.indexOf(run), 1));
      yield {
        type: "done",
        transcript: { language: "english", durationSec: 600, text: "", segments: [], failed: [] },
      };
    },
  } as unknown as Router;
  const queue = createTranscriptionQueue({
    items,
    documents,
    router,
    events: createAppEvents(),
    media: { source: async (id: string) => id },
    findSpeakers: async () => ({ turns: [], prints: [] }),
    voices: () => [],
    vocabulary: () => [],
    paces: createPaces(),
    queueStore: createQueueStore(database),
    writes: createRetriedWrites({ log: quietLog, firstRetryMs: 1 }),
    tempDir: () => join("not", "used"),
    log: quietLog,
  } as unknown as TranscriptionQueueDeps);
  onTestFinished(() => queue.close());
  const add = (title: string): string => {
    const { id } = items.create(
      { kind: "transcript", title, source: "file", durationSec: 600 },
      (itemId) => void documents.save(itemId, emptyTranscript(options, 600)),
    );
    queue.add(id);
    return id;
  };
  return {
    database,
    items,
    queue,
    add,
    running: () => running.map(({ path }) => path),
    ends: running,
  };
}

it("transcribes waiting items in the order that the user chose", async () => {
  const { queue, add, running, ends } = await openQueue();
  const [first, second, third, fourth] = ["A", "B", "C", "D"].map(add);
  await vi.waitFor(() => expect(running()).toEqual([first]));
  expect(queue.change({ itemIds: [fourth, "unknown", third, third] as string[] })).toEqual({
    isPaused: false,
    itemIds: [fourth, third, second],
  });
  for (const next of [fourth, third, second]) {
    ends[0]?.end();
    await vi.waitFor(() => expect(running()).toEqual([next]));
  }
});

it("stops work when it is paused, also for later starts, and resumes with what was at work", async () => {
  const { database, items, queue, add, running } = await openQueue();
  const [first, second] = ["A", "B"].map(add) as [string, string];
  await vi.waitFor(() => expect(running()).toEqual([first]));
  queue.change({ isPaused: true });
  await vi.waitFor(() =>
    expect(queue.state()).toEqual({ isPaused: true, itemIds: [first, second] }),
  );
  expect([items.read(first).state, running()]).toEqual(["waiting", []]);
  const third = add("C");
  expect(running()).toEqual([]);
  expect(createQueueStore(database).read()).toEqual({ isPaused: true, itemIds: [first, second] });
  queue.change({ isPaused: false });
  await vi.waitFor(() => expect(running()).toEqual([first]));
  await queue.cancel(second);
  expect(queue.state().itemIds).toEqual([third]);
});

const leftSecAfter = (elapsedSec: number, doneSec: number): number =>
  estimateLeftSec({ expectedPace: 10, elapsedSec, doneSec, pendingSec: 600 });

it("estimates the time left before there is a result, and then by the pace of the work itself", () => {
  expect(leftSecAfter(0, 0)).toBe(60);
  expect(leftSecAfter(5, 0)).toBe(120);
  expect(leftSecAfter(100, 300)).toBeCloseTo(90);
  expect(leftSecAfter(60, 600)).toBe(0);
});

it("expects the pace of the last transcription with these options, or else with this model", () => {
  const paces = createPaces();
  const german = { ...options, language: "de" };
  const initial = paces.expected(german);
  paces.note(german, { audioSec: 10, tookSec: 1 });
  expect(paces.expected(german)).toBe(initial);
  paces.note(german, { audioSec: 400, tookSec: 10 });
  paces.note({ ...options, language: "en" }, { audioSec: 800, tookSec: 10 });
  expect([paces.expected(german), paces.expected(options)]).toEqual([40, 80]);
});

it("reports the time left from the start on", async () => {
  const { items, add, running } = await openQueue();
  const id = add("A");
  await vi.waitFor(() => expect(running()).toEqual([id]));
  expect(items.read(id).leftSec).toBeGreaterThan(0);
});

// What live speech asks of channels, whom it charges, and what it leaves, with a scripted channel.

import { readdir } from "node:fs/promises";
import { expect, it } from "vitest";
import type { Pool } from "../../../../main/engines/pool/pool.ts";
import { createModelRecognizer } from "../../../../main/jobs/transcription/live/model-recognizer.ts";
import { shippedModel } from "../../../../main/models/shipped-models.ts";
import {
  createFakeChannel,
  type FakeScript,
  rejectOnAbort,
  segment,
  toRegisteredChannel,
} from "../../../support/fake-channel.ts";
import { openTestFolder } from "../../../support/test-data.ts";
import { createTestRouter, neverAborted } from "../../../support/test-router.ts";

/** No speech is searched for here. */
const idlePool = {
  job: () => ({ pin: () => ({ session: "one", release: () => {} }) }),
} as unknown as Pool;

const span = (startSec: number, endSec: number) => ({
  fromSec: startSec - 0.3,
  toSec: endSec + 0.3,
  startSec,
  endSec,
  voicedSec: endSec - startSec,
  voiceProb: 1,
});
const pcmOf = (sec: number): Uint8Array => new Uint8Array(Math.round(sec * 16_000) * 2);

async function openRecognizer(script: FakeScript) {
  const folder = await openTestFolder();
  const channel = createFakeChannel(script);
  const { router, records } = createTestRouter([toRegisteredChannel(channel)]);
  const recognizer = createModelRecognizer(
    {
      router,
      pool: idlePool,
      tempDir: () => folder,
      vad: shippedModel("silero-vad"),
      vocabulary: () => [],
    },
    { options: { model: "whisper-1", translate: false, temperature: 0 }, caller: "key-1" },
  );
  return { recognizer, channel, records, leftovers: () => readdir(folder) };
}

async function* transcript(...segments: ReturnType<typeof segment>[]) {
  for (const each of segments) yield { type: "segment" as const, segment: each };
  const text = segments.map((each) => each.text).join(" ");
  const done = { language: "german", durationSec: 10, text, segments, failed: [] };
  yield { type: "done" as const, transcript: done };
}
const german = (startSec: number, endSec: number, text: string) => ({
  ...segment(startSec, endSec, text),
  language: "de",
});

it("settles the speech that was found as an excerpt, whose language is known after a while", async () => {
  const { recognizer, channel, records, leftovers } = await openRecognizer({
    transcribe: () => transcript(german(0.3, 5, "Guten"), german(5.5, 9.7, "Tag.")),
  });
  const spans = [span(20.3, 25), span(25.5, 29.7)];
  const segments = await recognizer.settle(pcmOf(10), spans, neverAborted);
  expect(segments.map(({ startSec, text }) => [startSec, text])).toEqual([
    [20.3, "Guten"],
    [25.5, "Tag."],
  ]);
  await recognizer.settle(pcmOf(10), spans, neverAborted);
  const [first, second] = channel.transcriptionJobs.map(({ excerpt }) => excerpt);
  const startsSec = first?.speech.map(({ startSec }) => Math.round(startSec * 10) / 10);
  expect([startsSec, first?.likelyLanguage]).toEqual([[0.3, 5.5], undefined]);
  expect(second?.likelyLanguage).toBe("de");
  expect(records).toMatchObject([
    { key: "key-1", audioSec: 10 },
    { key: "key-1", audioSec: 10 },
  ]);
  expect(await leftovers()).toEqual([]);
});

it("records a last pass that its client did not wait for, and leaves nothing", async () => {
  const { recognizer, records, leftovers } = await openRecognizer({
    // oxlint-disable-next-line require-yield -- it never gets that far
    async *transcribe(_, signal) {
      await rejectOnAbort(signal);
    },
  });
  const left = new AbortController();
  const settling = recognizer.settle(pcmOf(2), [span(0.3, 1.7)], left.signal);
  setImmediate(() => left.abort());
  await expect(settling).rejects.toThrow("abort");
  expect(records).toHaveLength(1);
  expect(await leftovers()).toEqual([]);
});

// Jobs on a disk that rejects writes for a while.

import { expect, it, onTestFinished } from "vitest";
import type { TranscriptionEvent } from "../../../main/contract/speech.ts";
import type { Item } from "../../../main/contract/library-item.ts";
import { hookWrites } from "../../../main/storage/disk.ts";
import { createFakeChannel, toRegisteredChannel, segment } from "../../support/fake-channel.ts";
import { openNarrationJobs, streamTone } from "../../support/narration-jobs.ts";
import { openTranscriptionJobs } from "../../support/transcription-jobs.ts";
import { tone, wavFile } from "../../support/test-audio.ts";

const failures = {
  full: Object.assign(new Error("database or disk is full"), {
    code: "ERR_SQLITE_ERROR",
    errcode: 13,
  }),
  busy: Object.assign(new Error("database is locked"), { code: "ERR_SQLITE_ERROR", errcode: 5 }),
  "read-only": Object.assign(new Error("attempt to write a readonly database"), {
    code: "ERR_SQLITE_ERROR",
    errcode: 8,
  }),
};

type FullDisk = { refused(): number; end(): void };

/** Rejects every write from now on. */
function refuseWrites(error: Error): FullDisk {
  let count = 0;
  const end = hookWrites(() => {
    count += 1;
    throw error;
  });
  onTestFinished(end);
  return { refused: () => count, end };
}

/** Allows writes again after some were rejected. */
async function endRefusing({ refused, end }: FullDisk): Promise<void> {
  await expect.poll(refused, { timeout: 60_000 }).toBeGreaterThan(2);
  end();
}

const toneWav = (durationSec: number): Uint8Array =>
  wavFile([tone(440, durationSec, 16_000)], 16_000);
const isOver = ({ state }: Item): boolean => ["done", "failed", "cancelled"].includes(state);

it.each(Object.entries(failures))(
  "continues a transcription once the disk accepts writes again: %s",
  async (_, error) => {
    const disk = Promise.withResolvers<FullDisk>();
    async function* transcribe(): AsyncGenerator<TranscriptionEvent> {
      yield { type: "segment", segment: segment(0, 1, "Before.") };
      disk.resolve(refuseWrites(error));
      yield { type: "segment", segment: segment(1, 2, "Meanwhile.") };
      yield { type: "progress", processedSec: 2, durationSec: 2 };
      yield {
        type: "done",
        transcript: {
          language: "english",
          durationSec: 2,
          text: "Before. Meanwhile.",
          segments: [],
          failed: [],
        },
      };
    }
    const jobs = await openTranscriptionJobs({
      channels: [toRegisteredChannel(createFakeChannel({ isLocal: true, transcribe }))],
    });
    const { id } = await jobs.add("x.wav", toneWav(2));
    await endRefusing(await disk.promise);
    expect(await jobs.waitForItem(id, isOver)).toMatchObject({ state: "done" });
    expect(jobs.textOf(id)).toBe("Before. Meanwhile.");
  },
);

it.each(Object.entries(failures))(
  "continues a narration, and synthesizes no sentence twice: %s",
  async (_, error) => {
    const disk = Promise.withResolvers<FullDisk>();
    const synthesized: string[] = [];
    const channel = createFakeChannel({
      synthesize(job) {
        synthesized.push(job.text);
        if (synthesized.length === 2) disk.resolve(refuseWrites(error));
        return streamTone(job.text);
      },
    });
    const { narrationJobs, items, create } = await openNarrationJobs({
      channels: [toRegisteredChannel(channel)],
    });
    const id = create("One is first. Two is second. Three is third.");
    await narrationJobs.generate(id, {});
    await endRefusing(await disk.promise);
    await narrationJobs.whenIdle(id);
    expect(items.read(id)).toMatchObject({ state: "done", progress: 1 });
    expect(synthesized).toHaveLength(3);
  },
);

it("leaves nothing of a file behind that does not fit", async () => {
  const jobs = await openTranscriptionJobs({
    channels: [toRegisteredChannel(createFakeChannel({ isLocal: true }))],
  });
  const { end } = refuseWrites(failures.full);
  await expect(jobs.add("x.wav", toneWav(1))).rejects.toMatchObject({ errcode: 13 });
  end();
  expect(jobs.items.list()).toEqual([]);
});

// Speakers told apart by engine processes: on their own, and in a transcription of the library.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasSharedAudio, sharedAudioDir } from "../support/recordings.ts";
import { silence, wavFile } from "../support/test-audio.ts";
import { openTranscriptionJobs } from "../support/transcription-jobs.ts";

const recording = join(sharedAudioDir, "speakers", "ami-sample.ogg");

describe.runIf(hasSharedAudio)("a transcription of the library", () => {
  it("names who says what, where it is asked to", async () => {
    const jobs = await openTranscriptionJobs();
    const { id } = await jobs.add("meeting.ogg", await readFile(recording), { speakers: {} });
    await jobs.waitForItem(id, ({ state }) => state === "done");
    const { segments } = jobs.documents.read(id);
    const saidBy = (name: string): string =>
      segments
        .filter(({ speaker }) => speaker === name)
        .map(({ text }) => text)
        .join(" ");
    expect(new Set(segments.map(({ speaker }) => speaker))).toEqual(new Set(["A", "B"]));
    expect(saidBy("A")).toMatch(/Diane/);
    expect(saidBy("B")).toMatch(/Texas/);
    expect(new Set(segments.map((segment) => segment.id)).size).toBe(segments.length);
    expect(await readdir(join(jobs.dataDir, "tmp"))).toEqual([]);
  });

  it("keeps to a number of speakers that is given, and names nobody unless asked to", async () => {
    const jobs = await openTranscriptionJobs();
    const bytes = await readFile(recording);
    const one = await jobs.add("one.ogg", bytes, { speakers: { max: 1 } });
    const none = await jobs.add("none.ogg", bytes);
    for (const { id } of [one, none]) await jobs.waitForItem(id, ({ state }) => state === "done");
    const speakersOf = (id: string) =>
      new Set(jobs.documents.read(id).segments.map(({ speaker }) => speaker));
    expect(speakersOf(one.id)).toEqual(new Set(["A"]));
    expect(speakersOf(none.id)).toEqual(new Set([undefined]));
  });
});

it("invents nobody in silence", async () => {
  const jobs = await openTranscriptionJobs();
  const { id } = await jobs.add("silence.wav", wavFile([silence(3, 16_000)], 16_000), {
    speakers: {},
  });
  await jobs.waitForItem(id, ({ state }) => state === "done");
  expect(jobs.documents.read(id).segments).toEqual([]);
});

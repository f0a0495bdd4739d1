// Speakers told apart by engine processes: on their own, and in a transcription of the library.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { floatToPcm, joinSamples } from "../../main/audio/codec/pcm.ts";
import { hasSharedAudio, readSamples, sharedAudioDir } from "../support/recordings.ts";
import { silence, wavFile } from "../support/test-audio.ts";
import { openTranscriptionJobs, parseOptions } from "../support/transcription-jobs.ts";

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

    const { signal } = new AbortController();
    await jobs.rememberedVoices.remember({ itemId: id, speaker: "B", name: "Tess" }, signal);
    expect(await readdir(join(jobs.dataDir, "tmp"))).toEqual([]);
    const later = await jobs.add("later.ogg", await readFile(recording), { speakers: {} });
    await jobs.waitForItem(later.id, ({ state }) => state === "done");
    const { recognized = {}, ...document } = jobs.documents.read(later.id);
    expect(document.segments.map(({ speaker }) => speaker)).toEqual(
      segments.map(({ speaker }) => (speaker === "B" ? "Tess" : speaker)),
    );
    expect(Object.keys(recognized)).toEqual(["Tess"]);
    expect(recognized["Tess"]).toBeGreaterThan(0.9);
  });

  it("keeps to a number of speakers that is given, and names nobody unless asked to", async () => {
    const jobs = await openTranscriptionJobs();
    const bytes = await readFile(recording);
    const one = await jobs.add("one.ogg", bytes, { speakers: { max: 1 } });
    const none = await jobs.add("none.ogg", bytes);
    for (const { id } of [one, none]) await jobs.waitForItem(id, ({ state }) => state === "done");
    expect(speakersOf(jobs.documents.read(one.id).segments)).toEqual(new Set(["A"]));
    expect(speakersOf(jobs.documents.read(none.id).segments)).toEqual(new Set([undefined]));
  });
});

const speakersOf = (segments: readonly { speaker?: string | undefined }[]) =>
  new Set(segments.map(({ speaker }) => speaker));

it.runIf(hasSharedAudio)("shows who speaks while a recording runs", async () => {
  const jobs = await openTranscriptionJobs();
  const { recordings } = jobs.transcriptionJobs;
  const { id } = await recordings.begin("Meeting", parseOptions({ speakers: {} }));
  const samples = readSamples(recording, 16_000);
  const cut = 15 * 16_000;
  // A pause, at which what was said is transcribed.
  const pcm = floatToPcm(
    joinSamples([samples.subarray(0, cut), silence(2, 16_000), samples.subarray(cut)]),
  );
  const append = (toSec: number) => recordings.append(id, 0, pcm.subarray(0, toSec * 32_000));
  const announced = () =>
    jobs.publishedEvents.flatMap((event) =>
      event.type === "segments"
        ? event.segments.flatMap(({ speaker }) => (speaker === undefined ? [] : [speaker]))
        : [],
    );
  const timeout = 60_000;
  await append(19);
  const isTranscribed = () => expect(jobs.documents.read(id).segments).not.toEqual([]);
  await vi.waitFor(isTranscribed, { timeout });
  const isLabelled = async () => {
    // A window sends again what is not confirmed yet.
    await append(32);
    expect(announced()).toContain("A");
  };
  await vi.waitFor(isLabelled, { timeout });
  expect(speakersOf(jobs.documents.read(id).segments)).toEqual(new Set([undefined]));
  await recordings.end(id);
  await jobs.waitForItem(id, ({ state }) => state === "done");
  const { segments } = jobs.documents.read(id);
  expect(speakersOf(segments)).toEqual(new Set(["A", "B"]));
  expect(segments.find(({ text }) => text.includes("Texas"))?.speaker).toBe("B");
});

it("invents nobody in silence", async () => {
  const jobs = await openTranscriptionJobs();
  const { id } = await jobs.add("silence.wav", wavFile([silence(3, 16_000)], 16_000), {
    speakers: {},
  });
  await jobs.waitForItem(id, ({ state }) => state === "done");
  expect(jobs.documents.read(id).segments).toEqual([]);
});

// Narrations with the real voices: generated, transcribed as a check, exported as files and read back.

import { readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { openDecoder } from "../../../main/audio/codec/decode.ts";
import { openLoudnessMeter } from "../../../main/audio/dsp/loudness.ts";
import { narrationExport } from "../../../main/contract/narration.ts";
import { isAlive } from "../../support/app.ts";
import { waitUntil } from "../../support/command-line.ts";
import { startHearsay } from "../../support/hearsay-process.ts";
import { openNarrationJobs } from "../../support/narration-jobs.ts";

const never = new AbortController().signal;

function measure(path: string): { durationSec: number; lufs: number } {
  const decoder = openDecoder(path, { sampleRateHz: 24_000 });
  const meter = openLoudnessMeter(24_000);
  let samples = 0;
  for (let block = decoder.read(); block !== undefined; block = decoder.read()) {
    samples += block.length;
    meter.add(block);
  }
  decoder.close();
  const lufs = meter.lufs() ?? Number.NaN;
  meter.close();
  return { durationSec: samples / 24_000, lufs };
}

it("generates a script, finds every word in its transcription, and exports an audiobook", async () => {
  const { narrationJobs, items, create, generateAndWait } = await openNarrationJobs();
  const id = create(
    [
      "# The river",
      "The old man walked slowly down to the river. He had twenty dollars in his pocket.",
      '[onyx] "Good morning," said the boatman. [pause 2s] "Where do you want to go?"',
      "# The sea",
      "[nova] They reached the ocean before the sun went down.",
    ].join("\n\n"),
  );
  await generateAndWait(id);
  expect(items.read(id)).toMatchObject({ state: "done", channels: ["local"], language: "en" });
  await narrationJobs.checkSentences(id);
  await narrationJobs.whenIdle(id);
  const { sentences } = await narrationJobs.read(id);
  expect(
    sentences
      .filter(({ text }) => text.length > 20)
      .flatMap(({ missed }) => missed ?? ["not transcribed"]),
  ).toEqual([]);

  const spokenSec =
    sentences.reduce(
      (sum, { takes, pauseSec }) => sum + (takes[0]?.durationSec ?? 0) + pauseSec,
      0,
    ) - (sentences.at(-1)?.pauseSec ?? 0);
  await narrationJobs.saveDetails(id, { title: "Two waters" });
  const book = await narrationJobs.exportAudiobook(
    id,
    narrationExport.parse({ format: "m4b", normalise: true, subtitles: "srt" }),
    never,
  );
  expect(book.files.map(({ name, extension }) => `${name}.${extension}`)).toEqual([
    "Two waters.m4b",
    "Two waters.srt",
  ]);
  const { durationSec, lufs } = measure(book.files[0]?.path ?? "");
  expect(durationSec).toBeCloseTo(spokenSec, 1);
  expect(lufs).toBeCloseTo(-16, 0);
  const subtitles = readFileSync(book.files[1]?.path ?? "", "utf8");
  expect(subtitles).toMatch(/The old man walked\s+slowly down to the river\./);
  await book.remove();

  const chapters = await narrationJobs.exportAudiobook(
    id,
    narrationExport.parse({ format: "mp3", perChapter: true }),
    never,
  );
  expect(chapters.files.map(({ name }) => name)).toEqual(["1 The river", "2 The sea"]);
  const chapterSec = chapters.files.map(({ path }) => measure(path).durationSec);
  expect(chapterSec.reduce((sum, sec) => sum + sec, 0)).toBeCloseTo(spokenSec - 0.75, 0);
  await chapters.remove();
});

it("generates another take that sounds different and is equally intelligible", async () => {
  const { narrationJobs, create, generateAndWait } = await openNarrationJobs();
  const id = create(
    "The old man walked slowly down to the river, and nobody asked him why he had come so early.",
  );
  await generateAndWait(id);
  const [sentence] = (await narrationJobs.read(id)).sentences;
  for (let count = 0; count < 4; count++) {
    await generateAndWait(id, { sentenceIds: [sentence?.id ?? ""], isNewTake: true });
    await narrationJobs.checkSentences(id);
    await narrationJobs.whenIdle(id);
    expect((await narrationJobs.read(id)).sentences[0]?.missed).toEqual([]);
  }
  const takes = ((await narrationJobs.read(id)).sentences[0]?.takes ?? []).map((take) => ({
    ...take,
    ...measure(narrationJobs.takePath(id, take.id)),
  }));
  expect(new Set(takes.map(({ durationSec }) => durationSec.toFixed(2))).size).toBeGreaterThan(3);
  for (const { lufs, durationSec } of takes) {
    expect(Math.abs(lufs - (takes[0]?.lufs ?? 0))).toBeLessThan(0.7);
    expect(Math.abs(durationSec / (takes[0]?.durationSec ?? 1) - 1)).toBeLessThan(0.05);
  }
});

it("reports what is missing instead of exporting an audiobook with gaps", async () => {
  const { narrationJobs, create } = await openNarrationJobs();
  const id = create("One here. Two here.");
  await expect(
    narrationJobs.exportAudiobook(id, narrationExport.parse({ format: "wav" }), never),
  ).rejects.toThrow("2 of 2 sentences have not been generated yet. Generate them first.");
});

it("resumes an audiobook after the app was killed, with every sentence that was generated", async () => {
  const hearsay = await startHearsay();
  onTestFinished(hearsay.close);
  const script = Array.from(
    { length: 60 },
    (_, place) => `This is sentence number ${place + 1} of a long book.`,
  ).join(" ");
  const { id } = await hearsay.app("createNarration", { script, options: { model: "tts-1" } });
  await hearsay.app("makeNarration", {}, id);
  const taken = async () =>
    (await hearsay.app("readNarration", undefined, id)).sentences.flatMap(({ takes }) =>
      takes.map((take) => take.id),
    );
  await waitUntil(async () => (await taken()).length >= 5);
  const before = await taken();
  process.kill(hearsay.pid, "SIGKILL");
  await waitUntil(() => !isAlive(hearsay.pid));
  expect(before.length).toBeLessThan(60);

  const { narrationJobs, items } = await openNarrationJobs({ dataDir: hearsay.dataDir });
  expect(items.read(id).state).toBe("running");
  await narrationJobs.resume();
  await narrationJobs.whenIdle(id);
  const after = (await narrationJobs.read(id)).sentences.map(({ takes }) =>
    takes.map((take) => take.id),
  );
  expect(after.map((takes) => takes.length)).toEqual(Array(60).fill(1));
  expect(after.flat()).toEqual(expect.arrayContaining(before));
  for (const take of before)
    expect(measure(narrationJobs.takePath(id, take)).durationSec).toBeGreaterThan(1);
});

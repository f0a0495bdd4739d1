// Files into transcripts: with the real engines, and with channels that respond like providers.

import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { appError } from "../../support/app-error.ts";
import type { Item } from "../../../main/contract/library-item.ts";
import { joinSamples } from "../../../main/audio/codec/pcm.ts";
import { isAlive } from "../../support/app.ts";
import { waitUntil } from "../../support/command-line.ts";
import { startHearsay } from "../../support/hearsay-process.ts";
import {
  createFakeChannel,
  type FakeChannel,
  toRegisteredChannel,
  segment,
  streamTranscript,
} from "../../support/fake-channel.ts";
import { tenSentences } from "../../support/english-texts.ts";
import {
  encodeMedia,
  encodeAudio,
  rootMeanSquare,
  noise,
  silence,
  tone,
  videoFile,
} from "../../support/test-audio.ts";
import { openTranscriptionJobs, parseOptions } from "../../support/transcription-jobs.ts";
import {
  audioDurationSec,
  normalizeWords,
  synthesizeSamples,
  voiceSampleRateHz,
} from "../../support/test-data.ts";

const sentence = "The captain knows nearly all of them by name.";
const later = "By evening the water is quiet again.";
let short: Float32Array;
let story: Float32Array;
const isOver = ({ state }: Item): boolean => ["done", "failed", "cancelled"].includes(state);

beforeAll(async () => {
  const [one, other] = [await synthesizeSamples(sentence), await synthesizeSamples(later)];
  short = joinSamples([one, silence(1, voiceSampleRateHz), other]);
  story = await synthesizeSamples(tenSentences);
});

describe("a file", () => {
  it("becomes a transcript whose segments are published as they arrive, with a waveform", async () => {
    const jobs = await openTranscriptionJobs();
    const item = await jobs.add("My interview.mp3", encodeAudio(short, voiceSampleRateHz, "mp3"));
    expect(item).toMatchObject({ title: "My interview", kind: "transcript", source: "file" });
    expect(await jobs.waitForItem(item.id, isOver)).toMatchObject({
      state: "done",
      progress: 1,
      isPartial: false,
      channels: ["local"],
      language: "en",
    });
    expect(normalizeWords(jobs.textOf(item.id))).toBe(normalizeWords(`${sentence} ${later}`));
    const { segments } = jobs.documents.read(item.id);
    expect(
      jobs.publishedEvents.flatMap((event) => (event.type === "segments" ? event.segments : [])),
    ).toEqual(segments);
    expect(segments[0]?.words.map(({ word }) => word).join(" ")).toContain("captain");
    expect(jobs.usageRecords).toMatchObject([
      { key: "window", endpoint: "transcriptions", status: 200, channel: "local" },
    ]);
    const peaks = await readFile(await jobs.transcriptionJobs.media.peaks(item.id));
    const { durationSec } = jobs.items.read(item.id);
    expect(Math.abs(peaks.length / 2 - durationSec * 100)).toBeLessThan(2);
    expect(await jobs.transcriptionJobs.media.playable(item.id)).toMatchObject({
      type: "audio/mpeg",
    });
  });

  it("without speech has no language, whichever was requested", async () => {
    const jobs = await openTranscriptionJobs();
    const { id } = await jobs.add(
      "kettle.wav",
      encodeAudio(silence(3, voiceSampleRateHz), voiceSampleRateHz, "wav"),
      { language: "de" },
    );
    expect(await jobs.waitForItem(id, isOver)).toMatchObject({ state: "done", language: "" });
    expect(jobs.documents.read(id)).toMatchObject({ language: "", segments: [] });
  });

  it("may be a video", async () => {
    const jobs = await openTranscriptionJobs();
    const { id } = await jobs.add(
      "holiday.mp4",
      videoFile(3, { samples: await synthesizeSamples(sentence), sampleRateHz: voiceSampleRateHz }),
    );
    expect((await jobs.waitForItem(id, isOver)).state).toBe("done");
    expect(normalizeWords(jobs.textOf(id))).toBe(normalizeWords(sentence));
  });

  it("that browsers cannot play gets a copy that they can", async () => {
    const jobs = await openTranscriptionJobs();
    const { id } = await jobs.add(
      "old.mkv",
      encodeMedia({
        muxer: "matroska",
        audio: { codec: "pcm_s16be", samples: short, sampleRateHz: voiceSampleRateHz },
      }),
    );
    await jobs.waitForItem(id, ({ hasMedia }) => hasMedia);
    const { path, type } = await jobs.transcriptionJobs.media.playable(id);
    expect(type).toBe("audio/ogg");
    expect(Math.abs(audioDurationSec(path) - short.length / voiceSampleRateHz)).toBeLessThan(0.05);
    await jobs.waitForItem(id, isOver);
  });

  it("that is not audio is refused, and nothing of it is left", async () => {
    const jobs = await openTranscriptionJobs();
    await expect(
      jobs.add("letter.txt", Buffer.from("Dear Sir, ".repeat(1000))),
    ).rejects.toMatchObject({ key: "undecodable_audio" });
    await expect(
      jobs.add("x.wav", encodeAudio(short, voiceSampleRateHz, "wav"), { model: "no-such" }),
    ).rejects.toMatchObject({ key: "unknown_model" });
    expect(jobs.items.list()).toEqual([]);
    expect(await readdir(join(jobs.dataDir, "tmp"))).toEqual([]);
  });

  it("is refused with options that its model cannot fulfil, before it is stored", async () => {
    const jobs = await openTranscriptionJobs();
    const bytes = encodeAudio(short, voiceSampleRateHz, "wav");
    await expect(
      jobs.add("x.wav", bytes, { model: "moonshine-base", language: "de" }),
    ).rejects.toMatchObject({ key: "unsupported_language", param: "language" });
    await expect(
      jobs.add("x.wav", bytes, { model: "moonshine-base", language: "de", translate: true }),
    ).rejects.toMatchObject({ sent: { id: "language.noTranslation" } });
    expect(jobs.items.list()).toEqual([]);
  });

  it("keeps a prompt that its model does not take, which the window says", async () => {
    const jobs = await openTranscriptionJobs();
    const options = { model: "moonshine-base", prompt: "Hibari" };
    const { id } = await jobs.add("x.wav", encodeAudio(short, voiceSampleRateHz, "wav"), options);
    expect((await jobs.waitForItem(id, isOver)).state).toBe("done");
    expect(jobs.documents.readHeader(id).options.prompt).toBe("Hibari");
  });

  it("is transcribed for the requested range only, with the times of the whole file", async () => {
    const jobs = await openTranscriptionJobs();
    const fromSec = (await synthesizeSamples(sentence)).length / voiceSampleRateHz + 0.5;
    const { id } = await jobs.add("part.flac", encodeAudio(short, voiceSampleRateHz, "flac"), {
      fromSec,
    });
    await jobs.waitForItem(id, isOver);
    expect(normalizeWords(jobs.textOf(id))).toBe(normalizeWords(later));
    expect(jobs.documents.read(id).segments[0]?.startSec).toBeGreaterThan(fromSec);
  });
});

describe("interrupted work", () => {
  it("continues after the last segment when the app starts again", async () => {
    const first = await openTranscriptionJobs();
    const { id } = await first.add("story.wav", encodeAudio(story, voiceSampleRateHz, "wav"));
    // In progress: some segments exist, but not all.
    await first.waitForItem(
      id,
      () => first.documents.has(id) && first.documents.readHeader(id).segmentCount > 0,
    );
    await first.close();
    const second = await openTranscriptionJobs({ dataDir: first.dataDir });
    const before = second.documents.read(id).segments;
    expect(second.items.read(id).state).toBe("running");
    expect(before.length).toBeGreaterThan(0);
    await second.transcriptionJobs.resume();
    expect((await second.waitForItem(id, isOver)).state).toBe("done");
    const after = second.documents.read(id).segments;
    expect(after.slice(0, before.length)).toEqual(before);
    expect(normalizeWords(second.textOf(id)).split(" ").length).toBeGreaterThan(175);
    expect(normalizeWords(second.textOf(id))).toContain(
      "brings everybody home before it gets dark",
    );
  });

  it("continues where it was cancelled, and a second start of a finished file creates a new item", async () => {
    const jobs = await openTranscriptionJobs();
    const { id } = await jobs.add("story.wav", encodeAudio(story, voiceSampleRateHz, "wav"));
    await jobs.waitForItem(id, ({ state }) => state === "running");
    await jobs.transcriptionJobs.stopWork(id);
    expect(jobs.items.read(id).state).toBe("cancelled");
    expect((await jobs.transcriptionJobs.start(id, parseOptions())).id).toBe(id);
    expect((await jobs.transcriptionJobs.start(id, parseOptions())).id).toBe(id);
    expect((await jobs.waitForItem(id, isOver)).state).toBe("done");
    const text = jobs.textOf(id);
    const other = await jobs.transcriptionJobs.start(id, parseOptions({ fromSec: 0, toSec: 3 }));
    expect(other.id).not.toBe(id);
    expect((await jobs.waitForItem(other.id, isOver)).state).toBe("done");
    expect(jobs.textOf(id)).toBe(text);
    expect(text.startsWith(jobs.textOf(other.id).slice(0, 20))).toBe(true);
  });
});

/**
 * A channel that fails from second 3 to second 6 of a recording until `heal` is called. `sent`: durations of the files.
 */
function failing(): { channel: FakeChannel; heal(): void; sent: number[] } {
  const sent: number[] = [];
  let isIll = true;
  const channel = createFakeChannel({
    isLocal: true,
    async *transcribe(job) {
      const seconds = audioDurationSec(job.mediaPath);
      sent.push(seconds);
      const failed = { startSec: 3, endSec: 6, message: "The engine failed twice." };
      const isWhole = seconds > 5;
      if (isIll)
        yield {
          type: "failed",
          range: isWhole ? failed : { ...failed, startSec: 0, endSec: seconds },
        };
      const segments = isWhole
        ? [segment(0, 2.9, "before"), segment(6.1, 9, "after")]
        : isIll
          ? []
          : [segment(0.2, 2.8, "between")];
      yield* streamTranscript({
        language: "english",
        durationSec: seconds,
        text: "",
        segments,
        failed: isIll ? [failed] : [],
      });
    },
  });
  return { channel, sent, heal: () => void (isIll = false) };
}

it("resumes a file after the whole app was killed, with every transcribed segment", async () => {
  const hearsay = await startHearsay();
  onTestFinished(hearsay.close);
  const twice = encodeAudio(joinSamples([story, story]), voiceSampleRateHz, "flac");
  const uploaded = await fetch(new URL("/app/uploads?name=story.flac", hearsay.baseUrl), {
    method: "POST",
    body: twice as BodyInit,
    headers: { authorization: `Bearer ${hearsay.key}` },
  });
  const { id } = (await uploaded.json()) as Item;
  const storedSegments = async () => (await hearsay.app("readDocument", undefined, id)).segments;
  await waitUntil(async () => (await storedSegments()).length > 0);
  const before = await storedSegments();
  process.kill(hearsay.pid, "SIGKILL");
  await waitUntil(() => !isAlive(hearsay.pid));

  const jobs = await openTranscriptionJobs({ dataDir: hearsay.dataDir });
  expect(jobs.items.read(id).state).toBe("running");
  await jobs.transcriptionJobs.resume();
  expect(await jobs.waitForItem(id, isOver)).toMatchObject({
    state: "done",
    isPartial: false,
    hasMedia: true,
  });
  const { segments } = jobs.documents.read(id);
  expect(segments.slice(0, before.length)).toEqual(before);
  const words = normalizeWords(jobs.textOf(id));
  expect(words.split("brings everybody home before it gets dark")).toHaveLength(3);
  expect(words.split(" ").length).toBeGreaterThan(350);
});

describe("failed ranges", () => {
  it("are retranscribed in place, and nothing else is", async () => {
    const { channel, sent, heal } = failing();
    const jobs = await openTranscriptionJobs({ channels: [toRegisteredChannel(channel)] });
    const { id } = await jobs.add("nine.wav", encodeAudio(tone(300, 9, 16_000), 16_000, "wav"));
    expect(await jobs.waitForItem(id, isOver)).toMatchObject({ state: "done", isPartial: true });
    expect(jobs.transcriptionJobs.retranscribeFailed(id).state).toBe("waiting");
    // Fails again: the range stays in the list, once.
    expect(await jobs.waitForItem(id, isOver)).toMatchObject({ state: "done", isPartial: true });
    expect(jobs.documents.read(id).failed).toHaveLength(1);
    heal();
    jobs.transcriptionJobs.retranscribeFailed(id);
    expect(await jobs.waitForItem(id, isOver)).toMatchObject({
      state: "done",
      isPartial: false,
      progress: 1,
    });
    const { segments, failed } = jobs.documents.read(id);
    expect(segments.map(({ text, startSec }) => `${text} ${startSec.toFixed(1)}`)).toEqual([
      "before 0.0",
      "between 3.2",
      "after 6.1",
    ]);
    expect(failed).toEqual([]);
    expect(sent.map(Math.round)).toEqual([9, 3, 3]);
    expect(jobs.items.list()).toHaveLength(1);
    expect(() => jobs.transcriptionJobs.retranscribeFailed(id)).toThrowError(
      expect.objectContaining({ key: "invalid_request" }),
    );
  });

  it("are retried after a restart when the app ended during the retry", async () => {
    const { channel, heal } = failing();
    const first = await openTranscriptionJobs({ channels: [toRegisteredChannel(channel)] });
    const { id } = await first.add("nine.wav", encodeAudio(tone(300, 9, 16_000), 16_000, "wav"));
    await first.waitForItem(id, isOver);
    first.transcriptionJobs.retranscribeFailed(id);
    await first.close();
    heal();
    const second = await openTranscriptionJobs({
      dataDir: first.dataDir,
      channels: [toRegisteredChannel(channel)],
    });
    await second.transcriptionJobs.resume();
    expect(await second.waitForItem(id, isOver)).toMatchObject({ state: "done", isPartial: false });
    expect(second.textOf(id)).toBe("before between after");
  });
});

it("retranscribes a range without changing the transcript", async () => {
  const jobs = await openTranscriptionJobs();
  const { id } = await jobs.add("short.wav", encodeAudio(short, voiceSampleRateHz, "wav"));
  await jobs.waitForItem(id, isOver);
  const { segments } = jobs.documents.read(id);
  const fromSec = (segments[1]?.startSec ?? 0) - 0.3;
  const again = await jobs.transcriptionJobs.retranscribe(
    id,
    { ...parseOptions({ language: "en" }), fromSec, toSec: segments[1]?.endSec ?? 0 },
    new AbortController().signal,
  );
  expect(normalizeWords(again.segments.map(({ text }) => text).join(" "))).toBe(
    normalizeWords(later),
  );
  expect(again.segments[0]?.startSec).toBeGreaterThanOrEqual(fromSec);
  expect(again.channel).toBe("local");
  expect(jobs.documents.read(id).segments).toEqual(segments);
  const progressValues = jobs.publishedEvents.flatMap((event) =>
    event.type === "hear-again" && event.itemId === id ? [event.progress] : [],
  );
  expect(progressValues).toEqual(progressValues.toSorted((one, other) => one - other));
  expect(progressValues.at(-1)).toBe(1);
});

it("transcribes long files one after the other, and short ones alongside", async () => {
  const begun: number[] = [];
  const gates = new Map<number, PromiseWithResolvers<void>>();
  const gateOf = (seconds: number): PromiseWithResolvers<void> => {
    const gate = gates.get(seconds) ?? Promise.withResolvers<void>();
    gates.set(seconds, gate);
    return gate;
  };
  const channel = createFakeChannel({
    isLocal: true,
    async *transcribe(job) {
      const mediaPath = job.mediaPath;
      const seconds = Math.round(audioDurationSec(mediaPath));
      begun.push(seconds);
      await gateOf(seconds).promise;
      yield* streamTranscript({
        language: "english",
        durationSec: seconds,
        text: "",
        segments: [],
        failed: [],
      });
    },
  });
  const jobs = await openTranscriptionJobs({ channels: [toRegisteredChannel(channel)] });
  const add = async (seconds: number): Promise<string> =>
    (await jobs.add(`${seconds}.wav`, encodeAudio(tone(300, seconds, 16_000), 16_000, "wav"))).id;
  const [first, second, small] = [await add(100), await add(101), await add(5)];
  gateOf(5).resolve();
  await jobs.waitForItem(small, isOver);
  expect(jobs.items.read(first).state).toBe("running");
  expect(jobs.items.read(second).state).toBe("waiting");
  gateOf(100).resolve();
  gateOf(101).resolve();
  await jobs.waitForItem(second, isOver);
  expect(begun).toEqual([100, 5, 101]);
});

/** Twelve times the story is more than a provider accepts as WAV. */
const longSec = (): number => (12 * story.length) / voiceSampleRateHz;
const long = (): Uint8Array =>
  encodeAudio(joinSamples(Array.from({ length: 12 }, () => story)), voiceSampleRateHz, "flac");
const sumSec = (sent: readonly { seconds: number }[]): number =>
  sent.reduce((sum, { seconds }) => sum + seconds, 0);

/** A channel of a provider. `sent`: duration and size of each file it received. */
function provider(
  answer: (
    seconds: number,
    count: number,
    channel: FakeChannel,
  ) => ReturnType<typeof streamTranscript>,
): { channel: FakeChannel; sent: { seconds: number; sizeBytes: number }[] } {
  const sent: { seconds: number; sizeBytes: number }[] = [];
  const channel: FakeChannel = createFakeChannel({
    name: "cloud",
    async *transcribe(job) {
      const mediaPath = job.mediaPath;
      const seconds = audioDurationSec(mediaPath);
      sent.push({ seconds, sizeBytes: (await stat(mediaPath)).size });
      yield* answer(seconds, sent.length, channel);
    },
  });
  return { channel, sent };
}

describe("a remote provider", () => {
  it("receives a long file in ranges within its limit, cut at pauses, and the words return at their original times", async () => {
    const { channel, sent } = provider((seconds, count) =>
      streamTranscript({
        language: "english",
        durationSec: seconds,
        text: `part ${count}`,
        segments: [segment(0, 1, `part ${count}`)],
        failed: [],
      }),
    );
    const jobs = await openTranscriptionJobs({ channels: [toRegisteredChannel(channel)] });
    const { id } = await jobs.add("long.flac", long());
    expect(await jobs.waitForItem(id, isOver)).toMatchObject({
      state: "done",
      channels: ["cloud"],
    });
    expect(sent.length).toBeGreaterThan(2);
    expect(Math.max(...sent.map(({ sizeBytes }) => sizeBytes))).toBeLessThan(25_000_000);
    // Only short pauses are left out.
    expect(sumSec(sent) / longSec()).toBeGreaterThan(0.97);
    expect(sumSec(sent)).toBeLessThanOrEqual(longSec());
    const places = jobs.documents.read(id).segments.map(({ startSec }) => startSec);
    expect(places).toHaveLength(sent.length);
    const samples = joinSamples(Array.from({ length: 12 }, () => story));
    for (const place of places.slice(1))
      expect(
        rootMeanSquare(
          samples.subarray((place - 0.03) * voiceSampleRateHz, (place + 0.03) * voiceSampleRateHz),
        ),
      ).toBeLessThan(0.02);
    expect(await readdir(join(jobs.dataDir, "tmp"))).toEqual([]);
  });

  it("that returns only text receives shorter ranges", async () => {
    const { channel, sent } = provider(async function* (seconds, count, { transcriptionJobs }) {
      if (transcriptionJobs.at(-1)?.textOnly !== true)
        throw appError(
          "invalid_value",
          "response_format 'verbose_json' is not compatible with model 'gpt-4o-transcribe'",
          { param: "response_format" },
        );
      yield { type: "text", text: `part ${count}` };
      yield {
        type: "done",
        transcript: {
          language: "",
          durationSec: seconds,
          text: `part ${count}`,
          segments: [],
          failed: [],
        },
      };
    });
    const jobs = await openTranscriptionJobs({ channels: [toRegisteredChannel(channel)] });
    const { id } = await jobs.add(
      "two minutes.wav",
      encodeAudio(joinSamples([story, story]), voiceSampleRateHz, "wav"),
    );
    expect((await jobs.waitForItem(id, isOver)).state).toBe("done");
    expect(Math.max(...sent.slice(1).map(({ seconds }) => seconds))).toBeLessThanOrEqual(30);
    const { segments } = jobs.documents.read(id);
    expect(segments).toHaveLength(sent.length - 1);
    for (const [at, { startSec }] of segments.entries())
      expect(startSec - (segments[at - 1]?.endSec ?? 0)).toBeLessThan(1);
    expect((segments.at(-1)?.endSec ?? 0) / ((2 * story.length) / voiceSampleRateHz)).toBeCloseTo(
      1,
      1,
    );
  });

  it("receives no silence, and nothing at all of a file without speech", async () => {
    const { channel, sent } = provider((seconds, count) =>
      streamTranscript({
        language: "english",
        durationSec: seconds,
        text: `part ${count}`,
        segments: [segment(0.5, seconds, `part ${count}`)],
        failed: [],
      }),
    );
    const jobs = await openTranscriptionJobs({ channels: [toRegisteredChannel(channel)] });
    const spokenSec = short.length / voiceSampleRateHz;
    const { id } = await jobs.add(
      "memo.wav",
      encodeAudio(
        joinSamples([
          silence(40, voiceSampleRateHz),
          short,
          silence(60, voiceSampleRateHz),
          short,
          silence(40, voiceSampleRateHz),
        ]),
        voiceSampleRateHz,
        "wav",
      ),
    );
    expect(await jobs.waitForItem(id, isOver)).toMatchObject({ state: "done", isPartial: false });
    expect(sent).toHaveLength(2);
    for (const { seconds } of sent) expect(Math.abs(seconds - spokenSec)).toBeLessThan(1.2);
    const [first, second] = jobs.documents.read(id).segments;
    expect(Math.abs((first?.startSec ?? 0) - 40)).toBeLessThan(1);
    expect(Math.abs((second?.startSec ?? 0) - (100 + spokenSec))).toBeLessThan(1);
    const quiet = await jobs.add("quiet.wav", encodeAudio(noise(30, 16_000, 0.001), 16_000, "wav"));
    expect(await jobs.waitForItem(quiet.id, isOver)).toMatchObject({
      state: "done",
      channels: [],
    });
    expect(sent).toHaveLength(2);
  });

  it("receives the speech of a range, also when retranscribing, and the times are those of the whole file", async () => {
    const { channel, sent } = provider((seconds) =>
      streamTranscript({
        language: "english",
        durationSec: seconds,
        text: "said",
        segments: [segment(0.5, seconds, "said")],
        failed: [],
      }),
    );
    const jobs = await openTranscriptionJobs({ channels: [toRegisteredChannel(channel)] });
    const spokenSec = short.length / voiceSampleRateHz;
    const bytes = encodeAudio(
      joinSamples([short, silence(30, voiceSampleRateHz), short]),
      voiceSampleRateHz,
      "wav",
    );
    const { id } = await jobs.add("part.wav", bytes, {
      fromSec: spokenSec + 10,
      toSec: 2 * spokenSec + 30,
    });
    await jobs.waitForItem(id, isOver);
    expect(sent).toHaveLength(1);
    expect(
      Math.abs((jobs.documents.read(id).segments[0]?.startSec ?? 0) - (spokenSec + 30)),
    ).toBeLessThan(1);
    const again = await jobs.transcriptionJobs.retranscribe(
      id,
      { ...parseOptions(), fromSec: 0, toSec: spokenSec + 20 },
      new AbortController().signal,
    );
    expect(again.segments).toHaveLength(1);
    expect(again.segments[0]?.endSec).toBeLessThan(spokenSec + 1);
  });

  it("is listed as a recipient of the audio as soon as a retranscription is requested, whether it succeeds or not", async () => {
    const refusing = createFakeChannel({
      name: "cloud",
      models: [{ id: "other", created: 0, ownedBy: "cloud", kind: "speech-to-text" }],
      transcribe: () => {
        throw appError("invalid_request", "No.");
      },
    });
    const jobs = await openTranscriptionJobs({
      channels: [
        toRegisteredChannel(createFakeChannel({ name: "local", isLocal: true })),
        toRegisteredChannel(refusing),
      ],
    });
    const { id } = await jobs.add("short.wav", encodeAudio(short, voiceSampleRateHz, "wav"));
    expect(await jobs.waitForItem(id, isOver)).toMatchObject({ channels: ["local"] });
    await expect(
      jobs.transcriptionJobs.retranscribe(
        id,
        { ...parseOptions({ model: "other" }), fromSec: 0, toSec: 3 },
        new AbortController().signal,
      ),
    ).rejects.toThrow("No.");
    expect(jobs.items.read(id).channels).toEqual(["local", "cloud"]);
  });

  it("that fails midway leaves the finished segments, reports why, and is not sent those ranges again", async () => {
    const { channel, sent } = provider((seconds, count) => {
      if (count === 2) throw appError("invalid_request", "The account is used up.");
      return streamTranscript({
        language: "english",
        durationSec: seconds,
        text: `part ${count}`,
        segments: [segment(0, seconds, `part ${count}`)],
        failed: [],
      });
    });
    const jobs = await openTranscriptionJobs({ channels: [toRegisteredChannel(channel)] });
    const { id } = await jobs.add("long.flac", long());
    expect(await jobs.waitForItem(id, isOver)).toMatchObject({
      state: "failed",
      error: "The account is used up.",
      isPartial: true,
    });
    expect(jobs.textOf(id)).toBe("part 1");
    await jobs.transcriptionJobs.start(id, parseOptions());
    expect((await jobs.waitForItem(id, ({ state }) => state === "done")).isPartial).toBe(false);
    expect(jobs.textOf(id)).toMatch(/^part 1 part 3 part 4/);
    expect((sumSec(sent) - (sent[1]?.seconds ?? 0)) / longSec()).toBeCloseTo(1, 1);
  });
});

// Real transcriptions and speech while engine processes are killed or fail at one speech segment.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { SpeechJob, Transcript, TranscriptionEvent } from "../../main/contract/speech.ts";
import type { TaskInput } from "../../main/engines/pool/protocol.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import {
  transcriptionJob,
  isAlive,
  neverAborted,
  openLocalChannel,
  type InjectedFault,
  withInjectedFaults,
  type Task,
  type TestChannel,
  type TestChannelOptions,
  collectTranscript,
} from "../support/app.ts";
import { tenSentences } from "../support/english-texts.ts";
import { joinSamples } from "../../main/audio/codec/pcm.ts";
import { silence } from "../support/test-audio.ts";
import {
  openFolder,
  normalizeWords,
  writeAudioFile,
  synthesizeSamples,
  voiceSampleRateHz,
} from "../support/test-data.ts";

/** Four sentences from the middle of the story: half a minute, several windows, more speech segments than processes. */
const story = tenSentences.slice(
  tenSentences.indexOf("Nobody"),
  tenSentences.indexOf("By evening"),
);
const folder = await openFolder();
let recording: string;
let whole: Transcript;

beforeAll(async () => {
  const speech = await synthesizeSamples(story);
  recording = await writeAudioFile(
    join(folder.path, "a story é ש 日本.mp3"),
    joinSamples([speech, silence(2, voiceSampleRateHz)]),
  );
  const { channel, close } = await openLocalChannel();
  whole = await collectTranscript(channel.transcribe(inEnglish(), neverAborted()));
  await close();
});
afterAll(() => folder.remove());

/** With the language given, only one recognizer is loaded. */
const inEnglish = () => transcriptionJob(recording, { language: "en" });

async function channelFor(options: TestChannelOptions = {}): Promise<TestChannel> {
  const opened = await openLocalChannel(options);
  onTestFinished(opened.close);
  return opened;
}

/**
 * After the loss of a process, segments may be batched differently. This may change the spelling of a word, but not the
 * ranges.
 */
function expectWholeText(transcript: Transcript): void {
  expect(transcript.failed).toEqual([]);
  expect(transcript.durationSec).toBe(whole.durationSec);
  expect(transcript.segments.map(({ startSec, endSec }) => [startSec, endSec])).toEqual(
    whole.segments.map(({ startSec, endSec }) => [startSec, endSec]),
  );
  expect(normalizeWords(transcript.text)).toBe(normalizeWords(whole.text));
}

/** A plan that crashes the process during the nth task of this name; `happened` says whether it did. */
function crashAt(
  name: string,
  count: number,
): { plan(task: Task): InjectedFault | undefined; happened(): boolean } {
  let seen = 0;
  return {
    plan: (task) => (task.name === name && (seen += 1) === count ? "crash" : undefined),
    happened: () => seen >= count,
  };
}

/** A plan that injects a fault into every transcription task with the speech segment at this time. */
const faultAtSegment = (sec: number, sabotage: InjectedFault) => (task: Task) => {
  const holds =
    task.name === "transcribe" &&
    (task.input as TaskInput<"transcribe">).speechSegments.some(
      ({ startSec, endSec }) => startSec <= sec && sec <= endSec,
    );
  return holds ? sabotage : undefined;
};

describe("a transcription", () => {
  it("returns the spoken text", () => {
    expect(whole.segments.length).toBeGreaterThanOrEqual(3);
    expect(normalizeWords(whole.text)).toContain("the school on the island drew a picture of it");
  });

  it("is complete when every engine process is killed midway", async () => {
    const { channel, pool } = await channelFor();
    const events: TranscriptionEvent[] = [];
    for await (const event of channel.transcribe(inEnglish(), neverAborted())) {
      if (event.type === "segment" && events.filter(({ type }) => type === "segment").length === 1)
        for (const pid of pool.pids()) process.kill(pid, "SIGKILL");
      events.push(event);
    }
    const last = events.at(-1);
    expect(last?.type).toBe("done");
    if (last?.type === "done") expectWholeText(last.transcript);
    // No segment was reported twice.
    expect(events.filter(({ type }) => type === "segment")).toHaveLength(whole.segments.length);
  });

  it.each([
    ["opens the file", "segment.open", 1],
    ["listens to the first seconds", "segment.step", 1],
    ["listens to what follows", "segment.step", 2],
    ["transcribes the first segment", "transcribe", 1],
    ["transcribes a later segment", "transcribe", 3],
  ])("is complete when the process that %s is killed", async (_, name, count) => {
    const crash = crashAt(name, count);
    const { channel, leftovers } = await channelFor({
      wrap: (launch) => withInjectedFaults(launch, crash.plan),
    });
    expectWholeText(await collectTranscript(channel.transcribe(inEnglish(), neverAborted())));
    expect(crash.happened()).toBe(true);
    expect(await leftovers()).toEqual([]);
  });

  it("fails when reading the file crashes two processes", async () => {
    const { channel } = await channelFor({
      wrap: (launch) =>
        withInjectedFaults(launch, ({ name }) => (name === "segment.step" ? "crash" : undefined)),
    });
    await expect(
      collectTranscript(channel.transcribe(inEnglish(), neverAborted())),
    ).rejects.toMatchObject({ key: "undecodable_audio" });
  });

  it.each([
    ["fails over", "fail", 2],
    ["crashes over", "crash", 2],
    ["crashes over, being alone,", "crash", 1],
  ] as const)(
    "lists the segment that the engine %s twice as failed, and has all others",
    async (_, sabotage, size) => {
      const lost = whole.segments[1];
      const { channel } = await channelFor({
        policy: { size },
        wrap: (launch) =>
          withInjectedFaults(
            launch,
            faultAtSegment(((lost?.startSec ?? 0) + (lost?.endSec ?? 0)) / 2, sabotage),
          ),
      });
      const events: TranscriptionEvent[] = [];
      for await (const event of channel.transcribe(inEnglish(), neverAborted())) events.push(event);
      const last = events.at(-1);
      if (last?.type !== "done") throw new Error("the transcription did not end");
      const { failed, segments } = last.transcript;
      expect(failed).toEqual([
        {
          startSec: lost?.startSec,
          endSec: lost?.endSec,
          message: expect.stringMatching(/\w/) as string,
          id: "engine.partFailed",
        },
      ]);
      expect(events.filter(({ type }) => type === "failed")).toHaveLength(1);
      const others = whole.segments.filter((segment) => segment !== lost);
      expect(segments.map(({ startSec }) => startSec)).toEqual(
        others.map(({ startSec }) => startSec),
      );
      expect(normalizeWords(last.transcript.text)).toBe(
        normalizeWords(others.map(({ text }) => text).join(" ")),
      );
    },
  );
});

describe("speech", () => {
  const job: SpeechJob = { model: "tts-1", text: story, voice: "nova", speed: 1, format: "mp3" };
  async function bytesOf(
    { channel }: TestChannel,
    whileMaking: (chunk: number) => void = () => {},
  ): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const { bytes } of channel.synthesize(job, neverAborted())) {
      parts.push(bytes);
      whileMaking(parts.length);
    }
    return Buffer.concat(parts);
  }
  let undisturbed: Buffer;
  beforeAll(async () => {
    const opened = await openLocalChannel();
    undisturbed = await bytesOf(opened);
    await opened.close();
  });

  it("is byte for byte the same when every engine process is killed midway", async () => {
    const opened = await channelFor();
    const bytes = await bytesOf(opened, (chunk) => {
      if (chunk === 2) for (const pid of opened.pool.pids()) process.kill(pid, "SIGKILL");
    });
    expect(bytes.equals(undisturbed)).toBe(true);
  });

  it.each([
    ["begins to encode", "encode.open", 1],
    ["encodes", "encode.push", 2],
    ["ends the file", "encode.finish", 1],
    ["speaks", "synthesize", 3],
  ])("is byte for byte the same when the process that %s is killed", async (_, name, count) => {
    const crash = crashAt(name, count);
    const opened = await channelFor({ wrap: (launch) => withInjectedFaults(launch, crash.plan) });
    expect((await bytesOf(opened)).equals(undisturbed)).toBe(true);
    expect(crash.happened()).toBe(true);
    expect(await opened.leftovers()).toEqual([]);
  });

  it("is not affected by a recording that crashes its engine repeatedly", async () => {
    const opened = await channelFor({
      wrap: (launch) =>
        withInjectedFaults(launch, ({ name }) => (name === "transcribe" ? "crash" : undefined)),
    });
    const abort = new AbortController();
    const crashing = collectTranscript(opened.channel.transcribe(inEnglish(), abort.signal)).catch(
      (error: unknown) => error,
    );
    const bytes = await bytesOf(opened);
    abort.abort();
    await crashing;
    expect(bytes.equals(undisturbed)).toBe(true);
  });

  it("fails when a sentence fails twice", async () => {
    const opened = await channelFor({
      wrap: (launch) =>
        withInjectedFaults(launch, (task) =>
          task.name === "synthesize" &&
          (task.input as TaskInput<"synthesize">).text.includes("seal")
            ? "fail"
            : undefined,
        ),
    });
    await expect(bytesOf(opened)).rejects.toMatchObject({ key: "engine_failed" });
    expect(await opened.leftovers()).toEqual([]);
  });
});

it("leaves no process", async () => {
  const { channel, pool, close } = await openLocalChannel();
  const going = collectTranscript(channel.transcribe(inEnglish(), neverAborted())).catch(
    (error: unknown) => error,
  );
  while (pool.pids().length < 2) await new Promise((resolve) => setImmediate(resolve));
  const pids = pool.pids();
  const begun = performance.now();
  await close();
  expect(performance.now() - begun).toBeLessThan(1500);
  expect(pids.filter(isAlive)).toEqual([]);
  expect(await going).toMatchObject({ key: "closing" });
});

it.skipIf(!existsSync("/dev/full"))("reports a full disk (needs /dev/full)", async () => {
  const { pool } = await channelFor();
  const input: TaskInput<"synthesize"> = {
    model: shippedModel("hibari"),
    text: "Hello.",
    options: { voice: "nova", speed: 1, quality: "standard" },
    pcmPath: "/dev/full",
  };
  await expect(pool.job(neverAborted()).run("synthesize", input)).rejects.toMatchObject({
    key: "storage_full",
  });
});

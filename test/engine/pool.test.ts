// Real transcriptions and real speech while engine processes are killed, or come to grief over one part.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { SpeechJob, Transcript, TranscriptionEvent } from "../../main/contract/speech.ts";
import type { TaskInput } from "../../main/engines/pool/protocol.ts";
import { modelBundle } from "../../main/models/store.ts";
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

/** Four sentences from the middle of the story: half a minute, several windows, more pieces than processes. */
const story = tenSentences.slice(
  tenSentences.indexOf("Nobody"),
  tenSentences.indexOf("By evening"),
);
const folder = await openFolder();
let recording: string;
let whole: Transcript;

beforeAll(async () => {
  const spoken = await synthesizeSamples(story);
  recording = await writeAudioFile(
    join(folder.path, "a story é ש 日本.mp3"),
    joinSamples([spoken, silence(2, voiceSampleRateHz)]),
  );
  const { channel, close } = await openLocalChannel();
  whole = await collectTranscript(channel.transcribe(transcriptionJob(recording), neverAborted()));
  await close();
});
afterAll(() => folder.remove());

async function channelFor(options: TestChannelOptions = {}): Promise<TestChannel> {
  const opened = await openLocalChannel(options);
  onTestFinished(opened.close);
  return opened;
}

/** The pieces heard may be grouped otherwise after a loss, which may change a word's spelling, not what is covered. */
function expectAllHeard(transcript: Transcript): void {
  expect(transcript.failed).toEqual([]);
  expect(transcript.durationSec).toBe(whole.durationSec);
  expect(transcript.segments.map(({ startSec, endSec }) => [startSec, endSec])).toEqual(
    whole.segments.map(({ startSec, endSec }) => [startSec, endSec]),
  );
  expect(normalizeWords(transcript.text)).toBe(normalizeWords(whole.text));
}

/** A crash in the midst of the nth task of a name; `happened` tells whether there was one. */
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

/** Trouble with every task that hears the piece at this place. */
const overPieceAt = (sec: number, sabotage: InjectedFault) => (task: Task) => {
  const holds =
    task.name === "transcribe" &&
    (task.input as TaskInput<"transcribe">).speechSegments.some(
      ({ startSec, endSec }) => startSec <= sec && sec <= endSec,
    );
  return holds ? sabotage : undefined;
};

describe("a transcription", () => {
  it("is the text that was spoken", () => {
    expect(whole.segments.length).toBeGreaterThanOrEqual(3);
    expect(normalizeWords(whole.text)).toContain("the school on the island drew a picture of it");
  });

  it("is whole when every engine process is killed in the middle", async () => {
    const { channel, pool } = await channelFor();
    const events: TranscriptionEvent[] = [];
    for await (const event of channel.transcribe(transcriptionJob(recording), neverAborted())) {
      if (event.type === "segment" && events.filter(({ type }) => type === "segment").length === 1)
        for (const pid of pool.pids()) process.kill(pid, "SIGKILL");
      events.push(event);
    }
    const last = events.at(-1);
    expect(last?.type).toBe("done");
    if (last?.type === "done") expectAllHeard(last.transcript);
    // None was given twice.
    expect(events.filter(({ type }) => type === "segment")).toHaveLength(whole.segments.length);
  });

  it.each([
    ["opens the file", "segment.open", 1],
    ["listens to the first seconds", "segment.step", 1],
    ["listens to what follows", "segment.step", 2],
    ["hears the first piece", "transcribe", 1],
    ["hears a later piece", "transcribe", 3],
  ])("is whole when the process that %s is killed", async (_, name, count) => {
    const crash = crashAt(name, count);
    const { channel, leftovers } = await channelFor({
      wrap: (launch) => withInjectedFaults(launch, crash.plan),
    });
    expectAllHeard(
      await collectTranscript(channel.transcribe(transcriptionJob(recording), neverAborted())),
    );
    expect(crash.happened()).toBe(true);
    expect(await leftovers()).toEqual([]);
  });

  it("is told to be impossible when listening loses two processes", async () => {
    const { channel } = await channelFor({
      wrap: (launch) =>
        withInjectedFaults(launch, ({ name }) => (name === "segment.step" ? "crash" : undefined)),
    });
    await expect(
      collectTranscript(channel.transcribe(transcriptionJob(recording), neverAborted())),
    ).rejects.toMatchObject({ key: "undecodable_audio" });
  });

  it.each([
    ["fails over", "fail", 2],
    ["crashes over", "crash", 2],
    ["crashes over, being alone,", "crash", 1],
  ] as const)(
    "names the piece that the engine %s twice, and holds all others",
    async (_, sabotage, size) => {
      const lost = whole.segments[1];
      const { channel } = await channelFor({
        policy: { size },
        wrap: (launch) =>
          withInjectedFaults(
            launch,
            overPieceAt(((lost?.startSec ?? 0) + (lost?.endSec ?? 0)) / 2, sabotage),
          ),
      });
      const events: TranscriptionEvent[] = [];
      for await (const event of channel.transcribe(transcriptionJob(recording), neverAborted()))
        events.push(event);
      const last = events.at(-1);
      if (last?.type !== "done") throw new Error("the transcription did not end");
      const { failed, segments } = last.transcript;
      expect(failed).toEqual([
        {
          startSec: lost?.startSec,
          endSec: lost?.endSec,
          message: expect.stringMatching(/\w/) as string,
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

  it("is the same to the byte when every engine process is killed in the middle", async () => {
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
  ])("is the same to the byte when the process that %s is killed", async (_, name, count) => {
    const crash = crashAt(name, count);
    const opened = await channelFor({ wrap: (launch) => withInjectedFaults(launch, crash.plan) });
    expect((await bytesOf(opened)).equals(undisturbed)).toBe(true);
    expect(crash.happened()).toBe(true);
    expect(await opened.leftovers()).toEqual([]);
  });

  it("is not harmed by a recording that crashes its engine again and again", async () => {
    const opened = await channelFor({
      wrap: (launch) =>
        withInjectedFaults(launch, ({ name }) => (name === "transcribe" ? "crash" : undefined)),
    });
    const abort = new AbortController();
    const crashing = collectTranscript(
      opened.channel.transcribe(transcriptionJob(recording), abort.signal),
    ).catch((error: unknown) => error);
    const bytes = await bytesOf(opened);
    abort.abort();
    await crashing;
    expect(bytes.equals(undisturbed)).toBe(true);
  });

  it("is told to have failed when a sentence fails twice", async () => {
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

it("leaves no process behind", async () => {
  const { channel, pool, close } = await openLocalChannel();
  const going = collectTranscript(
    channel.transcribe(transcriptionJob(recording), neverAborted()),
  ).catch((error: unknown) => error);
  while (pool.pids().length < 2) await new Promise((resolve) => setImmediate(resolve));
  const pids = pool.pids();
  const begun = performance.now();
  await close();
  expect(performance.now() - begun).toBeLessThan(1500);
  expect(pids.filter(isAlive)).toEqual([]);
  expect(await going).toMatchObject({ key: "closing" });
});

it.skipIf(!existsSync("/dev/full"))("tells that the disk is full (needs /dev/full)", async () => {
  const { pool } = await channelFor();
  const input: TaskInput<"synthesize"> = {
    model: modelBundle("hibari"),
    text: "Hello.",
    options: { voice: "nova", speed: 1, quality: "standard" },
    pcmPath: "/dev/full",
  };
  await expect(pool.job(neverAborted()).run("synthesize", input)).rejects.toMatchObject({
    key: "storage_full",
  });
});

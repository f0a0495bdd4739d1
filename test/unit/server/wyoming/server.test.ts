import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { AppError } from "../../../../main/contract/errors.ts";
import type { SpeechChunk, SpeechJob, TranscriptionJob } from "../../../../main/contract/speech.ts";
import { createLog } from "../../../../main/log.ts";
import { createAdmission } from "../../../../main/server/http/admission.ts";
import { toInfoData } from "../../../../main/server/wyoming/info.ts";
import { maxRecordingBytes } from "../../../../main/server/wyoming/recording.ts";
import { openWyomingServer, type WyomingLimits } from "../../../../main/server/wyoming/server.ts";
import type { WyomingServices } from "../../../../main/server/wyoming/session.ts";
import {
  failingIterable,
  fakeTranscript,
  streamTranscript,
} from "../../../support/fake-channel.ts";
import { localModels } from "../../../support/local-models.ts";
import { connectWyoming, type WyomingClient } from "../../../support/wyoming-client.ts";

const audio = { rate: 16_000, width: 2, channels: 1 };

type Options = { limits?: Partial<WyomingLimits>; services?: Partial<WyomingServices> };

async function openServer({ limits = {}, services = {} }: Options = {}) {
  const transcriptionJobs: TranscriptionJob[] = [];
  const speechJobs: SpeechJob[] = [];
  const logLines: string[] = [];
  const server = await openWyomingServer({
    services: {
      info: () => toInfoData({ models: localModels().models(), voices: [], version: "1.2.3" }),
      voices: () => [],
      transcribe(job) {
        transcriptionJobs.push(job);
        return streamTranscript(fakeTranscript(job));
      },
      synthesize(job) {
        speechJobs.push(job);
        return speech(2 * job.text.length);
      },
      createSlot: createAdmission(4).createSlot,
      tempDir: () => "/nowhere",
      ...services,
    },
    host: "127.0.0.1",
    port: 0,
    log: createLog("warn", { write: (line) => void logLines.push(line) }),
    limits,
  });
  onTestFinished(() => server.close());
  return {
    transcriptionJobs,
    speechJobs,
    logLines,
    connect: () => connectWyoming(server.port),
  };
}

async function* speech(bytes: number): AsyncGenerator<SpeechChunk> {
  yield { bytes: new Uint8Array(bytes), audioSec: 1, progress: 1 };
}

function sendAudio(client: WyomingClient, samples: Int16Array, format = audio): void {
  const bytes = Buffer.from(samples.buffer);
  client.send("audio-start", { ...format, timestamp: 0 });
  for (let from = 0; from < bytes.length; from += 100)
    client.send("audio-chunk", { ...format, timestamp: null }, bytes.subarray(from, from + 100));
  client.send("audio-stop", { timestamp: null });
}

/** The text of the error event with which the server ended the connection. */
async function refusal(client: WyomingClient): Promise<string> {
  const events = await client.until("never");
  const last = events.at(-1);
  expect(last?.type).toBe("error");
  return String(last?.data["text"]);
}

it("describes itself, and answers pings", async () => {
  const client = await (await openServer()).connect();
  client.send("describe");
  const info = await client.next();
  expect(info?.type).toBe("info");
  expect(info?.data).toMatchObject({
    asr: [
      {
        name: "Hearsay",
        installed: true,
        version: "1.2.3",
        supports_transcript_streaming: true,
        models: [
          { name: "whisper-1", languages: expect.arrayContaining(["en", "de"]) },
          { name: "moonshine-base", languages: ["en"], attribution: { name: "useful-sensors" } },
          { name: "whisper-base" },
        ],
      },
    ],
    tts: [],
  });
  client.send("ping", { text: "hello" });
  expect(await client.next()).toMatchObject({ type: "pong", data: { text: "hello" } });
});

it("transcribes audio, as it came, and sends the text in chunks and as a whole", async () => {
  const { connect, transcriptionJobs } = await openServer();
  const client = await connect();
  const samples = Int16Array.from({ length: 500 }, (_, index) => index * 7);
  client.send("transcribe", {
    language: "en-GB",
    transcript_names: ["Ada", "Bo"],
    transcript_terms: ["kettle"],
    context: null,
  });
  sendAudio(client, samples, { rate: 44_100, width: 2, channels: 2 });
  expect((await client.until("transcript-stop")).map(({ type, data }) => [type, data])).toEqual([
    ["transcript-start", {}],
    ["transcript-chunk", { text: "Hear what is said." }],
    ["transcript-chunk", { text: " And say it again." }],
    ["transcript", { text: "Hear what is said. And say it again.", language: "en" }],
    ["transcript-stop", {}],
  ]);
  const [job] = transcriptionJobs;
  expect(job).toMatchObject({ model: "whisper-1", language: "en", prompt: "Ada, Bo, kettle" });
  const wav = Buffer.from(job?.mediaBytes ?? []);
  expect([wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt32LE(40)]).toEqual([
    2, 44_100, 1000,
  ]);
  expect(wav.subarray(44).equals(Buffer.from(samples.buffer))).toBe(true);
});

it("serves several requests of a connection, with chunks alone, silence and `auto`", async () => {
  const { connect, transcriptionJobs } = await openServer();
  const client = await connect();
  client.send("audio-chunk", audio, Buffer.alloc(200));
  client.send("audio-stop");
  await client.until("transcript-stop");
  client.send("transcribe", { name: "whisper-base", language: "auto" });
  sendAudio(client, new Int16Array(100));
  await client.until("transcript-stop");
  client.send("an-event-of-the-future", { x: 1 });
  sendAudio(client, new Int16Array());
  expect(await client.next()).toMatchObject({ type: "transcript", data: { text: "" } });
  expect(transcriptionJobs.map(({ model, language }) => [model, language])).toEqual([
    ["whisper-1", undefined],
    ["whisper-base", undefined],
  ]);
});

it("speaks a text in chunks with times", async () => {
  const { connect, speechJobs } = await openServer({
    services: { synthesize: () => speech(30_000) },
  });
  const client = await connect();
  client.send("synthesize", { text: "Hello.", voice: { name: "nova" } });
  const events = await client.until("audio-stop");
  expect(
    events.map(({ type, data, payload }) => [type, data["timestamp"], payload.length]),
  ).toEqual([
    ["audio-start", 0, 0],
    ["audio-chunk", 0, 12_000],
    ["audio-chunk", 250, 12_000],
    ["audio-chunk", 500, 6_000],
    ["audio-stop", 625, 0],
  ]);
  expect(events[1]?.data).toMatchObject({ rate: 24_000, width: 2, channels: 1 });
  expect(speechJobs).toEqual([]);
});

it("speaks sentences of a text that is still being written", async () => {
  const { connect, speechJobs } = await openServer();
  const client = await connect();
  client.send("synthesize-start", { voice: { name: "nova" } });
  client.send("synthesize-chunk", { text: "The light is on. The do" });
  expect((await client.until("audio-chunk")).map(({ type }) => type)).toEqual([
    "audio-start",
    "audio-chunk",
  ]);
  client.send("synthesize-chunk", { text: "or is shut." });
  // For servers that take no streams.
  client.send("synthesize", {
    text: "The light is on. The door is shut.",
    voice: { name: "nova" },
  });
  client.send("synthesize-stop");
  expect((await client.until("synthesize-stopped")).map(({ type }) => type)).toEqual([
    "audio-chunk",
    "audio-stop",
    "synthesize-stopped",
  ]);
  expect(speechJobs.map(({ text, voice }) => [text, voice])).toEqual([
    ["The light is on. ", "nova"],
    ["The door is shut.", "nova"],
  ]);
});

it("ends the audio of a text that holds nothing", async () => {
  const client = await (await openServer()).connect();
  client.send("synthesize", { text: "  " });
  expect((await client.until("audio-stop")).map(({ type }) => type)).toEqual([
    "audio-start",
    "audio-stop",
  ]);
});

const tooMuch = Math.ceil(maxRecordingBytes / 2 ** 20) + 1;
const hostile: readonly (readonly [string, (client: WyomingClient) => void, string])[] = [
  ["HTTP", ({ socket }) => void socket.write("GET / HTTP/1.1\r\n\r\n"), "not an event"],
  ["an endless header", ({ socket }) => void socket.write("x".repeat(2 ** 17)), "in its header"],
  [
    "a huge payload",
    ({ socket }) => void socket.write('{"type":"audio-chunk","payload_length":99999999999}\n'),
    "in its payload",
  ],
  ["other samples", (client) => client.send("audio-start", { ...audio, width: 4 }), "'width'"],
  ["an impossible rate", (client) => client.send("audio-start", { ...audio, rate: 0 }), "'rate'"],
  [
    "a format that changes",
    (client) => {
      client.send("audio-start", audio);
      client.send("audio-chunk", { ...audio, rate: 8_000 }, Buffer.alloc(10));
    },
    "keep the format",
  ],
  [
    "audio without end",
    (client) => {
      client.send("audio-start", audio);
      for (let sent = 0; sent < tooMuch; sent += 1)
        client.send("audio-chunk", audio, Buffer.alloc(2 ** 20));
    },
    `at most ${maxRecordingBytes} bytes`,
  ],
  ["an end without audio", (client) => client.send("audio-stop"), "'audio-stop'"],
  [
    "an unknown language",
    (client) => {
      client.send("transcribe", { language: "klingon" });
      sendAudio(client, new Int16Array(10));
    },
    "klingon",
  ],
  ["text of the wrong type", (client) => client.send("synthesize", { text: 7 }), "'text'"],
  [
    "SSML",
    (client) => client.send("synthesize", { text: "<speak/>", text_format: "ssml" }),
    "SSML",
  ],
  ["text without a start", (client) => client.send("synthesize-chunk", { text: "x" }), "begun"],
  [
    "two streams at once",
    (client) => {
      client.send("synthesize-start");
      client.send("synthesize-start");
    },
    "begun",
  ],
];
it.each(hostile)("ends the connection after %s, and only this one", async (_, attack, reason) => {
  const { connect, logLines } = await openServer();
  const other = await connect();
  const client = await connect();
  attack(client);
  expect(await refusal(client)).toContain(reason);
  expect(logLines.join()).toContain("a Wyoming client was refused");
  other.send("ping");
  expect((await other.next())?.type).toBe("pong");
});

it("says why this machine failed, without details that are nobody's business", async () => {
  const services: Partial<WyomingServices> = {
    transcribe: () => {
      throw new Error("secret");
    },
    synthesize: () => failingIterable(() => new AppError("model.noPhonemes")),
  };
  const { connect, logLines } = await openServer({ services });
  const client = await connect();
  sendAudio(client, new Int16Array(10));
  expect(await refusal(client)).toMatch(/^The server failed on this request/);
  expect(logLines.join()).toContain("secret");
  const speaker = await connect();
  speaker.send("synthesize-start");
  speaker.send("synthesize-chunk", { text: "One. Two" });
  expect(await refusal(speaker)).toBe(new AppError("model.noPhonemes").message);
});

it("refuses more requests than this machine takes, and takes others afterwards", async () => {
  const { createSlot } = createAdmission(1);
  const { connect } = await openServer({ services: { createSlot } });
  const slot = createSlot();
  slot.acquire();
  const refused = await connect();
  refused.send("synthesize", { text: "Hello." });
  expect(await refusal(refused)).toContain("busy");
  slot.release();
  for (let turn = 0; turn < 3; turn += 1) {
    const client = await connect();
    client.send("synthesize", { text: "Hello." });
    expect((await client.until("audio-stop")).at(-1)?.type).toBe("audio-stop");
  }
});

it("refuses more connections than it takes", async () => {
  const { connect } = await openServer({ limits: { maxConnections: 1 } });
  const client = await connect();
  client.send("ping");
  await client.next();
  expect(await refusal(await connect())).toContain("At most 1 connections");
});

it("takes no more connections from one address than its share", async () => {
  const { connect } = await openServer({ limits: { maxPerAddress: 1 } });
  const client = await connect();
  client.send("ping");
  await client.next();
  expect(await refusal(await connect())).toContain("At most 1 connections");
});

it("ends connections on which nothing happens, but not work", async () => {
  const release = Promise.withResolvers<void>();
  async function* slowSpeech(): AsyncGenerator<SpeechChunk> {
    await release.promise;
    yield* speech(2);
  }
  const { connect } = await openServer({
    limits: { idleMs: 500 },
    services: { synthesize: slowSpeech },
  });
  const busy = await connect();
  busy.send("synthesize", { text: "Hello." });
  const starting = await connect();
  starting.send("synthesize-start");
  const refusals = await Promise.all([refusal(starting), refusal(await connect())]);
  expect(refusals).toEqual(Array(2).fill("Nothing was sent for 0.5 seconds."));
  release.resolve();
  expect((await busy.until("audio-stop")).at(-1)?.type).toBe("audio-stop");
});

it("ends the work for a client that leaves", async () => {
  const left = Promise.withResolvers<void>();
  async function* endlessSpeech(_: SpeechJob, signal: AbortSignal): AsyncGenerator<SpeechChunk> {
    signal.addEventListener("abort", () => left.resolve());
    for (; !signal.aborted; await nextTurn()) yield* speech(2000);
  }
  const { connect } = await openServer({ services: { synthesize: endlessSpeech } });
  const client = await connect();
  client.send("synthesize", { text: "Hello." });
  await client.until("audio-chunk");
  client.socket.destroy();
  await expect(left.promise).resolves.toBeUndefined();
});

it("answers a client that closed its sending side", async () => {
  const { connect } = await openServer();
  const client = await connect();
  client.send("describe");
  client.socket.end();
  expect((await client.until("never")).map(({ type }) => type)).toEqual(["info"]);
});

// Realtime transcription over a real port, with the official client and a recognizer that the test scripts.

import { get } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { LiveRecognizer } from "../../../../main/jobs/transcription/live/live-recognizer.ts";
import type { OpenLiveRecognizer } from "../../../../main/server/route-context.ts";
import { createTranscriptionJob } from "../../../../main/contract/transcription-job.ts";
import { createFakeChannel } from "../../../support/fake-channel.ts";
import { startTestServer, testKey, toRegisteredChannel } from "../../../support/gateway-server.ts";
import { collect, openRealtime, type RealtimeEvent } from "../../../support/realtime-client.ts";

const text = (durationSec: number): string =>
  Array.from({ length: Math.max(1, Math.round(durationSec)) }, (_, i) => `word${i}`).join(" ");

/** Loud samples are speech: each second of it is a word. */
function createLoudnessRecognizer(): LiveRecognizer {
  let sec = 0;
  let startSec: number | undefined;
  let voicedUntilSec = 0;
  return {
    detectSpeech(pcm, endsSpeech) {
      const samples = new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.length));
      sec += samples.length / 16_000;
      if (samples.some((sample) => Math.abs(sample) > 3000)) {
        startSec ??= sec - samples.length / 16_000;
        voicedUntilSec = sec;
      }
      const isOver = startSec !== undefined && (endsSpeech || sec - voicedUntilSec >= 0.6);
      const span = {
        fromSec: startSec ?? 0,
        toSec: voicedUntilSec,
        startSec: startSec ?? 0,
        endSec: voicedUntilSec,
        voicedSec: 1,
        voiceProb: 1,
      };
      if (isOver) startSec = undefined;
      return Promise.resolve({
        speechSegments: isOver ? [span] : [],
        openSpeech:
          startSec === undefined ? undefined : { fromSec: startSec, startSec, voicedUntilSec },
      });
    },
    draft: (pcm) => Promise.resolve({ text: text(pcm.length / 32_000) }),
    settle: (pcm, [span]) =>
      Promise.resolve([
        {
          startSec: span?.startSec ?? 0,
          endSec: span?.endSec ?? 0,
          text: `${text(pcm.length / 32_000)}.`,
          words: [],
          language: "en",
          avgLogprob: 0,
          noSpeechProb: 0,
          compressionRatio: 1,
          isEdited: false,
        },
      ]),
    close: () => {},
  };
}

const startServer = (openLiveRecognizer: OpenLiveRecognizer = createLoudnessRecognizer) =>
  startTestServer({ deps: { openLiveRecognizer } });

/** Base64 of a tone, or of silence, as 16-bit PCM. */
function tone(sec: number, rateHz = 24_000, amplitude = 12_000): string {
  const samples = Int16Array.from({ length: Math.round(sec * rateHz) }, (_, i) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * 300 * i) / rateHz)),
  );
  return Buffer.from(samples.buffer).toString("base64");
}
const silence = (sec: number): string => tone(sec, 24_000, 0);

/** A bare WebSocket, as browsers open it. */
function openSocket(url: string, protocols: string[] = [], headers: Record<string, string> = {}) {
  const socket = new WebSocket(url, protocols, { headers });
  onTestFinished(() => socket.terminate());
  const refused = new Promise<number>((resolve) => {
    socket.on("unexpected-response", (_, response) => resolve(response.statusCode ?? 0));
    socket.on("error", () => {});
  });
  return {
    socket,
    refused,
    send: (event: object) => socket.send(JSON.stringify(event)),
    ...collect((listener) =>
      socket.on("message", (data) => listener(JSON.parse(String(data)) as RealtimeEvent)),
    ),
  };
}

it("transcribes turns for the official client, in the order of OpenAI's events", async () => {
  const { port } = await startServer();
  const { realtime, until, types } = openRealtime(port, testKey);
  await until("session.created");
  realtime.send({
    type: "session.update",
    session: {
      type: "transcription",
      audio: { input: { transcription: { model: "whisper-1", language: "en" } } },
    },
  });
  expect(await until("session.updated")).toMatchObject({
    session: { type: "transcription", audio: { input: { transcription: { language: "en" } } } },
  });
  for (const audio of [silence(1), tone(3), silence(1), tone(2), silence(1)])
    realtime.send({ type: "input_audio_buffer.append", audio });
  const second = await until("conversation.item.input_audio_transcription.completed", 2);
  expect(second).toMatchObject({ transcript: "word0 word1.", usage: { type: "duration" } });
  const withoutDeltas = types().filter((type) => !type.endsWith(".delta"));
  const turn = [
    "input_audio_buffer.speech_started",
    "input_audio_buffer.speech_stopped",
    "input_audio_buffer.committed",
    "conversation.item.added",
    "conversation.item.done",
  ];
  const completed = "conversation.item.input_audio_transcription.completed";
  expect(withoutDeltas.slice(0, 7)).toEqual(["session.created", "session.updated", ...turn]);
  expect(withoutDeltas.filter((type) => type === completed)).toHaveLength(2);
});

it("sends deltas that add up to the transcript, and those that may change only to who asked for them", async () => {
  const { port } = await startServer();
  const { send, until, events } = openSocket(`ws://127.0.0.1:${port}/v1/realtime`, [
    "realtime",
    `openai-insecure-api-key.${testKey}`,
  ]);
  await until("session.created");
  send({
    type: "session.update",
    session: {
      type: "transcription",
      audio: { input: { format: { type: "audio/pcm", rate: 16_000 }, turn_detection: null } },
      include: ["item.input_audio_transcription.unsettled"],
    },
  });
  send({ type: "input_audio_buffer.append", audio: tone(4, 16_000) });
  send({ type: "input_audio_buffer.commit" });
  const { transcript, item_id: itemId } = await until(
    "conversation.item.input_audio_transcription.completed",
  );
  const deltas = events.filter(({ type }) => type.endsWith(".delta"));
  expect(deltas.map(({ delta }) => delta).join("")).toBe(transcript);
  expect(
    deltas.every(({ item_id: id, unsettled }) => id === itemId && unsettled !== undefined),
  ).toBe(true);
});

it("answers what it cannot do with an error that names the client's event, and goes on", async () => {
  const { port } = await startServer();
  const { send, socket, until, events } = openSocket(
    `ws://127.0.0.1:${port}/v1/realtime?intent=transcription`,
    [],
    { authorization: `Bearer ${testKey}` },
  );
  await until("session.created");
  const semantic = { turn_detection: { type: "semantic_vad" } };
  send({ type: "session.update", event_id: "a", session: { audio: { input: semantic } } });
  send({ type: "session.update", event_id: "b", session: { type: "realtime" } });
  send({ type: "input_audio_buffer.commit", event_id: "c" });
  send({ type: "input_audio_buffer.append", event_id: "d", audio: "***" });
  send({ type: "response.create", event_id: "e" });
  send({
    type: "session.update",
    event_id: "f",
    session: { audio: { input: { transcription: { model: "nothing" } } } },
  });
  socket.send("{");
  send({ type: "input_audio_buffer.clear" });
  await until("input_audio_buffer.cleared");
  const errors = events
    .filter(({ type }) => type === "error")
    .map(({ error }) => error as RealtimeEvent);
  expect(errors.map(({ event_id: id }) => id)).toEqual(["a", "b", "c", "d", "e", "f", null]);
  expect(errors[0]?.["message"]).toContain("semantic_vad");
  expect(errors[5]?.["code"]).toBe("model_not_found");
});

it("serves the beta's events to clients that send them", async () => {
  const { port } = await startServer();
  const { send, until, types } = openSocket(
    `ws://127.0.0.1:${port}/v1/realtime?intent=transcription`,
    [],
    { authorization: `Bearer ${testKey}`, "openai-beta": "realtime=v1" },
  );
  await until("transcription_session.created");
  send({
    type: "transcription_session.update",
    session: {
      input_audio_format: "g711_ulaw",
      input_audio_transcription: { model: "whisper-1" },
      turn_detection: { type: "server_vad", silence_duration_ms: 300 },
    },
  });
  expect(await until("transcription_session.updated")).toMatchObject({
    session: { input_audio_format: "g711_ulaw" },
  });
  // The loudest code, and that of silence.
  const audio = Buffer.concat([Buffer.alloc(16_000, 0x80), Buffer.alloc(8000, 0xff)]);
  send({ type: "input_audio_buffer.append", audio: audio.toString("base64") });
  await until("conversation.item.input_audio_transcription.completed");
  expect(types()).toContain("conversation.item.created");
});

it("lets nobody in without a key of the right scope, and browsers by a client secret", async () => {
  const { port, request, deps } = await startServer();
  const url = `ws://127.0.0.1:${port}/v1/realtime?intent=transcription`;
  expect(await openSocket(url).refused).toBe(401);
  expect(await openSocket(url, [], { authorization: "Bearer wrong" }).refused).toBe(401);
  const { secret } = deps.keys.create({
    name: "voice",
    scopes: ["speech"],
    budgetCountsLocal: false,
  });
  expect(await openSocket(url, [], { authorization: `Bearer ${secret}` }).refused).toBe(403);
  const authorization = `Bearer ${testKey}`;
  const withHost = { authorization, host: "elsewhere.test" };
  expect(await openSocket(url, [], withHost).refused).toBe(403);
  expect(await openSocket(`ws://127.0.0.1:${port}/v1/nothing`, [], { authorization }).refused).toBe(
    404,
  );
  const created = await request("/v1/realtime/client_secrets", {
    method: "POST",
    body: JSON.stringify({ expires_after: { anchor: "created_at", seconds: 60 } }),
    headers: { "content-type": "application/json" },
  });
  const { value } = (await created.json()) as { value: string };
  expect(value).toMatch(/^ek_/);
  const browser = openSocket(url, ["realtime", `openai-insecure-api-key.${value}`], {
    origin: "https://page.test",
  });
  await browser.until("session.created");
  expect(browser.socket.protocol).toBe("realtime");
  // It is for realtime sessions alone.
  const models = await fetch(`http://127.0.0.1:${port}/v1/models`, {
    headers: { authorization: `Bearer ${value}` },
  });
  expect(models.status).toBe(401);
  expect((await request("/v1/realtime")).status).toBe(400);
});

it("keeps no session for handshakes that fail", async () => {
  const { port } = await startServer();
  const authorization = `Bearer ${testKey}`;
  // Without a WebSocket key.
  for (let count = 0; count < 40; count += 1)
    await new Promise<void>((resolve, reject) => {
      const request = get({
        port,
        path: "/v1/realtime",
        headers: { authorization, connection: "Upgrade", upgrade: "websocket" },
      });
      request.on("response", (response) => void response.resume().on("close", resolve));
      request.on("error", reject);
    });
  const { until } = openSocket(`ws://127.0.0.1:${port}/v1/realtime`, [], { authorization });
  expect((await until("session.created")).type).toBe("session.created");
});

it("says so when a client sends faster than is transcribed, and when recognition fails", async () => {
  const { port } = await startServer(() => ({
    ...createLoudnessRecognizer(),
    detectSpeech: () => new Promise(() => {}),
  }));
  const { realtime, until, events } = openRealtime(port, testKey);
  await until("session.created");
  for (let sec = 0; sec < 80; sec += 10)
    realtime.send({ type: "input_audio_buffer.append", audio: silence(10) });
  const { error } = await until("error");
  expect(error).toMatchObject({ code: "rate_limit_exceeded" });
  expect(events.length).toBeGreaterThan(1);
  const failing = await startServer(() => ({
    ...createLoudnessRecognizer(),
    settle: () => Promise.reject(new Error("broken")),
  }));
  const other = openRealtime(failing.port, testKey);
  await other.until("session.created");
  other.realtime.send({ type: "input_audio_buffer.append", audio: tone(2) });
  other.realtime.send({ type: "input_audio_buffer.append", audio: silence(2) });
  const failed = await other.until("conversation.item.input_audio_transcription.failed");
  expect(failed["error"]).toMatchObject({ type: "server_error" });
});

it("ends cleanly where a client drops the line in the middle of a turn", async () => {
  const closed = Promise.withResolvers<boolean>();
  let settling: AbortSignal | undefined;
  const { port } = await startServer(() => ({
    ...createLoudnessRecognizer(),
    settle(_, __, signal) {
      settling = signal;
      line.socket.terminate();
      return new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason)),
      );
    },
    close: () => closed.resolve(settling?.aborted === true),
  }));
  const line = openSocket(`ws://127.0.0.1:${port}/v1/realtime`, [], {
    authorization: `Bearer ${testKey}`,
  });
  await line.until("session.created");
  line.send({ type: "input_audio_buffer.append", audio: tone(2) });
  line.send({ type: "input_audio_buffer.commit" });
  expect(await closed.promise).toBe(true);
});

it("refuses formats and rates that it does not know, and takes samples that are cut anywhere", async () => {
  const { port } = await startServer();
  const { send, until, events } = openSocket(`ws://127.0.0.1:${port}/v1/realtime`, [], {
    authorization: `Bearer ${testKey}`,
  });
  await until("session.created");
  for (const format of [
    { type: "audio/pcm", rate: 44_100 },
    { type: "audio/opus" },
    { type: "audio/pcm", rate: "24000" },
  ])
    send({ type: "session.update", session: { audio: { input: { format } } } });
  await until("error", 3);
  const errors = events.filter(({ type }) => type === "error");
  expect(errors.map(({ error }) => (error as { type: string }).type)).toEqual(
    Array(3).fill("invalid_request_error"),
  );
  const bytes = Buffer.concat([tone(2), silence(1)].map((audio) => Buffer.from(audio, "base64")));
  for (let from = 0; from < bytes.length; from += 9_999) {
    const audio = bytes.subarray(from, from + 9_999).toString("base64");
    send({ type: "input_audio_buffer.append", audio });
  }
  const completed = await until("conversation.item.input_audio_transcription.completed");
  expect(completed["transcript"]).toBe("word0 word1.");
});

it("fails the turns that a key's monthly budget does not allow any more", async () => {
  const server = await startTestServer({
    channels: [toRegisteredChannel(createFakeChannel(), "cloud")],
    deps: {
      openLiveRecognizer({ options: { model }, caller }) {
        const recognizer = createLoudnessRecognizer();
        return {
          ...recognizer,
          // As the app does: each speech segment is a request of its own.
          async settle(pcm, spans, signal) {
            const job = createTranscriptionJob({ model, mediaPath: "", mediaBytes: pcm });
            const events = server.deps.router.transcribe(job, { caller, signal });
            while ((await events.next()).done !== true);
            return recognizer.settle(pcm, spans, signal);
          },
        };
      },
    },
  });
  // The first turn costs a little more.
  const { secret } = server.deps.keys.create({
    name: "small",
    monthlyBudgetUsd: 0.0001,
    budgetCountsLocal: false,
  });
  const { send, until } = openSocket(
    `ws://127.0.0.1:${server.port}/v1/realtime?model=cloud/whisper-1`,
    ["realtime", `openai-insecure-api-key.${secret}`],
  );
  await until("session.created");
  const say = (sec: number): void => {
    for (const audio of [tone(sec), silence(1)]) send({ type: "input_audio_buffer.append", audio });
  };
  say(2);
  await until("conversation.item.input_audio_transcription.completed");
  say(2);
  expect(await until("conversation.item.input_audio_transcription.failed")).toMatchObject({
    error: { code: "insufficient_quota" },
  });
});

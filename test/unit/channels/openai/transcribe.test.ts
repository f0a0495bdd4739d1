// What is sent to a provider for a recording, and how its responses are read.

import { randomBytes } from "node:crypto";
import { readdirSync, readlinkSync } from "node:fs";
import { platform } from "node:process";
import { describe, expect, it } from "vitest";
import type { Transcript } from "../../../../main/contract/speech.ts";
import { encodeAudio, tone } from "../../../support/test-audio.ts";
import {
  neverReadBody,
  events,
  controlledResponse,
  json,
  startSilentServer,
  noResponse,
  startUpstream,
} from "../../../support/upstream.ts";
import type { Behaviour, ReceivedRequest } from "../../../support/upstream.ts";
import { channelTo, failureOf, transcribe, transcriptionJob, recording } from "./support.ts";

async function sent(
  job: Parameters<typeof transcribe>[1],
  config = {},
): Promise<{ received: ReceivedRequest; form: FormData }> {
  const upstream = await startUpstream(json({ text: "So it goes." }));
  await transcribe(channelTo(upstream.baseUrl, { config }), job);
  const received = upstream.requests[0]!;
  return { received, form: await received.form() };
}

async function transcriptOf(
  behaviour: Behaviour,
  job: Parameters<typeof transcribe>[1] = {},
): Promise<Transcript> {
  const upstream = await startUpstream(behaviour);
  const last = (await transcribe(channelTo(upstream.baseUrl), job)).at(-1);
  if (last?.type !== "done") throw new Error("not done");
  return last.transcript;
}

const textsOf = (form: FormData) =>
  Array.from(form).filter(([, value]) => typeof value === "string");

describe("the request", () => {
  it("contains the recording byte for byte, its length, and no headers but our own", async () => {
    const bytes = randomBytes(3_000_001);
    const { received, form } = await sent({
      mediaPath: await recording(bytes),
      via: ["gateway-z"],
    });
    expect(Buffer.from(await (form.get("file") as File).arrayBuffer()).equals(bytes)).toBe(true);
    expect(received).toMatchObject({ method: "POST", path: "/v1/audio/transcriptions" });
    const { host, "content-type": type, ...headers } = received.headers;
    expect(host).toMatch(/^127\.0\.0\.1:/);
    expect(type).toMatch(/^multipart\/form-data; boundary=/);
    expect(headers).toEqual({
      connection: "keep-alive",
      "user-agent": "hearsay",
      accept: "*/*",
      "accept-encoding": "identity",
      "x-hearsay-via": "gateway-a, gateway-z",
      authorization: "Bearer sk-test-0123456789abcdef",
      "content-length": String(received.body.length),
    });
  });

  it("has no authorization header without a key", async () => {
    const upstream = await startUpstream(json({ text: "" }));
    await transcribe(channelTo(upstream.baseUrl, { key: "" }));
    await transcribe(channelTo(upstream.baseUrl, { key: null }));
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it("requests all the details that the job needs", async () => {
    const { form } = await sent({
      language: "de",
      prompt: 'Grüße, "Käthe"',
      temperature: 0.2,
      wordTimes: true,
    });
    expect(textsOf(form)).toEqual([
      ["model", "whisper-1"],
      ["language", "de"],
      ["prompt", 'Grüße, "Käthe"'],
      ["temperature", "0.2"],
      ["response_format", "verbose_json"],
      ["timestamp_granularities[]", "word"],
      ["timestamp_granularities[]", "segment"],
    ]);
  });

  it("names the vocabulary before the prompt", async () => {
    const vocabulary = [{ word: "Käthe", heard: "" }];
    expect((await sent({ vocabulary })).form.get("prompt")).toBe("Käthe.");
    expect((await sent({ vocabulary, prompt: "A talk." })).form.get("prompt")).toBe(
      "Käthe. A talk.",
    );
  });

  it("requests no more details than the job needs", async () => {
    const { form } = await sent({ textOnly: true });
    expect(textsOf(form)).toEqual([
      ["model", "whisper-1"],
      ["response_format", "json"],
    ]);
  });

  it("passes on unknown fields, lists as lists, and lets none of them override our own", async () => {
    const extraFields = new Map([
      ["include", ["logprobs"]],
      ["hotwords", ["Käthe"]],
      ["many", ["a", "b"]],
      ["model", ["other"]],
      ['a"b\r\n', ["c"]],
    ]);
    const { form } = await sent({ textOnly: true, stream: true, extraFields });
    expect(textsOf(form)).toEqual([
      ["model", "whisper-1"],
      ["response_format", "json"],
      ["stream", "true"],
      ["include[]", "logprobs"],
      ["hotwords", "Käthe"],
      ["many[]", "a"],
      ["many[]", "b"],
      ['a"b\r\n', "c"],
    ]);
  });

  it("uses the provider's name for the model", async () => {
    const { form } = await sent(
      { model: "whisper-1" },
      { modelNames: { "whisper-1": "Systran/faster-whisper-large-v3" } },
    );
    expect(form.get("model")).toBe("Systran/faster-whisper-large-v3");
  });

  it("for a translation goes to its own endpoint and names no language", async () => {
    const { received, form } = await sent({ task: "translate", language: "de" });
    expect([received.path, form.get("language")]).toEqual(["/v1/audio/translations", null]);
  });

  it.each([
    ["wav", "audio.wav", "audio/wav"],
    ["mp3", "audio.mp3", "audio/mpeg"],
    ["flac", "audio.flac", "audio/flac"],
    ["opus", "audio.ogg", "audio/ogg"],
    ["webm", "audio.webm", "audio/webm"],
    ["m4a", "audio.m4a", "audio/mp4"],
  ] as const)("names the recording's file by its format: %s", async (kind, name, type) => {
    const { form } = await sent({
      mediaPath: await recording(encodeAudio(tone(440, 0.5, 48_000), 48_000, kind)),
    });
    expect(form.get("file")).toMatchObject({ name, type });
  });
});

describe("a verbose response", () => {
  const segments = [
    {
      id: 0,
      seek: 0,
      start: 0,
      end: 1.5,
      text: " Hear what is said.",
      tokens: [50364, 440],
      temperature: 0.2,
      avg_logprob: -0.29,
      compression_ratio: 1.24,
      no_speech_prob: 0.01,
    },
    {
      id: 1,
      seek: 0,
      start: 1.75,
      end: 3.32,
      text: " And say it.",
      tokens: [1],
      temperature: 0,
      avg_logprob: -0.3,
      compression_ratio: 1.1,
      no_speech_prob: 0.02,
    },
  ];
  const verbose = {
    task: "transcribe",
    language: "english",
    duration: 3.32,
    text: " Hear what is said. And say it.",
    segments,
  };

  it("becomes segments and a transcript", async () => {
    const upstream = await startUpstream(json(verbose));
    const channelEvents = await transcribe(channelTo(upstream.baseUrl));
    expect(channelEvents.map(({ type }) => type)).toEqual(["segment", "segment", "done"]);
    expect(channelEvents[0]).toEqual({
      type: "segment",
      segment: {
        startSec: 0,
        endSec: 1.5,
        text: "Hear what is said.",
        tokens: [50364, 440],
        temperature: 0.2,
        avgLogprob: -0.29,
        compressionRatio: 1.24,
        noSpeechProb: 0.01,
        seekFrames: 0,
        language: "en",
      },
    });
    expect(channelEvents[2]).toMatchObject({
      transcript: {
        language: "english",
        durationSec: 3.32,
        text: "Hear what is said. And say it.",
        segments: [{}, {}],
        failed: [],
      },
    });
  });

  it("assigns each word to the segment that it was spoken in", async () => {
    const words = [
      { word: "Hear", start: 0, end: 0.4 },
      { word: "said", start: 1.2, end: 1.8 },
      { word: " And", start: 1.7, end: 2.1 },
    ];
    const transcript = await transcriptOf(json({ ...verbose, words }), { wordTimes: true });
    expect(transcript.segments.map((segment) => segment.words?.map(({ word }) => word))).toEqual([
      ["Hear", "said"],
      ["And"],
    ]);
  });

  it("may contain its words inside the segments", async () => {
    const words = [{ word: " Hear", start: 0, end: 0.4, probability: 0.9 }];
    const transcript = await transcriptOf(
      json({ ...verbose, segments: [{ ...segments[0], words }] }),
      {
        wordTimes: true,
      },
    );
    expect(transcript.segments[0]?.words).toEqual([
      { word: "Hear", startSec: 0, endSec: 0.4, probability: 0.9 },
    ]);
  });

  it("may contain only words, which make one segment", async () => {
    const transcript = await transcriptOf(
      json({
        text: "Hear it",
        duration: 3,
        words: [
          { word: "Hear", start: 0.5, end: 1 },
          { word: "it", start: 1, end: 1.3 },
        ],
      }),
      { wordTimes: true },
    );
    expect(transcript.segments).toMatchObject([
      { startSec: 0.5, endSec: 1.3, text: "Hear it", words: [{ word: "Hear" }, { word: "it" }] },
    ]);
  });

  it("may lack fields or have wrong types, which become neutral values", async () => {
    const transcript = await transcriptOf(
      json({
        text: "Hallo",
        language: "de",
        duration: "17.65",
        segments: [{ start: 0, end: 2, text: "Hallo", tokens: null, avg_logprob: "NaN" }],
      }),
    );
    expect(transcript).toMatchObject({ language: "german", durationSec: 17.65 });
    expect(transcript.segments[0]).toMatchObject({
      tokens: [],
      temperature: 0,
      avgLogprob: 0,
      compressionRatio: 1,
      noSpeechProb: 0,
      seekFrames: 0,
      language: "de",
    });
  });

  it("of silence has no segments", async () => {
    expect(await transcriptOf(json({ text: "", duration: 2, segments: null }))).toMatchObject({
      text: "",
      durationSec: 2,
      segments: [],
      language: "",
    });
  });
});

describe("a plain response", () => {
  it("has its text, and the duration if there is one", async () => {
    const upstream = await startUpstream(
      json({ text: " So it goes.\n", usage: { type: "duration", seconds: 9 } }),
    );
    expect(await transcribe(channelTo(upstream.baseUrl), { textOnly: true })).toEqual([
      { type: "text", text: "So it goes." },
      {
        type: "done",
        transcript: { language: "", durationSec: 9, text: "So it goes.", segments: [], failed: [] },
      },
    ]);
    expect(
      await transcriptOf(json({ text: "Hi", usage: { type: "tokens", total_tokens: 4 } }), {
        textOnly: true,
      }),
    ).toMatchObject({ durationSec: 0 });
  });

  it("is emitted as one text where a stream was requested", async () => {
    const upstream = await startUpstream(json({ text: "So it goes." }));
    expect(
      (await transcribe(channelTo(upstream.baseUrl), { textOnly: true, stream: true })).map(
        ({ type }) => type,
      ),
    ).toEqual(["text", "done"]);
  });
});

const chunk = (content: string) => ({
  object: "transcription.chunk",
  choices: [{ delta: { content } }],
});

describe("streamed events", () => {
  const streaming = { textOnly: true, stream: true };

  it("are emitted as they arrive", async () => {
    const stream = controlledResponse("text/event-stream");
    const upstream = await startUpstream(stream.behaviour);
    const eventSource = channelTo(upstream.baseUrl).transcribe(
      await transcriptionJob(streaming),
      new AbortController().signal,
    );
    const channelEvents = eventSource[Symbol.asyncIterator]();
    for (const text of ["So", " it", " göes"]) {
      const next = channelEvents.next();
      const bytes = Buffer.from(
        `data: ${JSON.stringify({ type: "transcript.text.delta", delta: text })}\r\n\r\n`,
      );
      // A character may be split across two chunks.
      const cut = bytes.indexOf(0xb6) > 0 ? bytes.indexOf(0xb6) : 12;
      await stream.write(bytes.subarray(0, cut));
      await stream.write(bytes.subarray(cut));
      expect((await next).value).toEqual({ type: "text", text });
    }
    const done = channelEvents.next();
    await stream.write(
      ": a comment\n\nevent: x\ndata: " +
        '{"type":"transcript.text.done","text":"So it göes","usage":{"type":"duration","seconds":3}}\n\n',
    );
    expect((await done).value).toEqual({
      type: "done",
      transcript: { language: "", durationSec: 3, text: "So it göes", segments: [], failed: [] },
    });
    expect((await channelEvents.next()).done).toBe(true);
    await stream.closed;
  });

  it("may have vLLM's format", async () => {
    const upstream = await startUpstream(
      events([chunk("So"), chunk(" it goes."), chunk(""), "[DONE]"]),
    );
    expect(await transcribe(channelTo(upstream.baseUrl), streaming)).toMatchObject([
      { text: "So" },
      { text: " it goes." },
      { type: "done", transcript: { text: "So it goes." } },
    ]);
  });

  it("of an unknown type are skipped, and a text that comes only at the end is emitted", async () => {
    const upstream = await startUpstream(
      events([
        { type: "transcript.text.segment", text: "So" },
        { error: null, type: "ping" },
        { type: "transcript.text.done", text: "So it goes." },
      ]),
    );
    expect(await transcribe(channelTo(upstream.baseUrl), streaming)).toMatchObject([
      { type: "text", text: "So it goes." },
      { type: "done" },
    ]);
  });
});

/** File descriptors of this process that are open on the file. */
const openFiles = (path: string) =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false;
    }
  });

describe("a caller that disconnects", () => {
  it("ends the request, before and during the response", async () => {
    for (const behaviour of [noResponse, controlledResponse("text/event-stream").behaviour]) {
      const upstream = await startUpstream(behaviour);
      const stop = new AbortController();
      const failure = failureOf(
        transcribe(channelTo(upstream.baseUrl), { textOnly: true, stream: true }, stop.signal),
      );
      await expect.poll(() => upstream.requests[0]?.isComplete).toBe(true);
      const reason = new Error("the client left");
      stop.abort(reason);
      expect(await failure).toBe(reason);
      await expect.poll(upstream.activeCount).toBe(0);
    }
  });

  it("does not wait for a connection, and causes no request", async () => {
    const upstream = await startUpstream(noResponse);
    const reason = new Error("left before it began");
    expect(
      await failureOf(transcribe(channelTo(upstream.baseUrl), {}, AbortSignal.abort(reason))),
    ).toBe(reason);
    expect(upstream.requests).toEqual([]);

    const { baseUrl, connectionCount } = await startSilentServer();
    const stop = new AbortController();
    const failure = failureOf(
      transcribe(channelTo(baseUrl, { limits: { connectMs: 60_000 } }), {}, stop.signal),
    );
    await expect.poll(connectionCount).toBe(1);
    stop.abort(reason);
    expect(await failure).toBe(reason);
  });

  it.skipIf(platform !== "linux")(
    "stops the reading of the recording, as a timeout does",
    async () => {
      const mediaPath = await recording(Buffer.alloc(64 * 2 ** 20));
      const upstream = await startUpstream(neverReadBody);
      const stop = new AbortController();
      const left = failureOf(transcribe(channelTo(upstream.baseUrl), { mediaPath }, stop.signal));
      await expect.poll(() => upstream.requests.length).toBe(1);
      expect(openFiles(mediaPath)).toHaveLength(1);
      stop.abort(new Error("left"));
      await left;
      await expect.poll(() => openFiles(mediaPath)).toEqual([]);

      expect(
        await failureOf(
          transcribe(channelTo(upstream.baseUrl, { limits: { totalMs: 200 } }), { mediaPath }),
        ),
      ).toMatchObject({ key: "upstream_timeout" });
      await expect.poll(() => openFiles(mediaPath)).toEqual([]);
    },
  );
});

it("never buffers more of a large recording than is being sent", async () => {
  const mediaPath = await recording(Buffer.alloc(150 * 2 ** 20));
  let receivedBytes = 0;
  const counting: Behaviour = Object.assign(
    ({ request, response }: Parameters<Behaviour>[0]) => {
      request.on("data", (part: Buffer) => (receivedBytes += part.length));
      request.on("end", () =>
        response.writeHead(200, { "content-type": "application/json" }).end('{"text":"long"}'),
      );
    },
    { respondsBeforeBody: true } as const,
  );
  const upstream = await startUpstream(counting);
  const before = process.memoryUsage().rss;
  expect(await transcribe(channelTo(upstream.baseUrl), { mediaPath, textOnly: true })).toHaveLength(
    2,
  );
  expect(receivedBytes).toBeGreaterThan(150 * 2 ** 20);
  expect(process.memoryUsage().rss - before).toBeLessThan(90 * 2 ** 20);
});

it("reuses a connection after a response was read", async () => {
  const upstream = await startUpstream(json({ text: "So it goes." }));
  const channel = channelTo(upstream.baseUrl);
  for (let round = 0; round < 5; round += 1) await transcribe(channel);
  expect(upstream.connectionCount()).toBe(1);
});

it("aborts active requests when it is closed, with a clear error", async () => {
  const upstream = await startUpstream(noResponse);
  const channel = channelTo(upstream.baseUrl);
  const failure = failureOf(transcribe(channel));
  await expect.poll(() => upstream.requests.length).toBe(1);
  await channel.close();
  expect(await failure).toMatchObject({
    key: "channel_closed",
    message: "The channel 'Cloud' was switched off.",
    row: { type: "upstream_error", code: "channel_closed" },
  });
  expect(await failureOf(transcribe(channel))).toMatchObject({ key: "channel_closed" });
});

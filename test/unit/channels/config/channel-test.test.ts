import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { sniffContainer } from "../../../../main/audio/codec/formats.ts";
import { joinBytes, wavHeader } from "../../../../main/audio/codec/framing.ts";
import { testChannel } from "../../../../main/channels/config/channel-test.ts";
import { createOpenAiChannel } from "../../../../main/channels/openai/channel.ts";
import { channelFields } from "../../../../main/contract/channels.ts";
import type { ChannelInput, ChannelTest } from "../../../../main/contract/channels.ts";
import { createLog } from "../../../../main/log.ts";
import {
  respondWith,
  html,
  json,
  refusingBaseUrl,
  noResponse,
  startUpstream,
} from "../../../support/upstream.ts";
import type { TestUpstream } from "../../../support/upstream.ts";
import { openOutbound } from "../../../support/outbound.ts";

const clipPath = join(import.meta.dirname, "../../../../main/channels/config/test-clip.mp3");
const transcription = json({ text: " Yellow lemons roll down the street." });
const wav = (samples: number) =>
  joinBytes([wavHeader(24_000, samples), new Uint8Array(2 * samples)]);
const speech = respondWith(200, "audio/wav", wav(2400));
const secret = "sk-test-1234567890";

async function startProvider(
  models: readonly string[] = ["whisper-1", "gpt-4o-transcribe", "tts-1"],
): Promise<TestUpstream> {
  const upstream = await startUpstream();
  upstream.setBehaviour(json({ data: models.map((id) => ({ id, object: "model" })) }), "/models");
  upstream.setBehaviour(transcription, "/transcriptions");
  upstream.setBehaviour(speech, "/speech");
  return upstream;
}

type Given = Partial<ChannelInput> & { key?: string; limitMs?: number; signal?: AbortSignal };

async function testAt(
  baseUrl: string,
  { key, limitMs = 5_000, signal = new AbortController().signal, ...fields }: Given = {},
): Promise<ChannelTest> {
  const config = {
    ...channelFields.parse({ name: "Test", prefix: "test", baseUrl, ...fields }),
    id: "test",
  };
  const channel = createOpenAiChannel({
    config,
    key: () => key,
    instanceId: "here",
    outbound: openOutbound,
    log: createLog("silent"),
  });
  onTestFinished(() => channel.close());
  return testChannel({ channel, config, hasKey: key !== undefined, limitMs }, signal);
}

const outcomes = ({ steps }: ChannelTest) =>
  Object.fromEntries(steps.map(({ step, outcome }) => [step, outcome]));
const messageOf = ({ steps }: ChannelTest, step: string) =>
  steps.find((one) => one.step === step)?.message;

it("has a clip of less than 20 KB", async () => {
  const clip = await readFile(clipPath);
  expect(sniffContainer(clip)).toBe("mp3");
  expect(clip.length).toBeLessThan(20_000);
});

it("connects, authenticates, lists models, transcribes the clip and synthesizes", async () => {
  const upstream = await startProvider();
  const result = await testAt(upstream.baseUrl, { key: secret });
  expect(result.ok).toBe(true);
  expect(outcomes(result)).toEqual({
    reach: "passed",
    key: "passed",
    models: "passed",
    hear: "passed",
    speak: "passed",
  });
  expect(messageOf(result, "models")).toBe("models: 3; for transcription: 2, for speech: 1");
  expect(messageOf(result, "hear")).toMatch(
    /^whisper-1 transcribed “Yellow lemons roll down the street\.” in \d+ ms$/,
  );
  expect(messageOf(result, "speak")).toMatch(/^the first audio of tts-1 came after \d+ ms$/);

  const paths = upstream.requests.map(({ path }) => path).sort();
  expect(paths).toEqual(["/v1/audio/speech", "/v1/audio/transcriptions", "/v1/models"]);
  const form = await upstream.requests.find(({ path }) => path.endsWith("/transcriptions"))!.form();
  expect(Buffer.from(await (form.get("file") as File).arrayBuffer())).toEqual(
    await readFile(clipPath),
  );
  expect(form.get("model")).toBe("whisper-1");
  expect(upstream.requests.find(({ path }) => path.endsWith("/speech"))!.json()).toMatchObject({
    model: "tts-1",
    voice: "alloy",
    input: "Hello from Hearsay.",
  });
});

it("requests a voice from the channel's voice names", async () => {
  const upstream = await startProvider(["tts-1"]);
  await testAt(upstream.baseUrl, { voiceNames: { nova: "af_nova" } });
  expect(upstream.requests.at(-1)!.json()).toMatchObject({ voice: "af_nova" });
});

it("stops when the connection fails, and gives the reason", async () => {
  const result = await testAt(await refusingBaseUrl());
  expect(result.ok).toBe(false);
  expect(outcomes(result)).toEqual({
    reach: "failed",
    key: "untested",
    models: "untested",
    hear: "untested",
    speak: "untested",
  });
  expect(messageOf(result, "reach")).toContain("refused");
});

it("stops when the response exceeds the time limit", async () => {
  const upstream = await startProvider();
  upstream.setBehaviour(noResponse, "/models");
  const result = await testAt(upstream.baseUrl, { limitMs: 50 });
  expect(outcomes(result)).toMatchObject({ reach: "failed", hear: "untested" });
  expect(messageOf(result, "reach")).toContain("No answer within 0.05 s");
});

it.each([401, 403])(
  "distinguishes a key that is rejected with %i from a missing one",
  async (status) => {
    const upstream = await startProvider();
    upstream.setBehaviour(
      json({ error: { message: `Incorrect API key provided: ${secret}` } }, status),
      "/models",
    );
    const refused = await testAt(upstream.baseUrl, { key: secret });
    expect(outcomes(refused)).toEqual({
      reach: "passed",
      key: "failed",
      models: "untested",
      hear: "untested",
      speak: "untested",
    });
    expect(messageOf(refused, "key")).toContain("Incorrect API key provided");
    expect(refused.ok).toBe(false);
    expect(messageOf(await testAt(upstream.baseUrl), "key")).toMatch(
      /^a key is needed: .*Incorrect API key provided/,
    );
  },
);

it("detects a wrong key when only the transcription endpoint checks it", async () => {
  const upstream = await startProvider();
  upstream.setBehaviour(json({ error: { message: "Who are you?" } }, 401), "/transcriptions");
  const result = await testAt(upstream.baseUrl, { key: secret });
  expect(messageOf(result, "key")).toContain("Who are you?");
  expect(outcomes(result)).toEqual({
    reach: "passed",
    key: "failed",
    models: "passed",
    hear: "untested",
    speak: "passed",
  });
  expect(result.ok).toBe(false);
});

it("reports that no key was required when there is none", async () => {
  const result = await testAt((await startProvider()).baseUrl);
  expect(result.ok).toBe(true);
  expect(outcomes(result)).toMatchObject({ key: "untested", hear: "passed" });
  expect(messageOf(result, "key")).toBe("no key was required");
});

it("tries the configured models when the provider has no list", async () => {
  const upstream = await startProvider();
  upstream.setBehaviour(json({ detail: "Not Found" }, 404), "/models");
  const named = await testAt(upstream.baseUrl, {
    key: secret,
    modelNames: { ears: "whisper-large-v3" },
  });
  expect(named.ok).toBe(true);
  expect(outcomes(named)).toEqual({
    reach: "passed",
    key: "passed",
    models: "untested",
    hear: "passed",
    speak: "untested",
  });
});

it("fails without models to list or test, and points out a base URL without a version", async () => {
  const upstream = await startProvider();
  upstream.setBehaviour(json({ detail: "Not Found" }, 404), "/models");
  const unnamed = await testAt(upstream.baseUrl, { key: secret });
  expect(unnamed.ok).toBe(false);
  expect(outcomes(unnamed)).toEqual({
    reach: "passed",
    key: "untested",
    models: "failed",
    hear: "untested",
    speak: "untested",
  });
  expect(messageOf(unnamed, "models")).toBe("Not Found");

  const mistaken = await testAt(upstream.origin);
  expect(mistaken.ok).toBe(false);
  expect(messageOf(mistaken, "models")).toBe(
    "Not Found (most addresses end in /v1; this one has no version)",
  );
});

it("passes a provider that cannot transcribe", async () => {
  const result = await testAt((await startProvider(["kokoro", "something-else"])).baseUrl);
  expect(result.ok).toBe(true);
  expect(outcomes(result)).toMatchObject({ models: "passed", hear: "untested", speak: "passed" });
  expect(messageOf(result, "models")).toBe("models: 2; for transcription: 0, for speech: 1");
});

it("fails when the list of models is a web page", async () => {
  const upstream = await startProvider();
  upstream.setBehaviour(html(), "/models");
  const result = await testAt(upstream.baseUrl, { key: secret });
  expect(result.ok).toBe(false);
  expect(outcomes(result)).toMatchObject({ reach: "passed", models: "failed", hear: "untested" });
});

it("fails when the filter excludes all models", async () => {
  const result = await testAt((await startProvider()).baseUrl, { modelFilter: ["parakeet*"] });
  expect(result.ok).toBe(false);
  expect(outcomes(result)).toMatchObject({ models: "failed", hear: "untested", speak: "untested" });
});

it.each([
  [
    "different words",
    json({ text: "Thank you for watching." }),
    "transcribed “Thank you for watching.”",
  ],
  ["an empty text", json({ text: "" }), "transcribed nothing"],
  [
    "an error",
    json({ error: { message: "The model is on holiday." } }, 500),
    "whisper-1: The model is on holiday.",
  ],
])("fails the transcription step when the result is %s", async (_, behaviour, message) => {
  const upstream = await startProvider(["whisper-1", "tts-1"]);
  upstream.setBehaviour(behaviour, "/transcriptions");
  const result = await testAt(upstream.baseUrl);
  expect(result.ok).toBe(false);
  expect(outcomes(result)).toMatchObject({ hear: "failed", speak: "passed" });
  expect(messageOf(result, "hear")).toContain(message);
});

it("does not fail a model that exceeds the time limit, since it may be loading", async () => {
  const upstream = await startProvider(["whisper-1", "tts-1"]);
  upstream.setBehaviour(noResponse, "/transcriptions");
  const listed = await testAt(upstream.baseUrl, { limitMs: 500 });
  expect(listed.ok).toBe(true);
  expect(outcomes(listed)).toMatchObject({ models: "passed", hear: "untested", speak: "passed" });
  expect(messageOf(listed, "hear")).toBe(
    "whisper-1: No answer within 0.5 s. It may have to be loaded first: try again.",
  );

  upstream.setBehaviour(json({ detail: "Not Found" }, 404), "/models");
  const named = await testAt(upstream.baseUrl, { limitMs: 500, modelNames: { ears: "whisper-1" } });
  expect(named.ok).toBe(false);
  expect(outcomes(named)).toMatchObject({ models: "untested", hear: "untested" });
});

it("shares one time limit among all steps", async () => {
  const upstream = await startProvider(["whisper-1", "tts-1"]);
  upstream.setBehaviour(
    ({ response }) =>
      setTimeout(() => response.end(`{"data":[{"id":"whisper-1"},{"id":"tts-1"}]}`), 700),
    "/models",
  );
  upstream.setBehaviour(noResponse, "/transcriptions");
  upstream.setBehaviour(noResponse, "/speech");
  const began = performance.now();
  const result = await testAt(upstream.baseUrl, { limitMs: 1000 });
  expect(performance.now() - began).toBeLessThan(1500);
  expect(outcomes(result)).toMatchObject({ models: "passed", hear: "untested", speak: "untested" });
});

it("fails the synthesis step when the file has no audio", async () => {
  const upstream = await startProvider(["tts-1"]);
  upstream.setBehaviour(respondWith(200, "audio/wav", wav(0)), "/speech");
  const result = await testAt(upstream.baseUrl);
  expect(outcomes(result)).toMatchObject({ speak: "failed" });
  expect(messageOf(result, "speak")).toBe("tts-1 answered without audio");
});

it("does not fail a provider that lacks the voice", async () => {
  const upstream = await startProvider(["whisper-1", "piper-en"]);
  upstream.setBehaviour(
    json(
      {
        detail: {
          error: "validation_error",
          message: "Voice 'alloy' not found. Available voices: amy",
        },
      },
      400,
    ),
    "/speech",
  );
  const result = await testAt(upstream.baseUrl);
  expect(result.ok).toBe(true);
  expect(outcomes(result)).toMatchObject({ hear: "passed", speak: "untested" });
  expect(messageOf(result, "speak")).toContain("Available voices: amy");
});

it("fails when the channel points at this server itself", async () => {
  const upstream = await startProvider();
  upstream.setBehaviour(
    json({ error: { message: "This came from here.", code: "channel_loop" } }, 508),
    "/models",
  );
  const result = await testAt(upstream.baseUrl);
  expect(outcomes(result)).toMatchObject({ reach: "failed", models: "untested" });
});

it("ends when the caller aborts", async () => {
  const upstream = await startProvider();
  const leaving = new AbortController();
  upstream.setBehaviour(() => leaving.abort(new Error("gone")), "/transcriptions");
  await expect(testAt(upstream.baseUrl, { signal: leaving.signal })).rejects.toThrow("gone");
});

it("never exposes the key", async () => {
  const upstream = await startProvider();
  upstream.setBehaviour(
    json({ error: { message: `the key ${secret} is rate limited` } }, 429),
    "/transcriptions",
  );
  upstream.setBehaviour(json({ error: { message: `${secret}?` } }, 400), "/speech");
  const result = await testAt(upstream.baseUrl, { key: secret });
  expect(outcomes(result)).toMatchObject({ hear: "failed", speak: "failed" });
  expect(JSON.stringify(result)).not.toContain(secret.slice(0, 8));
});

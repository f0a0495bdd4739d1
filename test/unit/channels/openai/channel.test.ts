// A provider's list of models, and how the channel describes itself.

import { describe, expect, it } from "vitest";
import { createModelFilter, kindByName } from "../../../../main/channels/openai/model-list.ts";
import { redactKey } from "../../../../main/channels/upstream-error.ts";
import {
  html,
  largeBody,
  json,
  noResponse,
  refusingBaseUrl,
  resetConnection,
  startUpstream,
} from "../../../support/upstream.ts";
import { channelTo, failureOf, never, synthesize, transcribe } from "./support.ts";
import { cpuMs } from "../../../support/cpu-time.ts";

const listOf = (...ids: string[]) =>
  json({
    object: "list",
    data: ids.map((id) => ({ id, object: "model", created: 5, owned_by: "them" })),
  });

it("is a channel that is not local, never busy, and has no voices of its own", async () => {
  const channel = channelTo("http://127.0.0.1:9/v1");
  expect([
    channel.name,
    channel.isLocal,
    channel.isBusy(),
    channel.voices(),
    channel.models(),
    channel.listState,
  ]).toEqual(["Cloud", false, false, [], [], {}]);
});

describe("the list of models", () => {
  it("is requested with the key, and is the same object until it changes", async () => {
    const upstream = await startUpstream(listOf("whisper-1", "tts-1", "gpt-5"));
    const channel = channelTo(`${upstream.baseUrl}/`);
    await channel.refresh(never);
    const models = channel.models();
    expect(models).toEqual([
      { id: "whisper-1", created: 5, ownedBy: "them", kind: "speech-to-text" },
      { id: "tts-1", created: 5, ownedBy: "them", kind: "text-to-speech" },
      { id: "gpt-5", created: 5, ownedBy: "them", kind: "unknown" },
    ]);
    expect(upstream.requests[0]).toMatchObject({
      method: "GET",
      path: "/v1/models",
      headers: { authorization: "Bearer sk-test-0123456789abcdef" },
    });
    await channel.refresh(never);
    expect(channel.models()).toBe(models);
    upstream.setBehaviour(listOf("whisper-1"));
    await channel.refresh(never);
    expect(channel.models().map(({ id }) => id)).toEqual(["whisper-1"]);
  });

  it("is kept while the provider is unreachable, and the reason is reported", async () => {
    const upstream = await startUpstream(listOf("whisper-1"));
    const channel = channelTo(upstream.baseUrl);
    await channel.refresh(never);
    const { atMs } = channel.listState;
    expect(atMs).toBeGreaterThan(Date.now() - 60_000);
    upstream.setBehaviour(json({ error: { message: "down for now" } }, 503));
    expect(await failureOf(channel.refresh(never))).toMatchObject({ row: { status: 503 } });
    expect(channel.listState).toEqual({
      atMs,
      error: expect.objectContaining({ message: "down for now" }),
      isKeyRefused: false,
    });
    expect(channel.models()).toHaveLength(1);
    upstream.setBehaviour(listOf("whisper-1"));
    await channel.refresh(never);
    expect(channel.listState.error).toBeUndefined();
  });

  it("contains what the filter admits and the names that the user configured", async () => {
    const upstream = await startUpstream(
      listOf("Whisper-Large", "whisper-large-tts", "kokoro", "gpt-5", "gpt-5"),
    );
    const channel = channelTo(upstream.baseUrl, {
      config: {
        modelFilter: ["whisper*", "GPT-?", "gpt*5"],
        modelNames: { mine: "kokoro", "gpt-5": "Whisper-Large", later: "some-asr" },
      },
    });
    expect(channel.models().map(({ id, kind }) => [id, kind])).toEqual([
      ["mine", "text-to-speech"],
      ["gpt-5", "speech-to-text"],
      ["later", "speech-to-text"],
    ]);
    await channel.refresh(never);
    expect(
      Object.fromEntries(channel.models().map(({ id, kind, ownedBy }) => [id, [kind, ownedBy]])),
    ).toEqual({
      "Whisper-Large": ["speech-to-text", "them"],
      "whisper-large-tts": ["text-to-speech", "them"],
      "gpt-5": ["speech-to-text", "them"],
      mine: ["text-to-speech", "them"],
      later: ["speech-to-text", "Cloud"],
    });
  });

  it.each([
    [{ id: "a", task: "automatic-speech-recognition" }, "speech-to-text"],
    [{ id: "a", task: "text-to-speech" }, "text-to-speech"],
    [{ id: "whisper-like-name", type: "text-to-speech" }, "text-to-speech"],
    [{ id: "a", capabilities: { text_to_speech: false, speech_to_text: true } }, "speech-to-text"],
    [{ id: "a", capabilities: ["tts"] }, "text-to-speech"],
    [{ id: "a", architecture: { modality: "text->audio" } }, "text-to-speech"],
    [{ id: "a", type: "chat" }, "unknown"],
    [{ id: "whisper-1", type: "model", created: "yesterday", owned_by: null }, "speech-to-text"],
  ])("says what a model does: %j", async (model, kind) => {
    for (const body of [{ data: [model] }, { models: [model] }, [model]]) {
      const upstream = await startUpstream(json(body));
      const channel = channelTo(upstream.baseUrl);
      await channel.refresh(never);
      expect(channel.models()).toMatchObject([{ id: model.id, kind }]);
    }
  });

  it("is rejected when it is invalid, too large or does not arrive", async () => {
    const endless = largeBody("application/json", 2 ** 31, { begin: '{"data":"' });
    for (const behaviour of [json({ data: "none" }), html(), endless]) {
      const upstream = await startUpstream(behaviour);
      const channel = channelTo(upstream.baseUrl);
      expect(await failureOf(channel.refresh(never))).toMatchObject({ key: "upstream_broken" });
      expect(channel.listState).toEqual({
        error: expect.objectContaining({ id: expect.stringMatching(/^upstream\./) }),
        isKeyRefused: false,
      });
    }
    expect(endless.sentBytes()).toBeLessThan(32 * 2 ** 20);
    const upstream = await startUpstream(noResponse);
    expect(
      await failureOf(channelTo(upstream.baseUrl, { limits: { totalMs: 100 } }).refresh(never)),
    ).toMatchObject({ key: "upstream_timeout" });
  });

  it("is not requested for a caller that aborted, and the provider is not blamed", async () => {
    const upstream = await startUpstream(noResponse);
    const channel = channelTo(upstream.baseUrl);
    const reason = new Error("left");
    expect(await failureOf(channel.refresh(AbortSignal.abort(reason)))).toBe(reason);
    expect(channel.listState).toEqual({});
  });
});

const fits = (pattern: string, id: string) => createModelFilter([pattern])(id);

it("matches patterns with asterisks, ignoring case", async () => {
  expect(
    ["whisper*", "*-1", "*", "WHISPER-1", "w*-*1", "w**1"].map((pattern) =>
      fits(pattern, "whisper-1"),
    ),
  ).toEqual(Array(6).fill(true));
  expect(
    ["whisper", "*-2", "whisper-1*1", "", "w*x*1", "whisper.1"].map((pattern) =>
      fits(pattern, "whisper-1"),
    ),
  ).toEqual(Array(6).fill(false));
  expect(createModelFilter([])("anything")).toBe(true);
  expect(
    await cpuMs(() => expect(fits(`${"*a".repeat(90)}b`, "a".repeat(200))).toBe(false)),
  ).toBeLessThan(50);
});

it.each([
  ["whisper-large-v3-turbo", "speech-to-text"],
  ["gpt-4o-mini-transcribe", "speech-to-text"],
  ["nvidia/parakeet-tdt-0.6b-v3", "speech-to-text"],
  ["mistralai/Voxtral-Mini-3B", "speech-to-text"],
  ["ibm/granite-speech-3.3-8b", "speech-to-text"],
  ["Qwen3-ASR", "speech-to-text"],
  ["gpt-4o-mini-tts", "text-to-speech"],
  ["playai-tts-arabic", "text-to-speech"],
  ["canopylabs/orpheus-v1-english", "text-to-speech"],
  ["speaches-ai/Kokoro-82M-v1.0-ONNX", "text-to-speech"],
  ["xtts", "text-to-speech"],
  ["llama-3.3-70b", "unknown"],
  ["text-embedding-3-small", "unknown"],
  ["mastodon", "unknown"],
])("infers from its name what %s does", (id, kind) => {
  expect(kindByName(id)).toBe(kind);
});

it("redacts the key in a text, and parts of it of at least eight characters", () => {
  const key = "sk-abcdefghijkl";
  expect(redactKey(`a ${key} b`, key)).toBe("a [key] b");
  expect(redactKey("sk-abcde****ijkl", key)).toBe("[key]****ijkl");
  expect(redactKey(`${key}${key}`, key)).toBe("[key][key]");
  expect(redactKey("sk-abcd", key)).toBe("sk-abcd");
  expect(redactKey("none of it: none", "none")).toBe("[key] of it: [key]");
  expect(redactKey("a box", "x")).toBe("a box");
  expect(redactKey("as it is", undefined)).toBe("as it is");
});

it("reports that it receives audio or text only if it can be reached", async () => {
  let sentCount = 0;
  const onSending = (): void => void (sentCount += 1);
  const unreachable = channelTo(await refusingBaseUrl());
  await failureOf(transcribe(unreachable, {}, never, onSending));
  await failureOf(synthesize(unreachable, {}, never, onSending));
  expect(sentCount).toBe(0);
  const upstream = await startUpstream(resetConnection);
  const failing = channelTo(upstream.baseUrl);
  await failureOf(transcribe(failing, {}, never, onSending));
  await failureOf(synthesize(failing, {}, never, onSending));
  expect(sentCount).toBe(2);
});

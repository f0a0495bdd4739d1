import { describe, expect, it } from "vitest";

import { appError } from "../../../support/app-error.ts";
import type { SpeechChunk } from "../../../../main/contract/speech.ts";
import { failingIterable, streamSpeech } from "../../../support/fake-channel.ts";
import { createTestGateway } from "../../../support/gateway-server.ts";
import type { TestOptions } from "../../../support/gateway-server.ts";

const path = "/v1/audio/speech";
const good = { model: "tts-1", voice: "nova", input: "It is said." };
const post = (
  body: unknown,
  headers: Record<string, string> = { "content-type": "application/json" },
) => ({
  method: "POST",
  headers,
  body: typeof body === "string" ? body : JSON.stringify(body),
});
const chunk = (text: string, audioSec = 1): SpeechChunk => ({
  bytes: Buffer.from(text),
  audioSec,
  progress: 0.5,
});

async function refusal(body: unknown, options: TestOptions = {}) {
  const { request, channel } = await createTestGateway(options);
  const response = await request(path, post(body));
  return {
    status: response.status,
    synthesisCount: channel.speechJobs.length,
    ...(await response.json()).error,
  };
}

describe("speech", () => {
  it.each([
    ["mp3", "audio/mpeg"],
    ["opus", "audio/opus"],
    ["aac", "audio/aac"],
    ["flac", "audio/flac"],
    ["wav", "audio/wav"],
    ["pcm", "audio/pcm"],
  ])("as %s has the content type %s", async (response_format, type) => {
    const { request, channel } = await createTestGateway();
    const response = await request(path, post({ ...good, response_format }));
    expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
    expect(await response.text()).toBe("said: It is said.");
    expect(channel.speechJobs).toEqual([
      {
        model: "tts-1",
        text: "It is said.",
        voice: "nova",
        speed: 1,
        format: response_format,
        extraFields: {},
        via: [],
      },
    ]);
  });

  it("is mp3 at speed 1 by default, and ignores unknown fields", async () => {
    const { request, channel } = await createTestGateway();
    const extras = {
      speed: null,
      response_format: null,
      instructions: "None",
      user: "x",
      stream: true,
      lang_code: "a",
      stream_format: "audio",
    };
    const response = await request(
      path,
      post(
        { ...good, ...extras },
        { "content-type": "text/plain", accept: "application/octet-stream" },
      ),
    );
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "audio/mpeg"]);
    expect(channel.speechJobs[0]).toMatchObject({ speed: 1, format: "mp3" });
    await request(path, post({ ...good, speed: 0.25 }));
    await request(path, post({ ...good, speed: 4, voice: { id: "onyx" } }));
    expect(channel.speechJobs.slice(1)).toMatchObject([
      { speed: 0.25 },
      { speed: 4, voice: "onyx" },
    ]);
  });

  it.each([
    [{ language: "es" }, "es"],
    [{ language: "pt-BR" }, "pt"],
    [{ language: "French" }, "fr"],
    [{ lang_code: "en-gb" }, "en"],
    [{ lang_code: "e" }, "es"],
    [{ language: "it", lang_code: "e" }, "it"],
    [{ language: "auto", lang_code: "" }, undefined],
    [{ language: null }, undefined],
  ])("is in the language of %j: %s", async (fields, language) => {
    const { request, channel } = await createTestGateway();
    expect((await request(path, post({ ...good, ...fields }))).status).toBe(200);
    expect(channel.speechJobs[0]?.language).toBe(language);
    // A provider gets the fields as they were sent.
    expect(channel.speechJobs[0]?.extraFields).toEqual(fields);
  });

  it.each([
    ["language", "xx"],
    ["lang_code", "klingon"],
    ["language", 7],
  ])("is refused if %s is '%s'", async (field, value) => {
    const { status, param, message, synthesisCount } = await refusal({ ...good, [field]: value });
    expect([status, param, synthesisCount]).toEqual([400, field, 0]);
    expect(message).toContain(`'${field}' must be`);
  });

  it("accepts alternative names of voices from the settings", async () => {
    const { request, channel } = await createTestGateway({
      voiceAliases: new Map([["marin", "nova"]]),
    });
    expect((await request(path, post({ ...good, voice: "marin" }))).status).toBe(200);
    expect(channel.speechJobs[0]?.voice).toBe("nova");
  });

  it.each(["audio", "sse"])(
    "names voices that took over, and warns, as %s",
    async (stream_format) => {
      const casting = {
        takenOverBy: ["ef_dora", "ff_siwis"],
        warning: { message: "It is read as English.", id: "x" },
      };
      async function* speak() {
        yield { ...chunk("a"), casting };
      }
      const { request } = await createTestGateway({ script: { synthesize: speak } });
      const { headers } = await request(path, post({ ...good, stream_format }));
      expect(headers.get("x-hearsay-voice")).toBe("ef_dora, ff_siwis");
      expect(headers.get("x-hearsay-warning")).toBe("It is read as English.");
    },
  );

  it("counts characters as code points, not as UTF-16 units", async () => {
    expect(await refusal({ ...good, input: "😀".repeat(4097) })).toMatchObject({ status: 400 });
    const { request } = await createTestGateway();
    expect((await request(path, post({ ...good, input: "😀".repeat(4096) }))).status).toBe(200);
  });
});

describe("a speech request that cannot be served", () => {
  it.each([
    [
      { voice: "nova", input: "x" },
      {
        param: "model",
        code: "missing_required_parameter",
        message: "You must provide the field 'model'.",
      },
    ],
    [
      { model: "tts-1", voice: "nova" },
      { param: "input", code: "missing_required_parameter" },
    ],
    [
      { model: "tts-1", input: "x" },
      { param: "voice", code: "missing_required_parameter" },
    ],
    [
      { ...good, model: "tts-9" },
      { status: 404, param: "model", code: "model_not_found" },
    ],
    [
      { ...good, model: "whisper-1" },
      {
        param: "model",
        message: "The model 'whisper-1' is for transcription. Available here: 'tts-1', 'tts-1-hd'.",
      },
    ],
    [
      { ...good, model: 7 },
      { param: "model", message: "'model' must be a string; '7' was given." },
    ],
    [
      { ...good, input: "" },
      { param: "input", code: "nothing_to_say" },
    ],
    [
      { ...good, input: " \n\t" },
      { param: "input", code: "nothing_to_say", message: "'input' holds nothing to say." },
    ],
    [
      { ...good, input: "x".repeat(4097) },
      {
        param: "input",
        code: "string_above_max_length",
        message: expect.stringContaining("at most 4096 characters"),
      },
    ],
    [
      { ...good, input: 5 },
      { param: "input", code: "invalid_value" },
    ],
    [
      { ...good, voice: "bob" },
      {
        param: "voice",
        code: "unsupported_value",
        message:
          "'voice' must be one of 'alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer'; 'bob' was given.",
      },
    ],
    [{ ...good, voice: "__proto__" }, { param: "voice" }],
    [
      { ...good, voice: ["nova"] },
      { param: "voice", message: "'voice' must be a voice's name." },
    ],
    [
      { ...good, response_format: "ogg" },
      {
        param: "response_format",
        code: "unsupported_value",
        message:
          "'response_format' must be one of 'mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'; 'ogg' was given.",
      },
    ],
    [
      { ...good, speed: 0.24 },
      {
        param: "speed",
        code: "invalid_value",
        message: "'speed' must be a number from 0.25 to 4; '0.24' was given.",
      },
    ],
    [{ ...good, speed: 4.01 }, { param: "speed" }],
    [
      { ...good, speed: "1.5" },
      { param: "speed", message: "'speed' must be a number from 0.25 to 4; '1.5' was given." },
    ],
    [{ ...good, stream_format: "websocket" }, { param: "stream_format" }],
    [
      '{"model": "tts-1", ',
      { param: null, message: "Could not parse the request body: it must be JSON." },
    ],
    ["", { param: null, message: "Could not parse the request body: it must be JSON." }],
    ["[1]", { param: null, message: "The request body must be a JSON object." }],
    ["null", { param: null }],
  ])("%j gets a message with the reason", async (body, error) => {
    expect(await refusal(body)).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      synthesisCount: 0,
      ...error,
    });
  });

  it("responds with 413 because its body is too large", async () => {
    expect(await refusal({ ...good, user: "x".repeat(2 ** 20) })).toMatchObject({
      status: 413,
      type: "invalid_request_error",
    });
  });

  it("is reported when the channel has nothing to say or returns no audio", async () => {
    const throwing = {
      synthesize: () =>
        failingIterable(() =>
          appError("nothing_to_say", "'input' has no word in it.", { param: "input" }),
        ),
    };
    for (const script of [
      throwing,
      { synthesize: () => streamSpeech(["", ""]) },
      { synthesize: () => streamSpeech([]) },
    ]) {
      for (const stream_format of ["audio", "sse"]) {
        expect(await refusal({ ...good, input: "!?", stream_format }, { script })).toMatchObject({
          status: 400,
          param: "input",
          code: "nothing_to_say",
        });
      }
    }
  });
});

describe("the stream of audio", () => {
  it("starts before synthesis ends, and generates no more than is read", async () => {
    let made = 0;
    const { request } = await createTestGateway({
      script: {
        async *synthesize() {
          for (made = 1; made <= 100; made += 1) yield chunk(`${made};`);
        },
      },
    });
    const response = await request(path, post(good));
    expect(made).toBe(1);
    const reader = response.body!.getReader();
    await reader.read();
    await reader.read();
    expect(made).toBeLessThanOrEqual(3);
    await reader.cancel();
  });

  it("breaks off when synthesis fails midway", async () => {
    const { request } = await createTestGateway({
      script: {
        async *synthesize() {
          yield chunk("first");
          throw appError("engine_failed", "The engine stopped.");
        },
      },
    });
    const response = await request(path, post(good));
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow("The engine stopped.");
  });

  it("stops synthesis when the client stops reading", async () => {
    for (const readsFirst of [true, false]) {
      let signal: AbortSignal | undefined;
      let released = false;
      const { request } = await createTestGateway({
        script: {
          async *synthesize(_job, given) {
            signal = given;
            try {
              for (;;) yield chunk("more");
            } finally {
              released = true;
            }
          },
        },
      });
      const reader = (await request(path, post(good))).body!.getReader();
      if (readsFirst) await reader.read();
      await reader.cancel();
      expect([signal?.aborted, released]).toEqual([true, true]);
    }
  });

  it("can be requested as events, with the usage", async () => {
    const { request } = await createTestGateway();
    const response = await request(path, post({ ...good, stream_format: "sse" }));
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const events = Array.from((await response.text()).matchAll(/^data: (.*)$/gm), ([, json]) =>
      JSON.parse(json ?? ""),
    );
    const audio = events
      .slice(0, -1)
      .map((event) => Buffer.from(event.audio, "base64").toString())
      .join("");
    expect(audio).toBe("said: It is said.");
    expect(events.map(({ type }) => type)).toEqual([
      "speech.audio.delta",
      "speech.audio.delta",
      "speech.audio.done",
    ]);
    expect(events.at(-1).usage).toEqual({
      input_tokens: 11,
      output_tokens: 100,
      total_tokens: 111,
    });
  });
});

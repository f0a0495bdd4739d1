// All ways in which a provider can fail, over real HTTP: a clear error, in bounded time and memory, without the key.

import { describe, expect, it } from "vitest";
import type { OpenAiChannel } from "../../../../main/channels/openai/channel.ts";
import { isTransient } from "../../../../main/channels/upstream-error.ts";
import { AppError } from "../../../../main/contract/errors.ts";
import type { ErrorKey } from "../../../../main/contract/error-table.ts";
import {
  respondWith,
  breakOffBody,
  neverReadBody,
  endlessHeaders,
  events,
  respondBeforeBody,
  html,
  largeBody,
  json,
  startSilentServer,
  redirect,
  refusingBaseUrl,
  resetConnection,
  noResponse,
  startUpstream,
  stallInBody,
  stallInHeaders,
} from "../../../support/upstream.ts";
import type { Behaviour } from "../../../support/upstream.ts";
import {
  channelTo,
  failureOf,
  transcribe,
  never,
  recording,
  secret,
  synthesize,
} from "./support.ts";

const short = { connectMs: 300, headersMs: 150, bodyMs: 150 };
const mp3 = Buffer.from([0xff, 0xfb, 0x90, 0x00, 1, 2, 3, 4]);
const delta = { type: "transcript.text.delta", delta: "So it" };

async function transcriptionError(behaviour: Behaviour): Promise<AppError> {
  const upstream = await startUpstream(behaviour);
  return (await failureOf(transcribe(channelTo(upstream.baseUrl, { limits: short })))) as AppError;
}
async function synthesisError(behaviour: Behaviour): Promise<AppError> {
  const upstream = await startUpstream(behaviour);
  return (await failureOf(synthesize(channelTo(upstream.baseUrl, { limits: short })))) as AppError;
}

const refresh = (channel: OpenAiChannel) => channel.refresh(never);

type Fault = [name: string, behaviour: Behaviour, key: ErrorKey, status: number, canPass: boolean];

const beforeTheAnswer: Fault[] = [
  ["a connection that is reset", resetConnection, "upstream_unreachable", 502, true],
  ["a response that never begins", noResponse, "upstream_timeout", 504, false],
  ["a request that is not read", neverReadBody, "upstream_timeout", 504, false],
  ["headers that stop arriving", stallInHeaders, "upstream_timeout", 504, false],
  ["headers without a limit", endlessHeaders, "upstream_broken", 502, false],
  [
    "something that is not HTTP",
    ({ request }) => request.socket.end("SSH-2.0-OpenSSH_9.2\r\n"),
    "upstream_broken",
    502,
    false,
  ],
  ["a page with the status 200", html(), "upstream_broken", 502, false],
  ["a page with the status 503", html(503), "upstream_error", 503, true],
  ["a page with the status 404", html(404), "upstream_error", 404, false],
  [
    "a status that is no success and no error",
    respondWith(304, "text/plain", ""),
    "upstream_broken",
    502,
    false,
  ],
  [
    "a compressed body that was not requested",
    respondWith(200, "application/json", "x", { "content-encoding": "gzip" }),
    "upstream_broken",
    502,
    false,
  ],
  [
    "an error with the status 200",
    json({ error: "no such model here" }),
    "upstream_broken",
    502,
    false,
  ],
  ["a redirect to nowhere", redirect(""), "upstream_broken", 502, false],
];

describe("transcription", () => {
  it.each<Fault>([
    ...beforeTheAnswer,
    [
      "a response that stops arriving",
      stallInBody("application/json", '{"te'),
      "upstream_timeout",
      504,
      false,
    ],
    [
      "a response shorter than its content length",
      breakOffBody("application/json", '{"text":"So it', { hasContentLength: true }),
      "upstream_broken",
      502,
      false,
    ],
    [
      "chunks that break off",
      breakOffBody("application/json", '{"text":"So it'),
      "upstream_broken",
      502,
      false,
    ],
    [
      "the wrong content type",
      respondWith(200, "audio/mpeg", '{"text":"So it goes."}'),
      "upstream_broken",
      502,
      false,
    ],
    [
      "broken JSON",
      respondWith(200, "application/json", '{"text":"So it'),
      "upstream_broken",
      502,
      false,
    ],
    ["JSON that is no transcript", json({ choices: [] }), "upstream_broken", 502, false],
    ["events that break off", events([delta], { cut: true }), "upstream_broken", 502, false],
    ["events that end without a final one", events([delta]), "upstream_broken", 502, false],
    [
      "an error among the events",
      events([delta, { error: { message: "out of memory" } }]),
      "upstream_broken",
      502,
      false,
    ],
    ["events that are not JSON", events(["<html>"]), "upstream_broken", 502, false],
  ])("reports %s", async (_, behaviour, key, status, canPass) => {
    const error = await transcriptionError(behaviour);
    expect(error).toBeInstanceOf(AppError);
    expect({ key: error.key, status: error.row.status, canPass: isTransient(error) }).toEqual({
      key,
      status,
      canPass,
    });
    expect(error.message).toMatch(/^(The channel 'Cloud' .*\.|no such model here|out of memory)$/);
  });
});

describe("synthesis", () => {
  it.each<Fault>([
    ...beforeTheAnswer,
    [
      "a response that stops arriving",
      stallInBody("audio/mpeg", mp3),
      "upstream_timeout",
      504,
      false,
    ],
    [
      "a response shorter than its content length",
      breakOffBody("audio/mpeg", mp3, { hasContentLength: true }),
      "upstream_broken",
      502,
      false,
    ],
    ["chunks that break off", breakOffBody("audio/mpeg", mp3), "upstream_broken", 502, false],
    [
      "a page with the content type of audio",
      respondWith(200, "audio/mpeg", "<!doctype html><p>Log in"),
      "upstream_broken",
      502,
      false,
    ],
    [
      "an error with the content type of binary data",
      respondWith(200, "application/octet-stream", '{"error":{"message":"no"}}'),
      "upstream_broken",
      502,
      false,
    ],
    [
      "audio of another format",
      respondWith(200, "audio/wav", "RIFF....WAVEfmt "),
      "upstream_broken",
      502,
      false,
    ],
    ["no audio at all", respondWith(200, "audio/mpeg", ""), "upstream_broken", 502, false],
    ["text", respondWith(200, "text/plain", "hello"), "upstream_broken", 502, false],
  ])("reports %s", async (_, behaviour, key, status, canPass) => {
    const error = await synthesisError(behaviour);
    expect(error).toBeInstanceOf(AppError);
    expect({ key: error.key, status: error.row.status, canPass: isTransient(error) }).toEqual({
      key,
      status,
      canPass,
    });
  });
});

it("reports a provider that is not running", async () => {
  const refused = (await failureOf(transcribe(channelTo(await refusingBaseUrl())))) as AppError;
  expect([refused.key, isTransient(refused)]).toEqual(["upstream_unreachable", true]);
  const unknown = (await failureOf(transcribe(channelTo("http://nowhere.invalid/v1")))) as AppError;
  expect(unknown).toMatchObject({
    key: "upstream_unreachable",
    message: expect.stringContaining("address's name is not known"),
  });
});

it("reports a connection that is never established", async () => {
  const { baseUrl } = await startSilentServer();
  expect(await failureOf(transcribe(channelTo(baseUrl, { limits: short })))).toMatchObject({
    key: "upstream_timeout",
    message: "The channel 'Cloud' did not take the connection in time.",
  });
});

it("reports a server that speaks no TLS where it should", async () => {
  const { baseUrl } = await startUpstream();
  expect(await failureOf(transcribe(channelTo(baseUrl.replace("http:", "https:"))))).toMatchObject({
    key: "upstream_broken",
    row: { status: 502 },
  });
});

it("ends a response that exceeds the total timeout", async () => {
  const upstream = await startUpstream(({ response }) => {
    response.writeHead(200, { "content-type": "audio/mpeg" });
    const timer = setInterval(() => response.write(mp3), 20);
    response.on("close", () => clearInterval(timer));
  });
  const error = await failureOf(
    synthesize(channelTo(upstream.baseUrl, { limits: { totalMs: 300 } })),
  );
  expect(error).toMatchObject({ key: "upstream_timeout", row: { status: 504 } });
  await expect.poll(upstream.activeCount).toBe(0);
});

describe("a response of 2 GB", () => {
  const twoGigabytes = 2 ** 31;

  it.each([true, false])(
    "is not buffered, with and without a content length (%s)",
    async (hasContentLength) => {
      for (const [contentType, work] of [
        ["application/json", transcribe],
        ["text/event-stream", transcribe],
        ["text/html", transcribe],
      ] as const) {
        const behaviour = largeBody(contentType, twoGigabytes, {
          begin: contentType === "text/event-stream" ? "data: " : '{"text":"',
          hasContentLength,
        });
        const upstream = await startUpstream(behaviour);
        const before = process.memoryUsage().rss;
        expect(await failureOf(work(channelTo(upstream.baseUrl)))).toMatchObject({
          key: "upstream_broken",
        });
        expect(behaviour.sentBytes()).toBeLessThan(64 * 2 ** 20);
        expect(process.memoryUsage().rss - before).toBeLessThan(400 * 2 ** 20);
        await expect.poll(upstream.activeCount).toBe(0);
      }
    },
  );

  it("of audio is cut off beyond the longest plausible speech for the text, and is not buffered", async () => {
    const behaviour = largeBody("audio/mpeg", twoGigabytes, { begin: "ID3" });
    const upstream = await startUpstream(behaviour);
    let sizeBytes = 0;
    const before = process.memoryUsage().rss;
    const error = await failureOf(
      (async () => {
        for await (const { bytes } of channelTo(upstream.baseUrl).synthesize(
          { model: "tts-1", text: "Hello.", voice: "alloy", speed: 1, format: "mp3" },
          never,
        ))
          sizeBytes += bytes.length;
      })(),
    );
    expect(error).toMatchObject({ key: "upstream_broken" });
    expect(sizeBytes).toBeGreaterThan(4 * 2 ** 20);
    expect(sizeBytes).toBeLessThan(16 * 2 ** 20);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
    await expect.poll(upstream.activeCount).toBe(0);
  });

  it("with an error status is reported by its status", async () => {
    const upstream = await startUpstream(({ response }) => {
      response.writeHead(500, { "content-type": "application/json" });
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, "x")));
      };
      response.on("drain", more);
      more();
    });
    expect(await failureOf(synthesize(channelTo(upstream.baseUrl)))).toMatchObject({
      key: "upstream_error",
      row: { status: 500 },
    });
    await expect.poll(upstream.activeCount).toBe(0);
  });
});

describe("the provider's error message", () => {
  it("is passed on with status, type, code and parameter", async () => {
    const body = {
      error: {
        message: "Unknown voice 'bob'.",
        type: "invalid_request_error",
        param: "voice",
        code: "unsupported_value",
      },
    };
    expect(await synthesisError(json(body, 400))).toMatchObject({
      key: "upstream_error",
      message: "Unknown voice 'bob'.",
      param: "voice",
      row: { status: 400, type: "invalid_request_error", code: "unsupported_value" },
    });
  });

  it.each([401, 403])(
    "is prefixed with the channel's name for status %i, since it concerns the channel's key",
    async (status) => {
      const { message } = (await synthesisError(
        json({ error: { message: "Incorrect API key provided." } }, status),
      )) as AppError;
      expect(message).toBe(
        "The channel 'Cloud' was refused by its provider: Incorrect API key provided.",
      );
    },
  );

  it("is passed on even if the upload was rejected before it was read", async () => {
    const upstream = await startUpstream(
      respondBeforeBody(json({ error: { message: "Maximum content size limit exceeded" } }, 413)),
    );
    const error = await failureOf(
      transcribe(channelTo(upstream.baseUrl), {
        mediaPath: await recording(Buffer.alloc(8_000_000, 1)),
      }),
    );
    expect(error).toMatchObject({
      message: "Maximum content size limit exceeded",
      row: { status: 413 },
    });
  });

  it.each([
    [{ detail: "Invalid model" }, "Invalid model"],
    [
      { detail: [{ loc: ["body", "input"], msg: "Field required", type: "missing" }] },
      "input: Field required",
    ],
    [
      {
        detail: {
          error: "validation_error",
          message: "Voice not found",
          type: "invalid_request_error",
        },
      },
      "Voice not found",
    ],
    [{ error: "model is loading" }, "model is loading"],
    [{ object: "error", message: "no such model", code: 404 }, "no such model"],
    [{ error: { message: "x".repeat(5000) } }, "x".repeat(500)],
    [{ nothing: "known" }, "The channel 'Cloud' answered with the status 422."],
    ["", "The channel 'Cloud' answered with the status 422."],
  ])("is found in %j", async (body, message) => {
    expect(await synthesisError(json(body, 422))).toMatchObject({ message, row: { status: 422 } });
  });

  it("may be plain text", async () => {
    expect(
      await synthesisError(respondWith(404, "text/plain; charset=utf-8", "404 page not found\n")),
    ).toMatchObject({ message: "404 page not found", row: { status: 404 } });
  });

  it("is reported as a loop when the request came back to this server", async () => {
    expect(
      await synthesisError(
        json({ error: { message: "round and round", code: "channel_loop" } }, 508),
      ),
    ).toMatchObject({ key: "channel_loop", row: { status: 508 } });
  });

  it.each([
    [{ "retry-after": "7" }, 7],
    [{ "retry-after": new Date(Date.now() + 3_600_000).toUTCString() }, 3600],
    [{ "retry-after-ms": "1500", "retry-after": "2" }, 1.5],
    [{ "retry-after": "soon" }, -1],
  ])("includes the time to wait before a retry: %j", async (headers, seconds) => {
    const error = await synthesisError(
      json({ error: { message: "Slow down." } }, 429, headers as Record<string, string>),
    );
    expect([error.row.status, isTransient(error)]).toEqual([429, true]);
    expect(Math.abs((error.retryAfterSec ?? -1) - seconds)).toBeLessThan(seconds / 10 + 1);
  });
});

describe("the key", () => {
  const half = secret.slice(3, 15);

  it.each<[string, Behaviour]>([
    [
      "a message",
      json(
        {
          error: {
            message: `Incorrect API key provided: ${secret}. Or ${half}****?`,
            type: secret,
            param: half,
            code: secret,
          },
        },
        401,
      ),
    ],
    ["a plain text", respondWith(401, "text/plain", `bad token ${secret}`)],
    ["a redirect", redirect(`http://${secret}.example/`)],
    ["an event", events([{ error: { message: `Bearer ${secret}` } }])],
    ["a content type", respondWith(200, `text/${secret}`, "x")],
    ["broken HTTP", ({ request }) => request.socket.end(`${secret} is not HTTP\r\n\r\n`)],
  ])("is not exposed by %s", async (_, behaviour) => {
    const logged: string[] = [];
    const upstream = await startUpstream(behaviour);
    const channel = channelTo(upstream.baseUrl, { logged });
    for (const ask of [transcribe, synthesize, refresh]) {
      const error = (await failureOf(ask(channel))) as AppError;
      expect(error).toBeInstanceOf(AppError);
      const all = JSON.stringify([
        error.message,
        error.stack,
        error.row,
        error.param,
        error.cause,
        channel.listState,
        logged,
      ]);
      for (let at = 0; at + 8 <= secret.length; at += 1)
        expect(all).not.toContain(secret.slice(at, at + 8));
    }
    expect(logged).not.toEqual([]);
    expect(upstream.requests[0]?.headers.authorization).toBe(`Bearer ${secret}`);
  });

  it("is not sent to another origin, and neither is the recording", async () => {
    const elsewhere = await startUpstream(json({ text: "caught" }));
    for (const status of [301, 302, 303, 307, 308]) {
      const upstream = await startUpstream(
        redirect(`${elsewhere.baseUrl}/audio/transcriptions`, status),
      );
      const channel = channelTo(upstream.baseUrl);
      for (const ask of [transcribe, synthesize, refresh]) {
        expect(await failureOf(ask(channel))).toMatchObject({
          key: "upstream_broken",
          message: expect.stringContaining(elsewhere.origin),
        });
      }
    }
    expect(elsewhere.connectionCount()).toBe(0);
  });

  it("with a line break is rejected before it is sent", async () => {
    const upstream = await startUpstream();
    expect(
      await failureOf(synthesize(channelTo(upstream.baseUrl, { key: "abcdefgh\r\nx-evil: 1" }))),
    ).toMatchObject({ key: "upstream_broken" });
    expect(upstream.connectionCount()).toBe(0);
  });
});

it("follows redirects within the origin and sends the recording again, but not endlessly", async () => {
  const upstream = await startUpstream(json({ text: "moved" }));
  upstream.setBehaviour(redirect("/v2/moved", 308), "/v1/audio/transcriptions");
  expect((await transcribe(channelTo(upstream.baseUrl))).at(-1)).toMatchObject({
    transcript: { text: "moved" },
  });
  expect(upstream.requests.map(({ path, isComplete }) => [path, isComplete])).toEqual([
    ["/v1/audio/transcriptions", true],
    ["/v2/moved", true],
  ]);
  expect(upstream.requests[1]?.body).toEqual(upstream.requests[0]?.body);

  upstream.setBehaviour(redirect("/v1/models"));
  const before = upstream.requests.length;
  expect(await failureOf(channelTo(upstream.baseUrl).refresh(never))).toMatchObject({
    message: expect.stringContaining("more than 3 times"),
  });
  expect(upstream.requests.length - before).toBe(4);
});

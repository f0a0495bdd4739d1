// A gateway in its own process in front of a provider (in this process) that misbehaves in every way: the errors that
// clients get, the secrets they must not get, and the gateway's memory.

import { createHash, randomBytes } from "node:crypto";
import { toFile } from "openai";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
} from "vitest";
import { errorResponse } from "../../../main/contract/openai.ts";
import { waitUntil } from "../../support/command-line.ts";
import { uploadForm, wavBytes } from "../../support/gateway-server.ts";
import {
  type HearsayProcess,
  measurePeakGrowth,
  startHearsay,
  canMeasurePeaks,
} from "../../support/hearsay-process.ts";
import {
  respondWith,
  type Behaviour,
  breakOffBody,
  neverReadBody,
  endlessHeaders,
  events,
  controlledResponse,
  html,
  largeBody,
  json,
  redirect,
  resetConnection,
  noResponse,
  startUpstream,
  stallInBody,
  stallInHeaders,
  type TestUpstream,
} from "../../support/upstream.ts";

const secret = "sk-provider-0123456789abcdef";
const MB = 2 ** 20;
let hearsay: HearsayProcess;
let upstream: TestUpstream;

beforeAll(async () => {
  hearsay = await startHearsay();
});
afterAll(() => hearsay.close());
afterEach(({ expect: expectIn }) => expectIn(hearsay.log()).not.toContain(secret.slice(4, 16)));
beforeEach(async () => {
  upstream = await startUpstream();
  upstream.setBehaviour(json({ data: [{ id: "whisper-1" }, { id: "tts-1" }] }), "/models");
  await channelTo(upstream.baseUrl);
});

/** A new channel per test, so with its own circuit breakers and key; removed after the test. */
async function channelTo(baseUrl: string): Promise<void> {
  const { id } = await hearsay.addChannel({ name: "cloud", baseUrl, key: secret });
  onTestFinished(async () => void (await hearsay.app("removeChannel", undefined, id)));
}

/** Short timeouts, so that tests of stalled responses end quickly. */
const impatient = (): Promise<unknown> =>
  hearsay.app("changeChannel", { limits: { headersMs: 500, bodyMs: 500 } }, "cloud");

const transcribe = (
  fields: Record<string, string> = {},
  init: RequestInit = {},
  file = wavBytes(),
): Promise<Response> =>
  hearsay.request("/audio/transcriptions", {
    method: "POST",
    body: uploadForm({ model: "cloud/whisper-1", ...fields }, new Blob([new Uint8Array(file)])),
    ...init,
  });
const synthesize = (fields: object = {}, init: RequestInit = {}): Promise<Response> =>
  hearsay.request("/audio/speech", {
    method: "POST",
    body: JSON.stringify({ model: "cloud/tts-1", voice: "nova", input: "Hello.", ...fields }),
    ...init,
  });

/** Parses the error body (OpenAI's schema) and checks that it does not contain the key. */
async function errorIn(
  response: Response,
): Promise<{ status: number; code: string | undefined; message: string; type: string }> {
  const text = await response.text();
  expect(text).not.toContain(secret.slice(4, 16));
  const { error } = errorResponse.parse(JSON.parse(text));
  return { status: response.status, code: error.code, message: error.message, type: error.type };
}

/** Requests to the audio endpoints, without those for model lists. */
const audioRequests = () => upstream.requests.filter(({ path }) => path.includes("/audio/"));

const mp3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)]);
const transcriptionResponse = json({ text: "It was transcribed." });
const speechResponse: Behaviour = respondWith(200, "audio/mpeg", mp3);

/** Uses each behaviour once, in order, then repeats the last. */
function inTurn(...behaviours: Behaviour[]): Behaviour {
  let turn = 0;
  return (exchange) => behaviours[Math.min(turn++, behaviours.length - 1)]?.(exchange);
}

type Fault = [what: string, fault: () => Behaviour, status: 502 | 504, code: string];
const faults: Fault[] = [
  ["HTML in place of an answer", () => html(), 502, "upstream_broken"],
  [
    "the wrong kind of content",
    () => respondWith(200, "image/png", Buffer.from("89504e470d0a1a0a", "hex")),
    502,
    "upstream_broken",
  ],
  ["a connection that is reset, three times", () => resetConnection, 502, "upstream_unreachable"],
  ["silence", () => noResponse, 504, "upstream_timeout"],
  ["an ear that is shut", () => neverReadBody, 504, "upstream_timeout"],
  ["headers that never end", () => endlessHeaders, 502, "upstream_broken"],
  ["headers that stop in the middle", () => stallInHeaders, 504, "upstream_timeout"],
  [
    "what is no HTTP",
    () =>
      ({ request }) =>
        request.socket.end("SSH-2.0-OpenSSH_9.6\r\n"),
    502,
    "upstream_broken",
  ],
];

describe.each([
  ["transcription", () => transcribe()],
  ["speech", () => synthesize()],
])("%s ends with a clear error after", (_, ask) => {
  it.each(faults)("%s", async (_what, fault, status, code) => {
    await impatient();
    for (const path of ["transcriptions", "speech"]) upstream.setBehaviour(fault(), path);
    const error = await errorIn(await ask());
    expect(error).toMatchObject({
      status,
      code,
      type: "upstream_error",
      message: expect.stringContaining("The channel 'cloud'"),
    });
    expect(audioRequests()).toHaveLength(code === "upstream_unreachable" ? 3 : 1);
  });

  it("a connection refused", async () => {
    await upstream.close();
    expect(await errorIn(await ask())).toMatchObject({ status: 502, code: "upstream_unreachable" });
  });
});

describe("a transcription response", () => {
  it.each([
    [
      "is cut off",
      breakOffBody("application/json", '{"text": "It wa', { hasContentLength: true }),
      502,
      "upstream_broken",
    ],
    [
      "is cut off in chunks",
      breakOffBody("application/json", '{"text": "It wa'),
      502,
      "upstream_broken",
    ],
    ["stops coming", stallInBody("application/json", '{"text": '), 504, "upstream_timeout"],
    ["is JSON of another kind", json({ result: "well" }), 502, "upstream_broken"],
    ["is no JSON", respondWith(200, "application/json", '{"text": '), 502, "upstream_broken"],
    [
      "is a stream that ends too early",
      events([{ type: "transcript.text.delta", delta: "It" }], { cut: true }),
      502,
      "upstream_broken",
    ],
  ] as const)("that %s is an error", async (_, behaviour, status, code) => {
    await impatient();
    upstream.setBehaviour(behaviour, "transcriptions");
    expect(await errorIn(await transcribe())).toMatchObject({ status, code });
  });

  it("that comes as events is forwarded event by event", async () => {
    const stream = controlledResponse("text/event-stream");
    upstream.setBehaviour(stream.behaviour, "transcriptions");
    const asking = hearsay.client.audio.transcriptions.create({
      file: await toFile(wavBytes(), "said.wav"),
      model: "cloud/whisper-1",
      stream: true,
    });
    const [transcription] = await Promise.all([
      asking,
      stream.write(
        `data: ${JSON.stringify({ type: "transcript.text.delta", delta: "It was" })}\n\n`,
      ),
    ]);
    const reader = transcription[Symbol.asyncIterator]();
    expect((await reader.next()).value).toMatchObject({ delta: "It was" });
    await stream.write(
      `data: ${JSON.stringify({ type: "transcript.text.delta", delta: " transcribed." })}\n\n`,
    );
    expect((await reader.next()).value).toMatchObject({ delta: " transcribed." });
    await stream.write(
      `data: ${JSON.stringify({ type: "transcript.text.done", text: "It was transcribed." })}\n\n`,
    );
    await stream.end();
    expect((await reader.next()).value).toMatchObject({
      type: "transcript.text.done",
      text: "It was transcribed.",
    });
    expect((await reader.next()).done).toBe(true);
  });

  it("that breaks off after its first event ends with an error event", async () => {
    upstream.setBehaviour(
      events([{ type: "transcript.text.delta", delta: "It was" }], { cut: true }),
      "transcriptions",
    );
    const response = await transcribe({ stream: "true" });
    const lines = (await response.text())
      .split("\n\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line.replace("data: ", "")) as unknown);
    expect([response.status, ...lines]).toEqual([
      200,
      { type: "transcript.text.delta", delta: "It was" },
      { error: expect.objectContaining({ code: "upstream_broken" }) },
    ]);
  });
});

describe("a speech response", () => {
  it("is forwarded chunk by chunk", async () => {
    const stream = controlledResponse("audio/mpeg");
    upstream.setBehaviour(stream.behaviour, "speech");
    const [response] = await Promise.all([synthesize(), stream.write(mp3)]);
    expect(response.headers.get("x-hearsay-channel")).toBe("cloud");
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    expect(Buffer.from((await reader.read()).value ?? []).equals(mp3)).toBe(true);
    await stream.write("more");
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("more");
    await stream.end();
    expect((await reader.read()).done).toBe(true);
  });

  it.each([
    ["is cut off", breakOffBody("audio/mpeg", mp3, { hasContentLength: true })],
    ["is cut off in chunks", breakOffBody("audio/mpeg", mp3)],
    ["stops coming", stallInBody("audio/mpeg", mp3)],
  ] as const)(
    "that %s breaks the client's connection, so that it is never taken for a complete file",
    async (_, behaviour) => {
      await impatient();
      upstream.setBehaviour(behaviour, "speech");
      const response = await synthesize();
      expect(response.status).toBe(200);
      await expect(response.arrayBuffer()).rejects.toThrow("terminated");
    },
  );

  it("that is empty is an error", async () => {
    upstream.setBehaviour(respondWith(200, "audio/mpeg", ""), "speech");
    expect(await errorIn(await synthesize())).toMatchObject({
      status: 502,
      code: "upstream_broken",
    });
  });
});

describe("a provider's error", () => {
  it.each([400, 401, 403, 404, 409, 413, 415, 422])(
    "with %i is returned unchanged and not retried",
    async (status) => {
      upstream.setBehaviour(
        json(
          {
            error: {
              message: `Not with the key ${secret}.`,
              type: "their_type",
              param: "file",
              code: "their_code",
            },
          },
          status,
        ),
        "transcriptions",
      );
      const isRefusal = status === 401 || status === 403;
      const response = await transcribe();
      expect(await errorIn(response)).toEqual({
        status,
        message: `${isRefusal ? "The channel 'cloud' was refused by its provider: " : ""}Not with the key [key].`,
        type: "their_type",
        code: "their_code",
      });
      expect(audioRequests()).toHaveLength(1);
    },
  );

  it("with 429 is retried after its Retry-After", async () => {
    const times: number[] = [];
    const stamp =
      (behaviour: Behaviour): Behaviour =>
      (exchange) => {
        times.push(performance.now());
        return behaviour(exchange);
      };
    upstream.setBehaviour(
      inTurn(
        stamp(json({ error: { message: "slow down" } }, 429, { "retry-after": "1" })),
        stamp(transcriptionResponse),
      ),
      "transcriptions",
    );
    expect(await (await transcribe()).json()).toMatchObject({ text: "It was transcribed." });
    const [first = 0, second = 0, ...more] = times;
    expect(more).toEqual([]);
    // The default delay is far shorter than 1 s. The bound is 990 ms because timers count in whole milliseconds.
    expect(second - first).toBeGreaterThan(990);
  });

  it("with 429 is returned at once when its Retry-After is longer than a client would wait", async () => {
    upstream.setBehaviour(
      json({ error: { message: "Come back tomorrow." } }, 429, { "retry-after": "86400" }),
      "transcriptions",
    );
    const response = await transcribe();
    expect(response.headers.get("retry-after")).toBe("86400");
    expect(await errorIn(response)).toMatchObject({ status: 429, message: "Come back tomorrow." });
    expect(audioRequests()).toHaveLength(1);
  });

  it.each([500, 502, 503, 504])(
    "with %i is retried with the complete recording",
    async (status) => {
      upstream.setBehaviour(
        inTurn(json({ error: { message: "a hiccup" } }, status), transcriptionResponse),
        "transcriptions",
      );
      const file = Buffer.concat([wavBytes(), randomBytes(300_000)]);
      expect(await (await transcribe({}, {}, file)).json()).toMatchObject({
        text: "It was transcribed.",
      });
      const sent = await Promise.all(
        audioRequests().map(async ({ form }) =>
          Buffer.from(await ((await form()).get("file") as File).arrayBuffer()).equals(file),
        ),
      );
      expect(sent).toEqual([true, true]);
    },
  );

  it("with 500 is returned with its own message after the third attempt", async () => {
    upstream.setBehaviour(html(500), "speech");
    expect(await errorIn(await synthesize())).toMatchObject({
      status: 500,
      message: "The channel 'cloud' answered with the status 500.",
    });
    expect(audioRequests()).toHaveLength(3);
  });

  it("with an HTML page for a body gets a plain message", async () => {
    upstream.setBehaviour(html(403), "speech");
    expect(await errorIn(await synthesize())).toMatchObject({
      status: 403,
      message: "The channel 'cloud' answered with the status 403.",
    });
  });

  it("by a redirect to another origin is not followed", async () => {
    const elsewhere = await startUpstream(speechResponse);
    upstream.setBehaviour(redirect(`${elsewhere.baseUrl}/audio/speech`), "speech");
    expect(await errorIn(await synthesize())).toMatchObject({
      status: 502,
      code: "upstream_broken",
      message: expect.stringContaining(elsewhere.origin),
    });
    expect(elsewhere.requests).toEqual([]);
  });

  it("by a redirect within the same origin is followed", async () => {
    upstream.setBehaviour(redirect("/v1/audio/other"), "speech");
    upstream.setBehaviour(speechResponse, "other");
    expect((await synthesize()).status).toBe(200);
    expect(audioRequests().map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${secret}`,
      `Bearer ${secret}`,
    ]);
  });
});

describe("the request to the provider", () => {
  it("has the channel's key and nothing from the client's headers", async () => {
    upstream.setBehaviour(speechResponse, "speech");
    await synthesize(
      {},
      {
        headers: {
          cookie: "session=1",
          "openai-organization": "org",
          "x-forwarded-for": "10.0.0.1",
          "x-stainless-lang": "js",
          te: "trailers",
          "proxy-authorization": "Basic eA==",
          "user-agent": "somebody",
        },
      },
    );
    const [request] = audioRequests();
    expect(Object.keys(request?.headers ?? {}).sort()).toEqual([
      "accept",
      "accept-encoding",
      "authorization",
      "connection",
      "content-length",
      "content-type",
      "host",
      "user-agent",
      "x-hearsay-via",
    ]);
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${secret}`,
      "user-agent": "hearsay",
    });
    expect(request?.json()).toEqual({
      model: "tts-1",
      voice: "nova",
      input: "Hello.",
      response_format: "mp3",
    });
  });

  it("is cancelled when the client leaves before the response", async () => {
    upstream.setBehaviour(noResponse, "transcriptions");
    const leaving = new AbortController();
    const response = transcribe({}, { signal: leaving.signal });
    await waitUntil(() => audioRequests().length === 1);
    leaving.abort();
    await expect(response).rejects.toThrow("aborted");
    await waitUntil(() => upstream.activeCount() === 0);
    expect(await hearsay.health("cloud")).toMatchObject({ state: "closed", failures: 0 });
  });

  it("is cancelled when the client leaves during the response", async () => {
    const stream = controlledResponse("audio/mpeg");
    upstream.setBehaviour(stream.behaviour, "speech");
    const leaving = new AbortController();
    await Promise.all([synthesize({}, { signal: leaving.signal }), stream.write(mp3)]);
    leaving.abort();
    await stream.closed;
    expect(await hearsay.health("cloud")).toMatchObject({ state: "closed", failures: 0 });
  });
});

/** Takes so much of 2 GB of speech. @returns how much more of it was sent */
async function takeSpeech(wantedBytes: number): Promise<number> {
  const flood = largeBody("audio/pcm", 2 ** 31);
  upstream.setBehaviour(flood, "speech");
  let takenBytes = 0;
  const response = await synthesize({ input: "Hello. ".repeat(500), response_format: "pcm" });
  for await (const bytes of response.body as ReadableStream<Uint8Array>)
    if ((takenBytes += bytes.length) > wantedBytes) break;
  return flood.sentBytes() - takenBytes;
}

describe.skipIf(!canMeasurePeaks)("the gateway's memory stays small (needs Linux)", () => {
  /**
   * Allows for buffers of the forwarded data that are not garbage-collected yet. Forwarding much for the first time
   * makes the heap larger for good, so some of it is done before the measurement where it comes near the limit.
   */
  const most = 96 * MB;

  it("for a transcript of 2 GB", async () => {
    const flood = largeBody("application/json", 2 ** 31, { begin: '{"text": "' });
    upstream.setBehaviour(flood, "transcriptions");
    const growth = await measurePeakGrowth(hearsay.pid, async () => {
      expect(await errorIn(await transcribe())).toMatchObject({
        status: 502,
        code: "upstream_broken",
      });
    });
    expect(growth).toBeLessThan(most);
    expect(flood.sentBytes()).toBeLessThan(256 * MB);
  });

  it("for a transcript with a Content-Length of 2 GB, whose body it does not read", async () => {
    const flood = largeBody("application/json", 2 ** 31, { hasContentLength: true });
    upstream.setBehaviour(flood, "transcriptions");
    expect(await errorIn(await transcribe())).toMatchObject({
      status: 502,
      code: "upstream_broken",
    });
    expect(flood.sentBytes()).toBeLessThan(64 * MB);
  });

  it("for a model list of 2 GB", async () => {
    const flood = largeBody("application/json", 2 ** 31, { begin: '{"data": [' });
    upstream.setBehaviour(flood, "/models");
    const growth = await measurePeakGrowth(hearsay.pid, () =>
      hearsay.app("changeChannel", { key: secret }, "cloud"),
    );
    expect(growth).toBeLessThan(most);
    // The previous model list stays in use.
    expect(await hearsay.models()).toContain("cloud/whisper-1");
  });

  it("for an error body of 2 GB", async () => {
    const growth = await measurePeakGrowth(hearsay.pid, async () => {
      upstream.setBehaviour(({ response }) => {
        response.writeHead(400, { "content-type": "application/json" });
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, " ")));
        };
        response.on("drain", more);
        more();
      }, "transcriptions");
      expect(await errorIn(await transcribe())).toMatchObject({ status: 400 });
    });
    expect(growth).toBeLessThan(most);
  });

  it("for speech of 2 GB, which it reads no faster than the client does", async () => {
    await takeSpeech(50 * MB);
    let aheadBytes = 0;
    const growth = await measurePeakGrowth(hearsay.pid, async () => {
      aheadBytes = await takeSpeech(200 * MB);
    });
    expect(growth).toBeLessThan(most);
    expect(aheadBytes).toBeLessThan(64 * MB);
    await waitUntil(() => upstream.activeCount() === 0);
  });

  it("for speech that is far too long for its text, which it cuts off", async () => {
    const flood = largeBody("audio/pcm", 2 ** 31);
    upstream.setBehaviour(flood, "speech");
    const response = await synthesize({ response_format: "pcm" });
    await expect(response.arrayBuffer()).rejects.toThrow("terminated");
    expect(flood.sentBytes()).toBeLessThan(64 * MB);
  });

  it("for eight uploads of 25 MB that wait for a slow provider", async () => {
    const waiting: (() => void)[] = [];
    const digests: string[] = [];
    // Does not read a request body until `read` is called.
    upstream.setBehaviour(
      Object.assign(
        ({ request, response }: Parameters<Behaviour>[0]) => {
          waiting.push(() => {
            const digest = createHash("sha256");
            let sizeBytes = 0;
            request.on("data", (part: Buffer) => {
              digest.update(part);
              sizeBytes += part.length;
            });
            request.on("end", () => {
              digests.push(digest.digest("hex"));
              response
                .writeHead(200, { "content-type": "application/json" })
                .end(JSON.stringify({ text: String(sizeBytes) }));
            });
          });
        },
        { respondsBeforeBody: true } as const,
      ),
      "transcriptions",
    );
    const file = wavBytes(25 * MB);
    const uploadEight = async (): Promise<void> => {
      const uploads = Array.from({ length: 8 }, async () =>
        Number(((await (await transcribe({}, {}, file)).json()) as { text: string }).text),
      );
      await waitUntil(() => waiting.length === 8);
      for (const read of waiting.splice(0)) read();
      for (const sizeBytes of await Promise.all(uploads))
        expect(sizeBytes).toBeGreaterThan(25 * MB);
    };
    await uploadEight();
    const growth = await measurePeakGrowth(hearsay.pid, uploadEight);
    expect(digests).toHaveLength(16);
    // The uploads are 200 MB in total.
    expect(growth).toBeLessThan(128 * MB);
  });
});

it("the gateway still serves requests after all these faults", async () => {
  upstream.setBehaviour(speechResponse, "speech");
  expect(Buffer.from(await (await synthesize()).arrayBuffer()).equals(mp3)).toBe(true);
  expect(audioRequests()).toHaveLength(1);
});

import { EventEmitter, on } from "node:events";
import { describe, expect, it } from "vitest";
import { api } from "../../../../main/contract/api.ts";
import { appError } from "../../../support/app-error.ts";
import type { Scope } from "../../../../main/contract/usage.ts";
import {
  createFakeChannel,
  failingIterable,
  streamSpeech,
  rejectOnAbort,
} from "../../../support/fake-channel.ts";
import {
  toRegisteredChannel,
  createTestGateway,
  uploadForm,
} from "../../../support/gateway-server.ts";
import type { TestGateway } from "../../../support/gateway-server.ts";

const speech = (more: object = {}): RequestInit => ({
  method: "POST",
  body: JSON.stringify({ model: "tts-1", voice: "nova", input: "Good morning.", ...more }),
});
const transcription = (fields: Record<string, string> = { model: "whisper-1" }): RequestInit => ({
  method: "POST",
  body: uploadForm(fields),
});

async function sums({ request }: TestGateway, by: string) {
  return api.readUsage.response.parse(await (await request(`/app/usage?by=${by}`)).json());
}

/** A channel that never responds; `nextRequest` resolves with its next request. */
function silent() {
  const came = new EventEmitter();
  const requests = on(came, "request");
  // oxlint-disable-next-line require-yield
  async function* never(_: unknown, signal: AbortSignal): AsyncGenerator<never> {
    came.emit("request");
    await rejectOnAbort(signal);
  }
  const channel = createFakeChannel({ transcribe: never, synthesize: never });
  return { channel, nextRequest: () => requests.next() };
}

function createRequester(
  { gateway, deps }: TestGateway,
  input: { scopes?: Scope[]; monthlyBudgetUsd?: number; budgetCountsLocal?: boolean },
): (path: string, init?: RequestInit) => Promise<Response> {
  const { secret } = deps.keys.create({ name: "client", budgetCountsLocal: false, ...input });
  return (path, init = {}) =>
    gateway.handle(
      new Request(`http://127.0.0.1${path}`, {
        ...init,
        headers: { authorization: `Bearer ${secret}` },
      }),
    );
}

describe("a usage record", () => {
  it("is written for transcription and speech, with its cost", async () => {
    const test = await createTestGateway({
      channels: [
        toRegisteredChannel(createFakeChannel()),
        toRegisteredChannel(createFakeChannel(), "cloud"),
      ],
    });
    expect(
      (await test.request("/v1/audio/transcriptions", transcription({ model: "cloud/whisper-1" })))
        .status,
    ).toBe(200);
    const synthesized = await (await test.request("/v1/audio/speech", speech())).arrayBuffer();
    const {
      sums: [transcriptionSum, speechSum],
      total,
    } = await sums(test, "model");
    expect(transcriptionSum).toMatchObject({
      group: "cloud/whisper-1",
      requests: 1,
      failed: 0,
      characters: 0,
    });
    expect(transcriptionSum?.audioSec).toBeCloseTo(3.32, 5);
    expect(transcriptionSum?.spentUsd).toBeCloseTo((3.32 / 60) * 0.006, 9);
    expect(transcriptionSum?.receivedBytes).toBeGreaterThan(3244);
    expect(speechSum).toMatchObject({
      group: "tts-1",
      requests: 1,
      characters: 13,
      sentBytes: synthesized.byteLength,
    });
    expect(total.requests).toBe(2);
  });

  it("is written for failures too, which cost nothing", async () => {
    const test = await createTestGateway({
      script: {
        synthesize: () => failingIterable(() => appError("engine_failed", "It broke.")),
      },
    });
    expect((await test.request("/v1/audio/speech", speech())).status).toBe(500);
    expect((await test.request("/v1/audio/speech", speech({ model: "none" }))).status).toBe(404);
    expect((await sums(test, "key")).sums).toMatchObject([
      { group: "owner", requests: 2, failed: 2, spentUsd: 0, savedUsd: 0 },
    ]);
  });

  it("is written when a client disconnects midway", async () => {
    const test = await createTestGateway({
      script: { synthesize: () => streamSpeech(Array.from({ length: 100 }, () => "x".repeat(10))) },
    });
    const response = await test.request("/v1/audio/speech", speech());
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await reader.cancel();
    expect((await sums(test, "day")).total).toMatchObject({ requests: 1, failed: 1 });
  });

  it("is written when a client disconnects before the response, with what the provider will charge", async () => {
    const { channel, nextRequest } = silent();
    const test = await createTestGateway({
      channels: [toRegisteredChannel(channel, "cloud")],
      router: { measureMediaSec: () => Promise.resolve(120) },
    });
    for (const [path, init] of [
      ["/v1/audio/speech", speech({ model: "cloud/tts-1" })],
      ["/v1/audio/transcriptions", transcription({ model: "cloud/whisper-1" })],
    ] as const) {
      const leave = new AbortController();
      const answer = test.request(path, { ...init, signal: leave.signal });
      await nextRequest();
      leave.abort();
      await answer;
    }
    expect((await sums(test, "model")).sums).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({
          group: "cloud/tts-1",
          failed: 1,
          characters: 13,
          spentUsd: 0.000195,
        }),
        expect.objectContaining({
          group: "cloud/whisper-1",
          failed: 1,
          audioSec: 120,
          spentUsd: 0.012,
        }),
      ]),
    );
  });

  it("has the status of a failure in mid-stream, which the client gets as an event", async () => {
    const test = await createTestGateway({
      script: {
        async *synthesize() {
          yield* streamSpeech(["a"]);
          throw appError("engine_failed", "It broke.");
        },
      },
    });
    const response = await test.request("/v1/audio/speech", speech({ stream_format: "sse" }));
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringContaining("It broke."),
    ]);
    expect((await sums(test, "day")).total).toMatchObject({ requests: 1, failed: 1, savedUsd: 0 });
  });

  it("is marked as aborted when a client disconnects while the next chunk is generated", async () => {
    const test = await createTestGateway({
      script: {
        async *synthesize(_, signal) {
          yield* streamSpeech(["a"]);
          await rejectOnAbort(signal);
        },
      },
    });
    const response = await test.request("/v1/audio/speech", speech());
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    const next = reader.read();
    await reader.cancel();
    expect((await next).done).toBe(true);
    expect((await sums(test, "day")).total).toMatchObject({ requests: 1, failed: 1 });
  });

  it("names the channel that was tried last when all failed, and costs nothing", async () => {
    const channel = {
      ...createFakeChannel({
        synthesize: () => failingIterable(() => appError("upstream_broken", "It broke.")),
      }),
      name: "cloud",
    };
    const test = await createTestGateway({ channels: [toRegisteredChannel(channel, "cloud")] });
    expect((await test.request("/v1/audio/speech", speech({ model: "cloud/tts-1" }))).status).toBe(
      502,
    );
    expect((await sums(test, "channel")).sums).toMatchObject([
      { group: "cloud", requests: 1, failed: 1, spentUsd: 0 },
    ]);
  });

  it("is written for requests that a scope or a budget denies", async () => {
    const test = await createTestGateway({
      channels: [toRegisteredChannel(createFakeChannel(), "cloud")],
    });
    expect(
      (await createRequester(test, { scopes: ["models"] })("/v1/audio/speech", speech())).status,
    ).toBe(403);
    const { secret } = test.deps.keys.create({
      name: "poor",
      budgetCountsLocal: false,
      monthlyBudgetUsd: 0,
    });
    expect(
      (
        await test.gateway.handle(
          new Request("http://127.0.0.1/v1/audio/speech", {
            ...speech({ model: "cloud/tts-1" }),
            headers: { authorization: `Bearer ${secret}` },
          }),
        )
      ).status,
    ).toBe(429);
    expect((await sums(test, "day")).total).toMatchObject({ requests: 2, failed: 2, spentUsd: 0 });
  });

  it("is written for a client that stops reading, and its synthesis is stopped", async () => {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const test = await createTestGateway({
      script: {
        async *synthesize(_, signal) {
          signal.addEventListener("abort", () => resolve());
          for (;;) yield* streamSpeech(["again "]);
        },
      },
      limits: { stallTimeoutMs: 20 },
    });
    const response = await test.request("/v1/audio/speech", speech());
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await ended;
    await expect(reader.read()).rejects.toThrow("stopped reading");
    await expect
      .poll(async () => (await sums(test, "day")).total)
      .toMatchObject({ requests: 1, failed: 1 });
  });

  it("is not written for a request without a key", async () => {
    const test = await createTestGateway();
    expect(
      (await test.gateway.handle(new Request("http://127.0.0.1/v1/audio/speech", speech()))).status,
    ).toBe(401);
    expect((await sums(test, "day")).total.requests).toBe(0);
  });
});

describe("the channel that served", () => {
  it("is named in a header of complete and of streamed responses", async () => {
    const { request } = await createTestGateway({
      channels: [toRegisteredChannel({ ...createFakeChannel(), name: "Wölkchen" }, "cloud")],
    });
    const transcribed = await request(
      "/v1/audio/transcriptions",
      transcription({ model: "cloud/whisper-1" }),
    );
    const streamed = await request(
      "/v1/audio/transcriptions",
      transcription({ model: "cloud/whisper-1", stream: "true" }),
    );
    const synthesized = await request("/v1/audio/speech", speech({ model: "cloud/tts-1" }));
    await Promise.all([transcribed.text(), streamed.text(), synthesized.arrayBuffer()]);
    expect(
      [transcribed, streamed, synthesized].map(({ headers }) => headers.get("x-hearsay-channel")),
    ).toEqual(["W?lkchen", "W?lkchen", "W?lkchen"]);
  });
});

describe("scopes", () => {
  it.each([
    ["transcribe", ["/v1/audio/transcriptions", "/v1/audio/translations"]],
    ["speech", ["/v1/audio/speech", "/v1/audio/voices", "/v1/audio/models"]],
    ["models", ["/v1/models", "/v1/models/tts-1", "/v1/audio/voices", "/v1/audio/models"]],
  ] as const)("%s allows its own endpoints and no others", async (scope, open) => {
    const test = await createTestGateway();
    const ask = createRequester(test, { scopes: [scope] });
    for (const path of [
      "/v1/audio/transcriptions",
      "/v1/audio/translations",
      "/v1/audio/speech",
      "/v1/audio/voices",
      "/v1/audio/models",
      "/v1/models",
      "/v1/models/tts-1",
    ]) {
      const response = await ask(
        path,
        path.endsWith("ions") ? transcription() : path.endsWith("speech") ? speech() : {},
      );
      const { error } = (await response.json().catch(() => ({}))) as {
        error?: { type: string; code: string };
      };
      const refused = open.includes(path as never)
        ? undefined
        : { type: "permission_error", code: "insufficient_scope" };
      expect({ path, status: response.status, type: error?.type, code: error?.code }).toEqual({
        path,
        status: refused === undefined ? 200 : 403,
        ...refused,
      });
    }
  });
});

describe("a monthly budget", () => {
  it("responds with 429 in the usual format when it is exhausted", async () => {
    const test = await createTestGateway({
      channels: [toRegisteredChannel(createFakeChannel(), "cloud")],
    });
    const ask = createRequester(test, { monthlyBudgetUsd: 0.0003 });
    const spend = async () => {
      const response = await ask("/v1/audio/speech", speech({ model: "cloud/tts-1" }));
      await response.clone().arrayBuffer();
      return response;
    };
    // 13 characters cost 0.000195 USD.
    expect([(await spend()).status, (await spend()).status]).toEqual([200, 200]);
    const refused = await spend();
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      { error: { type: "insufficient_quota", code: "insufficient_quota", param: null } },
    ]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await test.request("/v1/audio/speech", speech({ model: "cloud/tts-1" }))).status).toBe(
      200,
    );
  });

  it.each([
    ["speech", () => speech({ model: "cloud/tts-1" }), 0.0003],
    ["transcriptions", () => transcription({ model: "cloud/whisper-1" }), 0.0001],
  ] as const)(
    "includes active requests: of many at once, only those within it are admitted (%s)",
    async (endpoint, init, monthlyBudgetUsd) => {
      const { channel, nextRequest } = silent();
      const test = await createTestGateway({ channels: [toRegisteredChannel(channel, "cloud")] });
      const ask = createRequester(test, { monthlyBudgetUsd });
      const leave = new AbortController();
      const answers = Array.from({ length: 20 }, () =>
        ask(`/v1/audio/${endpoint}`, { ...init(), signal: leave.signal }),
      );
      await nextRequest();
      await nextRequest();
      const refused: Response[] = [];
      const counted = answers.map((answer) =>
        answer.then((response) => void refused.push(response)),
      );
      await expect.poll(() => refused.length).toBe(18);
      expect(refused.map(({ status, headers }) => [status, headers.get("retry-after")])).toEqual(
        Array.from({ length: 18 }, () => [429, "5"]),
      );
      leave.abort();
      await Promise.all(counted);
      expect([...channel.transcriptionJobs, ...channel.speechJobs]).toHaveLength(2);
    },
  );

  it("includes work of this machine only if configured", async () => {
    const test = await createTestGateway({
      channels: [toRegisteredChannel({ ...createFakeChannel(), isLocal: true })],
    });
    const statuses = async (budgetCountsLocal: boolean) => {
      const { secret } = test.deps.keys.create({
        name: `local ${budgetCountsLocal}`,
        monthlyBudgetUsd: 0.0001,
        budgetCountsLocal,
      });
      const found: number[] = [];
      for (let at = 0; at < 2; at += 1) {
        const response = await test.gateway.handle(
          new Request("http://127.0.0.1/v1/audio/speech", {
            ...speech(),
            headers: { authorization: `Bearer ${secret}` },
          }),
        );
        found.push(response.status);
        await response.arrayBuffer();
      }
      return found;
    };
    expect(await statuses(false)).toEqual([200, 200]);
    expect(await statuses(true)).toEqual([200, 429]);
  });
});

describe("a loop of gateways", () => {
  it("is detected by the id of this instance", async () => {
    const test = await createTestGateway();
    const headers = { "x-hearsay-via": `other, ${test.deps.configuration.instanceId()}` };
    const response = await test.request("/v1/audio/speech", { ...speech(), headers });
    expect([response.status, await response.json()]).toMatchObject([
      508,
      { error: { code: "channel_loop" } },
    ]);
  });

  it("is detected without a key, and with a host name that is not accepted", async () => {
    const test = await createTestGateway();
    const headers = { "x-hearsay-via": test.deps.configuration.instanceId() };
    for (const host of ["127.0.0.1", "hearsay.example"])
      expect(
        (await test.gateway.handle(new Request(`http://${host}/v1/models`, { headers }))).status,
      ).toBe(508);
  });

  it("is assumed for more than eight gateways", async () => {
    const test = await createTestGateway();
    const through = (count: number) =>
      test.request("/v1/models", {
        headers: {
          "x-hearsay-via": Array.from({ length: count }, (_, at) => `${at}`.repeat(16)).join(),
        },
      });
    expect([(await through(8)).status, (await through(9)).status]).toEqual([200, 508]);
  });

  it("is prevented by passing on the ids of the gateways that the request came through, and nothing else", async () => {
    const test = await createTestGateway();
    const [one, two] = ["0123456789abcdef", "f".repeat(16)];
    await (
      await test.request("/v1/audio/speech", {
        ...speech(),
        headers: { "x-hearsay-via": `${one}, two, ${"x".repeat(999)},${two}` },
      })
    ).arrayBuffer();
    expect(test.channel.speechJobs[0]?.via).toEqual([one, two]);
  });
});

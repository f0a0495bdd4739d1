// A chain of two Hearsay processes with real engines: the official client sends its requests to the first, the second
// serves them.

import { createServer as createTcpServer, connect } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import type OpenAI from "openai";
import { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { audioFormats } from "../../../main/contract/speech.ts";
import { run, waitUntil } from "../../support/command-line.ts";
import { wavBytes } from "../../support/gateway-server.ts";
import { type HearsayProcess, startHearsay } from "../../support/hearsay-process.ts";
import { detectFormat, normalizeWords } from "../../support/test-data.ts";

const text = "Seven yellow lemons roll down the quiet street.";
let front: HearsayProcess;
let back: HearsayProcess;
let speech: Buffer;

const recording = () => toFile(speech, "said.wav");

beforeAll(async () => {
  [front, back] = await Promise.all([startHearsay(), startHearsay()]);
  await front.addChannel({ name: "far", baseUrl: back.baseUrl, key: back.key });
  speech = Buffer.from(
    await (
      await back.client.audio.speech.create({
        model: "tts-1",
        voice: "nova",
        input: text,
        response_format: "wav",
      })
    ).arrayBuffer(),
  );
});
afterAll(() => Promise.all([front.close(), back.close()]));

async function bytesOf(response: { arrayBuffer(): Promise<ArrayBuffer> }): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

/** The error that the official client throws, without the fields that differ between requests. */
async function failureOf(work: Promise<unknown>): Promise<unknown> {
  const failure = await work.then(
    () => {
      throw new Error("nothing failed");
    },
    (error: unknown) => error as InstanceType<typeof OpenAI.APIError>,
  );
  return { status: failure.status, error: failure.error };
}

const askFar = async () =>
  front.client.audio.transcriptions.create({ file: await recording(), model: "far/whisper-1" });
const setOn = (action: "on" | "off") =>
  run(["channels", action, "far"], { dataDir: front.dataDir });

it("a channel that was disabled and enabled again serves at once; while disabled, the error says so", async () => {
  await setOn("off");
  expect(await failureOf(askFar())).toMatchObject({
    status: 404,
    error: {
      message: "The channel 'far' is switched off.",
      code: "model_not_found",
      param: "model",
    },
  });
  await setOn("on");
  expect(normalizeWords((await askFar()).text)).toContain("yellow lemons");
});

it("when a channel's provider is unreachable, the error names the channel and not the model", async () => {
  await front.addChannel({ name: "gone", baseUrl: "http://127.0.0.1:9/v1" });
  const failure = await failureOf(
    front.client.audio.speech.create(
      { model: "gone/tts-1", voice: "nova", input: "Hello." },
      { maxRetries: 0 },
    ),
  );
  expect(failure).toMatchObject({
    status: 503,
    error: {
      message: expect.stringMatching(
        /^The models of the channel 'gone' are not known: .*refused/,
      ) as unknown,
    },
  });
  await run(["channels", "rm", "gone"], { dataDir: front.dataDir });
});

describe("through a chain, a transcription by the official client", () => {
  it("returns plain text and names the channel that served it", async () => {
    const { data, response } = await front.client.audio.transcriptions
      .create({ file: await recording(), model: "far/whisper-1" })
      .withResponse();
    expect(normalizeWords(data.text)).toContain("yellow lemons roll down the quiet street");
    expect(response.headers.get("x-hearsay-channel")).toBe("far");
  });

  it("equals the direct transcription in every format", async () => {
    const file = await recording();
    for (const response_format of ["text", "srt", "vtt"] as const) {
      const [far, near] = await Promise.all([
        front.client.audio.transcriptions.create({ file, model: "far/whisper-1", response_format }),
        back.client.audio.transcriptions.create({ file, model: "whisper-1", response_format }),
      ]);
      expect(far).toBe(near);
      expect(String(far).length).toBeGreaterThan(30);
    }
  });

  it("has timestamps of words and segments", async () => {
    const file = await recording();
    const ask = ({ client }: HearsayProcess, model: string) =>
      client.audio.transcriptions.create({
        file,
        model,
        response_format: "verbose_json",
        timestamp_granularities: ["word", "segment"],
        language: "en",
      });
    const [far, near] = [await ask(front, "far/whisper-1"), await ask(back, "whisper-1")];
    expect(far).toEqual(near);
    expect(far.words?.length).toBeGreaterThan(6);
    expect(far.duration).toBeGreaterThan(1.5);
  });

  it("can be streamed", async () => {
    const events = await front.client.audio.transcriptions.create({
      file: await recording(),
      model: "far/whisper-1",
      stream: true,
    });
    let streamedText = "";
    let whole = "";
    for await (const event of events) {
      if (event.type === "transcript.text.delta") streamedText += event.delta;
      if (event.type === "transcript.text.done") whole = event.text;
    }
    expect(normalizeWords(whole)).toContain("yellow lemons");
    expect(streamedText).toBe(whole);
  });

  it("can be a translation", async () => {
    const { data, response } = await front.client.audio.translations
      .create({ file: await recording(), model: "far/whisper-1" })
      .withResponse();
    expect(normalizeWords(data.text)).toContain("yellow lemons");
    expect(response.headers.get("x-hearsay-channel")).toBe("far");
  });
});

const failedAtBack = async () => (await back.app("readUsage")).total.failed;
/** An Ogg stream has a random serial number, covered by checksums: only the length of Opus files can be compared. */
const comparable = (bytes: Buffer, format: string) =>
  format === "opus" ? bytes.length : bytes.toString("base64");

describe("through a chain, speech requested by the official client", () => {
  it.each(audioFormats)(
    "is byte for byte the second instance's, in %s",
    async (response_format) => {
      const request = { voice: "nova", input: text, response_format } as const;
      const { data, response } = await front.client.audio.speech
        .create({ ...request, model: "far/tts-1" })
        .withResponse();
      const far = await bytesOf(data);
      const direct = await back.client.audio.speech.create({ ...request, model: "tts-1" });
      const near = await bytesOf(direct);
      expect(response.headers.get("x-hearsay-channel")).toBe("far");
      expect(response.headers.get("content-type")).toBe(direct.headers.get("content-type"));
      expect(detectFormat(far)).toBe(response_format);
      expect(comparable(far, response_format)).toBe(comparable(near, response_format));
    },
  );

  it("can be streamed as events", async () => {
    const response = await front.client.audio.speech.create({
      model: "far/tts-1",
      voice: "nova",
      input: text,
      response_format: "wav",
      stream_format: "sse",
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const events = (await response.text())
      .split("\n\n")
      .filter(Boolean)
      .map(
        (line) =>
          JSON.parse(line.replace("data: ", "")) as {
            type: string;
            audio?: string;
            usage?: { input_tokens: number };
          },
      );
    const audio = Buffer.concat(events.map((event) => Buffer.from(event.audio ?? "", "base64")));
    expect(detectFormat(audio)).toBe("wav");
    expect(audio.length).toBeGreaterThan(48_000);
    expect(events.at(-1)).toMatchObject({
      type: "speech.audio.done",
      usage: { input_tokens: text.length },
    });
  });

  it("arrives while the second instance still generates the rest, and is cancelled there when the client disconnects", async () => {
    const before = await failedAtBack();
    const leaving = new AbortController();
    const response = await front.client.audio.speech.create(
      {
        model: "far/tts-1-hd",
        voice: "onyx",
        input: `${text} `.repeat(80),
        response_format: "wav",
      },
      { signal: leaving.signal },
    );
    const first = await (response.body as ReadableStream<Uint8Array>).getReader().read();
    expect(detectFormat(first.value ?? new Uint8Array())).toBe("wav");
    leaving.abort();
    // Counts as failed only if the response was incomplete when the client left.
    await waitUntil(async () => (await failedAtBack()) === before + 1);
  });
});

describe("through a chain, the official client sees", () => {
  it("the models of both instances", async () => {
    const ids = await front.models();
    expect(ids).toEqual(
      expect.arrayContaining(["whisper-1", "tts-1", "far/whisper-1", "far/tts-1", "far/tts-1-hd"]),
    );
    expect(await back.models()).toEqual(
      ids.filter((id) => id.startsWith("far/")).map((id) => id.slice("far/".length)),
    );
  });

  it("a model whose id has a slash", async () => {
    const model = await front.client.models.retrieve("far/whisper-1");
    expect(model).toMatchObject({ id: "far/whisper-1", object: "model" });
  });

  it.each([
    [
      "a language that is not known",
      async (client: OpenAI, model: string) =>
        client.audio.transcriptions.create({
          file: await recording(),
          model: `${model}whisper-1`,
          language: "xx",
        }),
    ],
    [
      "a language that model does not speak",
      async (client: OpenAI, model: string) =>
        client.audio.transcriptions.create({
          file: await recording(),
          model: `${model}moonshine-base`,
          language: "ja",
        }),
    ],
    [
      "a file that is too short",
      async (client: OpenAI, model: string) =>
        client.audio.transcriptions.create({
          file: await toFile(wavBytes(44 + 320), "short.wav"),
          model: `${model}whisper-1`,
        }),
    ],
    [
      "a file that cannot be read",
      async (client: OpenAI, model: string) =>
        client.audio.transcriptions.create({
          file: await toFile(
            Buffer.concat([speech.subarray(0, 40), Buffer.alloc(400)]),
            "broken.wav",
          ),
          model: `${model}whisper-1`,
        }),
    ],
    [
      "a voice there is not",
      async (client: OpenAI, model: string) =>
        client.audio.speech.create({ model: `${model}tts-1`, voice: "gabriel", input: "Hello." }),
    ],
  ])("the second instance's status and message for %s", async (_, ask) => {
    const far = await failureOf(ask(front.client, "far/"));
    expect(far).toEqual(await failureOf(ask(back.client, "")));
    expect(far).toMatchObject({
      status: 400,
      error: { message: expect.stringMatching(/\w+ \w+/) },
    });
  });

  it("usage counted by both instances", async () => {
    await front.client.audio.speech.create({ model: "far/tts-1", voice: "nova", input: "Hello." });
    const [here, there] = await Promise.all([front, back].map(({ app }) => app("readUsage")));
    expect(here?.total.requests).toBeGreaterThan(0);
    expect(there?.total.requests).toBeGreaterThanOrEqual(here?.total.requests ?? Infinity);
  });
});

it("client keys never reach the second instance, and the channel's key is never shown or logged", async () => {
  // The second instance accepts only its own key: with the client's key it would respond 401.
  await front.client.audio.speech.create({ model: "far/tts-1", voice: "nova", input: "Hello." });
  for (const log of [front.log(), back.log()]) {
    expect(log).toContain("answered");
    expect(log).not.toContain(front.key);
    expect(log).not.toContain(back.key);
  }
  expect(JSON.stringify(await front.app("listChannels"))).not.toContain(back.key);
});

describe("a channel", () => {
  it("disappears with its models when disabled, and returns when enabled", async () => {
    const far = async () => (await front.models()).filter((id) => id.startsWith("far/"));
    const all = await far();
    expect(all.length).toBeGreaterThan(3);
    await front.app("changeChannel", { enabled: false }, "far");
    expect(await far()).toEqual([]);
    await expect(
      front.client.audio.speech.create({ model: "far/tts-1", voice: "nova", input: "Hello." }),
    ).rejects.toMatchObject({ status: 404, code: "model_not_found" });
    await expect(front.client.models.retrieve("far/tts-1")).rejects.toMatchObject({ status: 404 });
    await front.app("changeChannel", { enabled: true }, "far");
    expect(await far()).toEqual(all);
    await front.client.audio.speech.create({ model: "far/tts-1", voice: "nova", input: "Hello." });
  });

  it("that the command line removes is gone at the next request", async () => {
    await front.addChannel({ name: "short-lived", baseUrl: back.baseUrl, key: back.key });
    expect(await front.models()).toContain("short-lived/whisper-1");
    const { code, stderr } = await run(["channels", "rm", "short-lived"], {
      dataDir: front.dataDir,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    await expect(
      front.client.audio.speech.create({
        model: "short-lived/tts-1",
        voice: "nova",
        input: "Hello.",
      }),
    ).rejects.toMatchObject({ status: 404 });
    expect(await front.models()).not.toContain("short-lived/whisper-1");
  });

  it("that the command line adds is available at once", async () => {
    const added = await run(
      ["channels", "add", "Late", "--url", back.baseUrl, "--key-stdin", "--models", "*-1"],
      { dataDir: front.dataDir, stdin: back.key },
    );
    expect(added.stdout).toMatch(/^passed +speech to text/m);
    expect(added.stdout).toMatch(/^passed +text to speech/m);
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(await front.models()).toContain("late/whisper-1");
    const { response } = await front.client.audio.speech
      .create({ model: "late/tts-1", voice: "nova", input: "Hello." })
      .withResponse();
    expect(response.headers.get("x-hearsay-channel")).toBe("Late");
    await front.app("removeChannel", undefined, "late");
  });
});

describe("a loop of channels", () => {
  it.each(["127.0.0.1", "localhost", "127.0.0.2", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]"])(
    "to the same instance as %s is refused",
    async (host) => {
      const baseUrl = front.baseUrl.replace("127.0.0.1", host);
      await expect(
        front.addChannel({ name: "self", baseUrl, key: front.key }),
      ).rejects.toMatchObject({ status: 400, answer: { error: { param: "baseUrl" } } });
      expect((await front.app("listChannels")).channels.map(({ name }) => name)).not.toContain(
        "self",
      );
    },
  );

  it("to the same instance through a port forwarder is refused", async () => {
    const { port } = await forwarder(Number(new URL(front.baseUrl).port));
    const adding = front.addChannel({
      name: "mirror",
      baseUrl: `http://127.0.0.1:${port}/v1`,
      key: front.key,
    });
    onTestFinished(() => void front.app("removeChannel", undefined, "mirror").catch(() => {}));
    await expect(adding).rejects.toMatchObject({
      status: 508,
      answer: { error: { code: "channel_loop", param: "baseUrl" } },
    });
  });

  describe("between two instances", () => {
    /** Outcome of adding the first instance as a channel of the second. */
    let added: "added" | { code: string; status: number };
    beforeAll(async () => {
      added = await back.addChannel({ name: "home", baseUrl: front.baseUrl, key: front.key }).then(
        () => "added" as const,
        (error: { status: number; answer: { error: { code: string } } }) => ({
          status: error.status,
          code: error.answer.error.code,
        }),
      );
    });
    afterAll(async () => {
      if (added === "added") await back.app("removeChannel", undefined, "home");
    });

    it("is refused when the channel is added, or else at the first request", async () => {
      const request = back.client.audio.speech.create({
        model: "home/far/tts-1",
        voice: "nova",
        input: "Hello.",
      });
      const refused = await request.then(
        () => "served",
        (error: { code: string; status: number }) => ({ status: error.status, code: error.code }),
      );
      expect([added, refused]).toContainEqual({ status: 508, code: "channel_loop" });
    });

    it("does not make the model lists grow", async () => {
      // Each instance requests the other's model list twice.
      for (let round = 0; round < 2; round += 1) {
        await front.app("changeChannel", { key: back.key }, "far");
        if (added === "added") await back.app("changeChannel", { key: front.key }, "home");
      }
      expect((await front.models()).filter((id) => id.split("/").length > 2)).toEqual([]);
    });
  });
});

/** Forwards TCP connections to a local port. Closed with the test. */
async function forwarder(to: number): Promise<{ port: number }> {
  const server = createTcpServer((near) => {
    const far = connect(to, "127.0.0.1");
    for (const socket of [near, far]) socket.on("error", () => {});
    near.pipe(far).pipe(near);
    onTestFinished(() => void [near, far].map((socket) => socket.destroy()));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port };
}

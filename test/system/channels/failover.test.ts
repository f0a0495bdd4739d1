// Several channels for one model, some of which fail. Hearsay and the providers are separate processes, so that they
// can be killed.

import { setImmediate as breath } from "node:timers/promises";
import { toFile } from "openai";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { waitUntil } from "../../support/command-line.ts";
import { uploadForm, wavBytes } from "../../support/gateway-server.ts";
import { type HearsayProcess, startHearsay } from "../../support/hearsay-process.ts";
import { type Provider, startProvider } from "../../support/provider.ts";
import { normalizeWords } from "../../support/test-data.ts";

let hearsay: HearsayProcess;
let [one, other]: Provider[] = [];

beforeAll(async () => {
  [hearsay, one, other] = await Promise.all([
    startHearsay(),
    startProvider({ name: "one", transcriptionMs: 15 }),
    startProvider({ name: "other", transcriptionMs: 15 }),
  ]);
});
afterAll(() => Promise.all([hearsay.close(), one?.kill(), other?.kill()]));
afterEach(async () => {
  await hearsay.app("changeRouting", {});
  for (const { id } of (await hearsay.app("listChannels")).channels)
    await hearsay.app("removeChannel", undefined, id);
});

const running = (provider: Provider | undefined): Provider => {
  if (provider === undefined) throw new Error("the provider did not start");
  return provider;
};

const clients = 8;

/** Outcome of a request. `begun`: its status was a success, whether or not the body arrived completely. */
type Outcome = { channel: string; begun: boolean; whole: boolean; text: string };

async function ask(path: string, init: RequestInit): Promise<Outcome> {
  const response = await hearsay.request(path, { method: "POST", ...init });
  const outcome = { channel: response.headers.get("x-hearsay-channel") ?? "", begun: response.ok };
  return response.text().then(
    (text) => ({ ...outcome, whole: true, text }),
    () => ({ ...outcome, whole: false, text: "" }),
  );
}

const transcribe = (model: string): Promise<Outcome> =>
  ask("/audio/transcriptions", { body: uploadForm({ model }) });
const synthesize = (model: string): Promise<Outcome> =>
  ask("/audio/speech", {
    body: JSON.stringify({ model, voice: "nova", input: "Hello.", response_format: "pcm" }),
  });

describe("two channels with one prefix", () => {
  it("hide from clients that one of them dies and comes back", async () => {
    const [dying, living] = [running(one), running(other)];
    for (const { name, baseUrl } of [dying, living])
      await hearsay.addChannel({ name, baseUrl, prefix: "both", weight: 2 });
    expect(await hearsay.models()).toEqual(
      expect.arrayContaining(["both/whisper-1", "both/tts-1"]),
    );

    const outcomes: Outcome[] = [];
    let begun = 0;
    const kill = Promise.withResolvers<void>();
    let servedBefore = 0;
    const client = async (): Promise<void> => {
      while (begun < 200) {
        begun += 1;
        const outcome = await (begun % 2 === 0
          ? transcribe("both/whisper-1")
          : synthesize("both/tts-1"));
        outcomes.push(outcome);
        if (outcomes.length === 100) kill.resolve();
      }
    };
    const run = Promise.all(Array.from({ length: clients }, client));
    await kill.promise;
    servedBefore = outcomes.length;
    await dying.kill();
    await run;

    expect(outcomes).toHaveLength(200);
    expect(outcomes.filter((outcome) => !outcome.begun)).toEqual([]);
    // Speech of the killed provider may break off after its start; speech of the other one must not.
    expect(outcomes.filter(({ whole, channel }) => !whole && channel !== dying.name)).toEqual([]);
    expect(outcomes.slice(0, servedBefore).filter(({ whole }) => !whole)).toEqual([]);
    const by = (part: readonly Outcome[], { name }: Provider) =>
      part.filter(({ channel }) => channel === name).length;
    expect(by(outcomes.slice(0, servedBefore), dying)).toBeGreaterThan(20);
    expect(by(outcomes.slice(0, servedBefore), living)).toBeGreaterThan(20);
    // Responses of the killed provider may still be in transit, one per client; the other one served the rest.
    expect(by(outcomes.slice(servedBefore), dying)).toBeLessThanOrEqual(clients);
    expect(
      outcomes.filter(
        ({ text, channel }) =>
          text.startsWith("{") &&
          !text.includes(`${channel} transcribed 3244 bytes with whisper-1`),
      ),
    ).toEqual([]);

    expect(await hearsay.health(dying.name)).toMatchObject({
      state: "open",
      lastError: { message: expect.stringContaining(dying.name) },
    });
    expect(await hearsay.health(living.name)).toMatchObject({ state: "closed", failures: 0 });

    await dying.restart();
    await waitUntil(async () => {
      expect((await transcribe("both/whisper-1")).whole).toBe(true);
      return (await hearsay.health(dying.name)).state === "closed";
    });
    await waitUntil(async () => (await transcribe("both/whisper-1")).channel === dying.name);
  }, 60_000);

  it("share the requests by weight", async () => {
    const [heavy, light] = [running(one), running(other)];
    await hearsay.addChannel({
      name: heavy.name,
      baseUrl: heavy.baseUrl,
      prefix: "both",
      weight: 9,
    });
    await hearsay.addChannel({
      name: light.name,
      baseUrl: light.baseUrl,
      prefix: "both",
      weight: 1,
    });
    const outcomes = await Promise.all(Array.from({ length: 150 }, () => synthesize("both/tts-1")));
    const share = outcomes.filter(({ channel }) => channel === heavy.name).length;
    // The expected value is 135: the lower bound is ten standard deviations below it, the upper bound is one request
    // less than all.
    expect(share).toBeGreaterThan(98);
    expect(share).toBeLessThan(150);
  });

  it("are selected by priority", async () => {
    const [first, second] = [running(one), running(other)];
    await hearsay.addChannel({
      name: second.name,
      baseUrl: second.baseUrl,
      prefix: "both",
      priority: 20,
    });
    await hearsay.addChannel({
      name: first.name,
      baseUrl: first.baseUrl,
      prefix: "both",
      priority: 5,
    });
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => synthesize("both/tts-1")));
    expect(new Set(outcomes.map(({ channel }) => channel))).toEqual(new Set([first.name]));
  });
});

const synthesizedFile = async () =>
  toFile(
    Buffer.from(
      await (
        await hearsay.client.audio.speech.create({
          model: "hibari",
          voice: "nova",
          input: "Yellow lemons.",
          response_format: "wav",
        })
      ).arrayBuffer(),
    ),
    "said.wav",
  );

async function transcribeWith(model: string): Promise<{ channel: string | null; text: string }> {
  const { data, response } = await hearsay.client.audio.transcriptions
    .create({ file: await synthesizedFile(), model })
    .withResponse();
  return { channel: response.headers.get("x-hearsay-channel"), text: data.text };
}

/** Adds a channel whose provider is then killed, after its models were listed. */
async function addDeadChannel(name: string): Promise<void> {
  const provider = await startProvider({ name });
  await hearsay.addChannel({ name, baseUrl: provider.baseUrl });
  expect(await hearsay.models()).toContain(`${name}/whisper-1`);
  await provider.kill();
}

describe("an alias", () => {
  it("is served by its first target", async () => {
    const { name, baseUrl } = running(one);
    await hearsay.addChannel({ name, baseUrl });
    await hearsay.app("changeRouting", {
      aliases: { "whisper-1": [`${name}/whisper-1`, "whisper-1"] },
    });
    expect(await transcribeWith("whisper-1")).toMatchObject({
      channel: name,
      text: expect.stringContaining("one transcribed"),
    });
  });

  it("is served by the next target when the first is down", async () => {
    await addDeadChannel("away");
    await hearsay.app("changeRouting", {
      aliases: { "whisper-1": ["away/whisper-1", "whisper-1"], "tts-1": ["away/tts-1", "tts-1"] },
    });
    const { channel, text } = await transcribeWith("whisper-1");
    expect([channel, normalizeWords(text)]).toEqual(["local", expect.stringContaining("yellow")]);
    const { response } = await hearsay.client.audio.speech
      .create({ model: "tts-1", voice: "nova", input: "Hello." })
      .withResponse();
    expect(response.headers.get("x-hearsay-channel")).toBe("local");
  });

  it("is served locally when the cloud is preferred but down", async () => {
    await addDeadChannel("cloud");
    await hearsay.app("changeRouting", { prefer: "cloud" });
    expect((await transcribeWith("whisper-1")).channel).toBe("local");
  });

  it("is served by the cloud when that is preferred and available", async () => {
    const { name, baseUrl } = running(one);
    await hearsay.addChannel({ name, baseUrl });
    await hearsay.app("changeRouting", { prefer: "cloud" });
    expect((await transcribeWith("whisper-1")).channel).toBe(name);
    // The preference applies to aliases only.
    expect((await transcribeWith("moonshine-base")).channel).toBe("local");
  });

  it("is served locally when that is preferred, and by the cloud while this machine is busy", async () => {
    const { name, baseUrl } = running(one);
    await hearsay.addChannel({ name, baseUrl });
    await hearsay.app("changeRouting", { prefer: "local" });
    const before = await synthesizedFile();
    expect((await transcribeWith("whisper-1")).channel).toBe("local");

    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    // More requests than the single engine process can run at once.
    const speeches = await Promise.all(
      Array.from({ length: 3 }, () =>
        hearsay.client.audio.speech.create(
          {
            model: "hibari",
            voice: "nova",
            input: "Seven yellow lemons roll down the quiet street. ".repeat(80),
            response_format: "pcm",
          },
          { signal: leaving.signal },
        ),
      ),
    );
    const reading = speeches.map(async ({ body }) => {
      for await (const _ of body as ReadableStream<Uint8Array>) await breath();
    });
    const { response } = await hearsay.client.audio.transcriptions
      .create({ file: before, model: "whisper-1" })
      .withResponse();
    expect(response.headers.get("x-hearsay-channel")).toBe(name);
    leaving.abort();
    await Promise.allSettled(reading);
    await waitUntil(async () => (await transcribeWith("whisper-1")).channel === "local");
  });

  it("is served by the next target when the first does not support the language", async () => {
    const [{ name, baseUrl }, far] = [running(one), await startHearsay()];
    onTestFinished(() => far.close());
    await hearsay.addChannel({ name, baseUrl });
    await hearsay.addChannel({ name: "far", baseUrl: far.baseUrl, key: far.key });
    await hearsay.app("changeRouting", {
      aliases: { "whisper-1": ["far/moonshine-base", `${name}/whisper-1`] },
    });
    const { data, response } = await hearsay.client.audio.transcriptions
      .create({
        file: await toFile(wavBytes(64_044), "said.wav"),
        model: "whisper-1",
        language: "ja",
      })
      .withResponse();
    expect([response.headers.get("x-hearsay-channel"), data.text]).toEqual([
      name,
      expect.stringContaining("one transcribed"),
    ]);
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished, vi } from "vitest";

import { createChannels } from "../../../../main/channels/config/channels.ts";
import type { Channels, ChannelsOptions } from "../../../../main/channels/config/channels.ts";
import { channelFields } from "../../../../main/contract/channels.ts";
import { AppError } from "../../../../main/contract/errors.ts";
import { openDatabase } from "../../../../main/storage/database.ts";
import { createLog } from "../../../../main/log.ts";
import { createConfiguration } from "../../../../main/storage/settings/configuration.ts";
import { createProviderKeys } from "../../../../main/storage/settings/provider-keys.ts";
import {
  respondWith,
  controlledResponse,
  json,
  refusingBaseUrl,
  noResponse,
  startUpstream,
} from "../../../support/upstream.ts";
import type { TestUpstream } from "../../../support/upstream.ts";
import { openOutbound } from "../../../support/outbound.ts";

const key = "sk-secret-0123456789";
const otherKey = "sk-other-9876543210";

const models = (...ids: string[]) => json({ data: ids.map((id) => ({ id })) });

async function startProvider(...ids: string[]): Promise<TestUpstream & { connections(): number }> {
  const upstream = await startUpstream();
  const answerModels = ids.length === 0 ? models("whisper-1", "tts-1") : models(...ids);
  const sockets = new Set<Socket>();
  upstream.setBehaviour((exchange) => {
    const { socket } = exchange.request;
    if (!sockets.has(socket)) socket.once("close", () => sockets.delete(socket));
    sockets.add(socket);
    return answerModels(exchange);
  }, "/models");
  return { ...upstream, connections: () => sockets.size };
}

type Setting = Channels & { dataDir: string; logged: string[]; options: ChannelsOptions };

/** Channels with real files in a folder of their own. */
async function setUp(
  given: Partial<ChannelsOptions> & {
    dataDir?: string;
    env?: NodeJS.ProcessEnv;
    started?: boolean;
  } = {},
): Promise<Setting> {
  const {
    env = {},
    started = true,
    dataDir = await mkdtemp(join(tmpdir(), "hearsay-channels-")),
    ...rest
  } = given;
  const logged: string[] = [];
  const log = createLog("trace", { write: (line) => void logged.push(line) });
  const database = openDatabase(join(dataDir, "library.db"));
  const options: ChannelsOptions = {
    configuration: createConfiguration(database, log),
    keys: await createProviderKeys({ dataDir, env, log }),
    instanceId: "here",
    isOwnAddress: () => false,
    outbound: openOutbound,
    log,
    policy: { intervalMs: 300_000, firstRetryMs: 30_000 },
    ...rest,
  };
  const channels = createChannels(options);
  if (started) channels.start();
  onTestFinished(async () => {
    await channels.close();
    database.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  return { ...channels, dataDir, logged, options };
}

const modelsOf = (channels: Channels) =>
  channels
    .registered()
    .flatMap(({ channel, prefix }) => channel.models().map(({ id }) => `${prefix}/${id}`));
const listRequests = ({ requests }: TestUpstream) =>
  requests.filter(({ path }) => path.endsWith("/models"));
const forever = new AbortController().signal;

/** As written in a script. */
const modulePath = (path: string) =>
  JSON.stringify(join(import.meta.dirname, "../../../../main", path));

async function failure(work: Promise<unknown>): Promise<Partial<AppError>> {
  const error = await work.then(
    () => new Error("it did not fail"),
    (reason: unknown) => reason as AppError,
  );
  return error;
}

it("adds a channel whose models are available at once", async () => {
  const upstream = await startProvider();
  const channels = await setUp();
  const view = await channels.add({
    name: "My Größe",
    baseUrl: `${upstream.baseUrl}/`,
    prefix: "mine",
    weight: 3,
    key: ` ${key}\n`,
  });
  expect(view).toMatchObject({
    id: "my-grosse",
    name: "My Größe",
    baseUrl: upstream.baseUrl,
    key: "stored",
    models: 2,
    enabled: true,
    weight: 3,
    health: { state: "closed", successes: 0 },
  });
  expect(view.listedAtMs).toBeGreaterThan(Date.now() - 10_000);
  expect(channels.list()).toEqual([view]);
  expect(modelsOf(channels)).toEqual(["mine/whisper-1", "mine/tts-1"]);
  expect(channels.registered()[0]).toMatchObject({
    priority: 10,
    weight: 3,
    totalMs: 900_000,
  });
  expect(channels.registered()).toBe(channels.registered());
  for (const { headers } of upstream.requests) expect(headers.authorization).toBe(`Bearer ${key}`);
});

it("adds a channel whose provider is unreachable, and says why it has no models", async () => {
  const channels = await setUp();
  const view = await channels.add({
    name: "Away",
    baseUrl: await refusingBaseUrl(),
    prefix: "away",
  });
  expect(view).toMatchObject({ models: 0, key: "none" });
  expect(view.listError).toContain("refused");
  expect(view.listedAtMs).toBeUndefined();
});

it("gives every channel its own id", async () => {
  const { baseUrl } = await startProvider();
  const channels = await setUp();
  const ids = [];
  for (const name of ["Groq", "Groq!", "Local.", "听"])
    ids.push((await channels.add({ name, baseUrl, prefix: "x" })).id);
  expect(ids).toEqual(["groq", "groq-2", "local-2", "channel"]);
});

it("accepts each name only once, ignoring case and punctuation, also in concurrent calls", async () => {
  const { baseUrl } = await startProvider();
  const channels = await setUp();
  const both = await Promise.allSettled([
    channels.add({ name: "Groq", baseUrl, prefix: "a" }),
    channels.add({ name: "gROQ", baseUrl, prefix: "b" }),
  ]);
  expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(both[1]).toMatchObject({ reason: { key: "name_taken", param: "name" } });
  await channels.add({ name: "Other", baseUrl, prefix: "c" });
  expect(await failure(channels.change("other", { name: "GROQ" }))).toMatchObject({
    key: "name_taken",
  });
  expect(await channels.change("other", { name: "OTHER" })).toMatchObject({
    id: "other",
    name: "OTHER",
  });
});

it("rejects a name that shares its environment variable for the key with another channel", async () => {
  const { baseUrl } = await startProvider();
  const channels = await setUp({ env: { HEARSAY_CHANNEL_MY_GROQ_KEY: key } });
  await channels.add({ name: "my groq", baseUrl, prefix: "a" });
  expect(await failure(channels.add({ name: "My.Groq", baseUrl, prefix: "b" }))).toMatchObject({
    key: "name_taken",
    param: "name",
    message: expect.stringContaining("HEARSAY_CHANNEL_MY_GROQ_KEY is set"),
  });
  // Similar names are allowed where no variable is set.
  for (const name of ["Größe", "Grüße"]) await channels.add({ name, baseUrl, prefix: "c" });
  expect(await failure(channels.change("Größe", { name: "MY_GROQ" }))).toMatchObject({
    key: "name_taken",
  });
  expect(await channels.change("my groq", { name: "my_groq" })).toMatchObject({
    name: "my_groq",
    key: "environment",
  });
});

it("keeps no key of a channel that could not be stored, and uses none that was left", async () => {
  const upstream = await startProvider();
  const here = await setUp();
  const { configuration, keys } = here.options;
  const failing = await setUp({
    dataDir: here.dataDir,
    keys,
    configuration: {
      ...configuration,
      saveChannel: () => {
        throw new AppError("storage.full");
      },
    },
  });
  const input = { name: "A", baseUrl: upstream.baseUrl, prefix: "a" };
  expect(await failure(failing.add({ ...input, key }))).toMatchObject({ key: "storage_full" });
  expect(await readFile(join(here.dataDir, "provider-keys.json"), "utf8")).not.toContain(key);
  await keys.set("a", upstream.origin, key);
  expect(await here.add(input)).toMatchObject({ id: "a", key: "none" });
});

it("keeps the key of a channel whose change could not be stored", async () => {
  const [upstream, other] = [await startProvider(), await startProvider()];
  const here = await setUp();
  await here.add({ name: "A", baseUrl: upstream.baseUrl, prefix: "a", key });
  const { configuration, keys } = here.options;
  const failing = await setUp({
    dataDir: here.dataDir,
    keys,
    configuration: {
      ...configuration,
      saveChannel: () => {
        throw new AppError("storage.full");
      },
    },
  });
  const owner = { id: "a", name: "A", origin: upstream.origin };
  for (const patch of [
    { key: null },
    { baseUrl: other.baseUrl },
    { baseUrl: other.baseUrl, key: otherKey },
  ]) {
    expect(await failure(failing.change("a", patch))).toMatchObject({ key: "storage_full" });
    expect(keys.get(owner)).toBe(key);
  }
  const stored = () => readFile(join(here.dataDir, "provider-keys.json"), "utf8");
  expect(await stored()).not.toContain(otherKey);
  await here.change("a", { baseUrl: other.baseUrl, key: otherKey });
  expect(keys.get({ ...owner, origin: other.origin })).toBe(otherKey);
  expect(await stored()).not.toContain(key);
});

it("derives the prefix from the name where none is given, and the id too", async () => {
  const { baseUrl } = await startProvider();
  const channels = await setUp();
  expect(await channels.add({ name: "My Größe", baseUrl })).toMatchObject({
    id: "my-grosse",
    prefix: "my-grosse",
  });
  expect(await channels.add({ name: "My Größe!", baseUrl, prefix: undefined })).toMatchObject({
    prefix: "my-grosse-2",
  });
  expect(await channels.add({ name: "Local.", baseUrl })).toMatchObject({ prefix: "local-2" });
});

it("rejects invalid values and stores none of them", async () => {
  const channels = await setUp();
  const good = { name: "A", baseUrl: "http://127.0.0.1:1/v1", prefix: "a" };
  for (const [wrong, param] of [
    [{ ...good, baseUrl: "ftp://x/v1" }, "baseUrl"],
    [{ ...good, prefix: "A B" }, "prefix"],
    [{ ...good, name: "Local" }, "name"],
    [{ ...good, weight: 0 }, "weight"],
    [{ ...good, key: "two words" }, "key"],
  ] as const) {
    expect(await failure(channels.add(wrong))).toMatchObject({ key: "invalid_value", param });
  }
  expect(channels.list()).toEqual([]);
});

it("finds channels by id or name, and reports unknown ones", async () => {
  const { baseUrl } = await startProvider();
  const channels = await setUp();
  await channels.add({ name: "My Groq", baseUrl, prefix: "a" });
  expect(await channels.change("my-groq", { weight: 2 })).toMatchObject({ weight: 2 });
  expect(await channels.change("MY GROQ", { weight: 4 })).toMatchObject({ weight: 4 });
  for (const work of [channels.change("x", {}), channels.remove("x"), channels.test("x", forever)])
    expect(await failure(work)).toMatchObject({ key: "not_found" });
});

it("rejects the address of this server, when adding and when changing a channel", async () => {
  const upstream = await startProvider();
  const channels = await setUp({ isOwnAddress: ({ port }) => port === "4343" });
  expect(
    await failure(channels.add({ name: "Me", baseUrl: "http://localhost:4343/v1", prefix: "me" })),
  ).toMatchObject({ key: "invalid_value", param: "baseUrl" });
  await channels.add({ name: "Them", baseUrl: upstream.baseUrl, prefix: "them", key });
  expect(
    await failure(channels.change("them", { baseUrl: "http://127.0.0.1:4343/v1" })),
  ).toMatchObject({ key: "invalid_value", param: "baseUrl" });
  expect(channels.list()).toMatchObject([{ id: "them", baseUrl: upstream.baseUrl, key: "stored" }]);
});

it("detects another name of this server by its response", async () => {
  const upstream = await startUpstream(
    json({ error: { message: "This came from here.", code: "channel_loop" } }, 508),
  );
  const channels = await setUp();
  expect(
    await failure(channels.add({ name: "Me", baseUrl: upstream.baseUrl, prefix: "me", key })),
  ).toMatchObject({ key: "channel_loop", param: "baseUrl" });
  expect(upstream.requests[0]?.headers["x-hearsay-via"]).toBe("here");
  expect(channels.list()).toEqual([]);
});

it("removes a disabled channel from routing at once and closes its connections", async () => {
  const upstream = await startProvider();
  const channels = await setUp();
  await channels.add({ name: "A", baseUrl: upstream.baseUrl, prefix: "a" });
  await vi.waitFor(() => expect(upstream.connections()).toBe(1));
  const off = channels.change("a", { enabled: false });
  await vi.waitFor(() => expect(channels.registered()).toEqual([]));
  expect(await off).toMatchObject({ enabled: false, models: 0 });
  await vi.waitFor(() => expect(upstream.connections()).toBe(0));
  expect(channels.list()).toHaveLength(1);
  expect(await channels.change("a", { enabled: true })).toMatchObject({ models: 2 });
});

it("keeps connections, health and models when only the weight changes", async () => {
  const upstream = await startProvider();
  const channels = await setUp();
  await channels.add({ name: "A", baseUrl: upstream.baseUrl, prefix: "a" });
  const [before] = channels.registered();
  const requestCount = upstream.requests.length;
  await channels.change("a", { weight: 5, priority: 1, prefix: "b" });
  const [after] = channels.registered();
  expect(after).toMatchObject({ weight: 5, priority: 1, prefix: "b" });
  expect(after).not.toBe(before);
  expect(after?.channel).toBe(before?.channel);
  expect(after?.health).toBe(before?.health);
  expect(upstream.requests).toHaveLength(requestCount);
});

it("leaves fields that a change does not name as they are", async () => {
  const upstream = await startProvider();
  const channels = await setUp();
  const before = await channels.add({
    name: "A",
    baseUrl: upstream.baseUrl,
    prefix: "a",
    weight: 7,
    modelFilter: ["*"],
    limits: { totalMs: 1_000 },
    key,
  });
  const after = await channels.change("a", {
    name: undefined,
    priority: 3,
    limits: { bodyMs: 2_000 },
    key: undefined,
  });
  expect(after).toMatchObject({
    ...before,
    priority: 3,
    limits: { ...before.limits, bodyMs: 2_000 },
    listedAtMs: expect.any(Number),
  });
});

it("applies a setting to the known models at once, and asks for the list again", async () => {
  const upstream = await startProvider();
  const channels = await setUp();
  await channels.add({ name: "A", baseUrl: upstream.baseUrl, prefix: "a" });
  const [before] = channels.registered();
  const slow = controlledResponse("application/json");
  upstream.setBehaviour(slow.behaviour, "/models");
  const requestCount = upstream.requests.length;
  const change = channels.change("a", { modelFilter: ["whisper*"], limits: { bodyMs: 5_000 } });
  await vi.waitFor(() => expect(upstream.requests.length).toBeGreaterThan(requestCount));
  expect(modelsOf(channels)).toEqual(["a/whisper-1"]);
  await slow.write(JSON.stringify({ data: [{ id: "whisper-1" }, { id: "whisper-2" }] }));
  await slow.end();
  expect(await change).toMatchObject({ models: 2, limits: { bodyMs: 5_000, connectMs: 5_000 } });
  expect(modelsOf(channels)).toEqual(["a/whisper-1", "a/whisper-2"]);
  expect(channels.registered()[0]?.health).toBe(before?.health);
});

it("lets active requests finish when a setting changes", async () => {
  const upstream = await startProvider();
  const channels = await setUp();
  await channels.add({ name: "A", baseUrl: upstream.baseUrl, prefix: "a" });
  const speech = controlledResponse("audio/pcm");
  upstream.setBehaviour(speech.behaviour, "/speech");
  const job = { model: "tts-1", text: "Hello.", voice: "alloy", speed: 1, format: "pcm" } as const;
  const { channel } = channels.registered()[0]!;
  const chunks = channel.synthesize(job, forever)[Symbol.asyncIterator]();
  const first = chunks.next();
  await speech.write(new Uint8Array(100));
  await first;
  await channels.change("a", { voiceNames: { alloy: "af_alloy" } });
  await speech.write(new Uint8Array(50));
  expect((await chunks.next()).value?.bytes).toHaveLength(50);
  await speech.end();
  expect(await chunks.next()).toMatchObject({ done: true });
  // A job may send another request with the channel that it began with.
  upstream.setBehaviour(respondWith(200, "audio/pcm", Buffer.alloc(60)), "/speech");
  const more = channel.synthesize(job, forever)[Symbol.asyncIterator]();
  expect((await more.next()).value?.bytes).toHaveLength(60);
});

it("closes idle connections when a setting changes", async () => {
  const upstream = await startProvider();
  const channels = await setUp();
  await channels.add({ name: "A", baseUrl: upstream.baseUrl, prefix: "a" });
  await vi.waitFor(() => expect(upstream.connections()).toBe(1));
  await channels.change("a", { limits: { bodyMs: 5_000 } });
  expect(listRequests(upstream)).toHaveLength(3);
  await vi.waitFor(() => expect(upstream.connections()).toBe(1));
});

it("drops the key only when the channel moves to another origin", async () => {
  const [one, two] = [await startProvider(), await startProvider("kokoro")];
  const channels = await setUp();
  await channels.add({ name: "A", baseUrl: one.baseUrl, prefix: "a", key });
  const [before] = channels.registered();
  expect(await channels.change("a", { baseUrl: one.baseUrl.replace("/v1", "/v2") })).toMatchObject({
    key: "stored",
  });
  expect(await channels.change("a", { baseUrl: two.baseUrl })).toMatchObject({
    key: "none",
    models: 1,
  });
  expect(two.requests.length).toBeGreaterThan(0);
  for (const { headers } of two.requests) expect(headers.authorization).toBeUndefined();
  expect(channels.registered()[0]?.health).not.toBe(before?.health);
  expect(await channels.change("a", { baseUrl: one.baseUrl })).toMatchObject({ key: "none" });
  expect(await channels.change("a", { baseUrl: two.baseUrl, key: otherKey })).toMatchObject({
    key: "stored",
  });
  expect(two.requests.at(-1)?.headers.authorization).toBe(`Bearer ${otherKey}`);
});

it("fetches the list again with a new key, and again without one after its removal", async () => {
  const upstream = await startUpstream(json({ error: { message: "who are you" } }, 401));
  const channels = await setUp();
  expect(await channels.add({ name: "A", baseUrl: upstream.baseUrl, prefix: "a" })).toMatchObject({
    models: 0,
    listError: expect.stringContaining("who are you"),
    isKeyRefused: true,
  });
  upstream.setBehaviour(models("whisper-1"), "/models");
  const view = await channels.change("a", { key });
  expect(view).toMatchObject({ models: 1, key: "stored" });
  expect(view.listError).toBeUndefined();
  expect(await channels.change("a", { key: "" })).toMatchObject({ key: "stored" });
  expect(await channels.change("a", { key: null })).toMatchObject({ key: "none" });
  expect(upstream.requests.at(-1)?.headers.authorization).toBeUndefined();
});

it("prefers the key from the environment to the stored one", async () => {
  const upstream = await startProvider();
  const channels = await setUp({ env: { HEARSAY_CHANNEL_MY_A_KEY: otherKey } });
  expect(
    await channels.add({ name: "My A", baseUrl: upstream.baseUrl, prefix: "a" }),
  ).toMatchObject({ key: "environment" });
  expect(upstream.requests.at(-1)?.headers.authorization).toBe(`Bearer ${otherKey}`);
});

it("removes a channel and its key", async () => {
  const upstream = await startProvider();
  const channels = await setUp();
  await channels.add({ name: "A", baseUrl: upstream.baseUrl, prefix: "a", key });
  await channels.remove("A");
  expect(channels.registered()).toEqual([]);
  expect(channels.list()).toEqual([]);
  expect(await readFile(join(channels.dataDir, "provider-keys.json"), "utf8")).not.toContain(key);
  await vi.waitFor(() => expect(upstream.connections()).toBe(0));
});

it("keeps the list while a provider is unreachable, and retries until it responds", async () => {
  const upstream = await startProvider();
  const channels = await setUp({ policy: { intervalMs: 10, firstRetryMs: 5 } });
  await channels.add({ name: "A", baseUrl: upstream.baseUrl, prefix: "a" });
  upstream.setBehaviour(json({ error: { message: "overloaded" } }, 503), "/models");
  await vi.waitFor(() => expect(channels.list()[0]?.listError).toBe("overloaded"));
  expect(modelsOf(channels)).toEqual(["a/whisper-1", "a/tts-1"]);
  upstream.setBehaviour(models("whisper-2"), "/models");
  await vi.waitFor(() => expect(modelsOf(channels)).toEqual(["a/whisper-2"]));
  expect(channels.list()[0]?.listError).toBeUndefined();
});

it("knows the models of a provider that does not respond after a restart, until the channel goes", async () => {
  const upstream = await startProvider();
  const before = await setUp();
  const { dataDir } = before;
  await before.add({ name: "Away", baseUrl: upstream.baseUrl, prefix: "away" });
  upstream.setBehaviour(json({}, 503), "/models");
  const later = await setUp({ dataDir, started: false });
  expect(modelsOf(later)).toEqual(["away/whisper-1", "away/tts-1"]);
  await later.ready();
  expect(modelsOf(later)).toEqual(["away/whisper-1", "away/tts-1"]);
  expect(later.list()).toMatchObject([{ models: 2, listError: expect.stringContaining("503") }]);

  // Another address may have other models.
  await later.change("away", { baseUrl: await refusingBaseUrl() });
  expect(modelsOf(await setUp({ dataDir, started: false }))).toEqual([]);
  await later.change("away", { baseUrl: upstream.baseUrl });
  await later.remove("away");
  await later.add({ name: "Away", baseUrl: upstream.baseUrl, prefix: "away" });
  expect(modelsOf(later)).toEqual([]);
});

it("fetches lists only after the start, and then at once", async () => {
  const upstream = await startProvider();
  const channels = await setUp({ started: false });
  await channels.add({ name: "A", baseUrl: upstream.baseUrl, prefix: "a" });
  // The request that checks whether the address leads back to this server.
  expect(listRequests(upstream)).toHaveLength(1);
  expect(channels.list()[0]).toMatchObject({ models: 0 });
  channels.start();
  await vi.waitFor(() => expect(modelsOf(channels)).toEqual(["a/whisper-1", "a/tts-1"]));
  expect(listRequests(upstream)).toHaveLength(2);
});

it("tests a channel, also a disabled one", async () => {
  const upstream = await startProvider("tts-1");
  upstream.setBehaviour(
    respondWith(
      200,
      "audio/wav",
      Buffer.concat([Buffer.from("RIFF\xff\xff\xff\xffWAVEfmt ", "latin1"), Buffer.alloc(1000)]),
    ),
    "/speech",
  );
  const channels = await setUp();
  await channels.add({ name: "A", baseUrl: upstream.baseUrl, prefix: "a", enabled: false, key });
  const result = await channels.test("a", forever);
  expect(result.steps.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual([
    "reach passed",
    "key passed",
    "models passed",
    "hear untested",
    "speak passed",
  ]);
  await vi.waitFor(() => expect(upstream.connections()).toBe(0));
});

it("aborts active requests when it closes, and sends no more", async () => {
  const policy = { intervalMs: 5, firstRetryMs: 5 };
  const [upstream, clock] = [await startUpstream(noResponse), await startProvider()];
  const channels = await setUp({ policy });
  channels.options.configuration.saveChannel({
    ...channelFields.parse({ name: "A", baseUrl: upstream.baseUrl, prefix: "a" }),
    id: "a",
  });
  channels.registered();
  await vi.waitFor(() => expect(upstream.activeCount()).toBe(1));
  await channels.close();
  await vi.waitFor(() => expect(upstream.activeCount()).toBe(0));
  expect(channels.registered()).toEqual([]);
  const requestCount = upstream.requests.length;
  const others = await setUp({ policy });
  await others.add({ name: "Clock", baseUrl: clock.baseUrl, prefix: "clock" });
  await vi.waitFor(() => expect(clock.requests.length).toBeGreaterThan(10));
  expect(upstream.requests).toHaveLength(requestCount);
});

it("exposes no key in logs, views and errors", async () => {
  const upstream = await startUpstream(
    json({ error: { message: `Incorrect API key provided: ${key}` } }, 401),
  );
  const channels = await setUp();
  const view = await channels.add({ name: "A", baseUrl: upstream.baseUrl, prefix: "a", key });
  expect(view.listError).toContain("Incorrect API key provided");
  await channels.test("a", forever);
  expect(channels.logged.length).toBeGreaterThan(0);
  expect(JSON.stringify([view, channels.list(), channels.logged])).not.toContain(key.slice(0, 8));
});

it("does not keep the process running", async () => {
  const upstream = await startProvider();
  const script = `
    const { createChannels } = await import(${modulePath("channels/config/channels.ts")});
    const { channelFields } = await import(${modulePath("contract/channels.ts")});
    const { createLog } = await import(${modulePath("log.ts")});
    const { createOutbound } = await import(${modulePath("network/outbound.ts")});
    const baseUrl = ${JSON.stringify(upstream.baseUrl)};
    const configs = [{ ...channelFields.parse({ name: 'A', baseUrl, prefix: 'a' }), id: 'a' }];
    const configuration = {
      channels: () => configs,
      saveChannel() {},
      removeChannel: () => false,
      lastModels: () => [],
      saveLastModels() {},
    };
    const keys = {
      get: () => undefined,
      source: () => 'none',
      sharedEnvVariable: () => undefined,
      set: async () => {},
      remove: async () => {},
    };
    createChannels({
      configuration,
      keys,
      instanceId: 'here',
      isOwnAddress: () => false,
      outbound: createOutbound(() => false, { add() {} }),
      log: createLog('silent'),
    }).start();`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "ignore", "inherit"],
    timeout: 20_000,
  });
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(listRequests(upstream)).toHaveLength(1);
});

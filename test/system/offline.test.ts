// Offline in the whole app: a channel on another machine is a server on an address of this machine that is not
// loopback, which counts its connections.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createApp } from "../../main/app.ts";
import { createNodePlatform } from "../../main/cli/platform.ts";
import { api, type ApiName, type ApiRequest, type ApiResponse } from "../../main/contract/api.ts";
import type { AppEvent } from "../../main/contract/app-event.ts";
import type { CatalogEntry } from "../../main/contract/models.ts";
import { catalog } from "../../main/models/catalog.ts";
import { readSettings } from "../../main/storage/settings/settings.ts";
import { quietLog } from "../support/app.ts";
import { waitUntil } from "../support/command-line.ts";
import { stallAfter, startHub } from "../support/fake-hub.ts";
import { contentOf, graph, silero } from "../support/model-downloads.ts";
import { openFolder } from "../support/test-data.ts";

const address = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === "IPv4")?.address;

/** A provider with a model list, whose speech never ends. */
async function startProvider(host: string) {
  const sockets = new Set<Socket>();
  let connections = 0;
  let isSendingAudio = false;
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === "/v1/models") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ data: [{ id: "tts-1" }, { id: "whisper-1" }] }));
      return;
    }
    isSendingAudio = true;
    response.setHeader("content-type", "audio/pcm");
    response.write(Buffer.alloc(4_800));
  });
  server.on("connection", (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://${host}:${port}/v1`,
    connections: () => connections,
    open: () => sockets.size,
    isSendingAudio: () => isSendingAudio,
  };
}

async function startApp(env: NodeJS.ProcessEnv = {}) {
  const folder = await openFolder();
  const dataDir = join(folder.path, "data");
  const app = await createApp(
    createNodePlatform(dataDir),
    readSettings({ port: "0", workers: "1" }, env, { dataDir }),
    quietLog,
  );
  const events: AppEvent[] = [];
  app.onEvent((event) => events.push(event));
  const { baseUrl, apiKey } = await app.start();
  onTestFinished(async () => {
    await app.close();
    await folder.remove();
  });
  const send = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(new URL(path, baseUrl), {
      ...init,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    });
  async function call<Name extends ApiName>(
    name: Name,
    fields: Partial<ApiRequest<Name>> = {},
    id = "",
  ): Promise<ApiResponse<Name>> {
    const { method, path } = api[name];
    const response = await send(path.replace(":id", id), {
      method,
      ...(method === "GET" || method === "DELETE" ? {} : { body: JSON.stringify(fields) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as ApiResponse<Name>;
  }
  const synthesize = (model: string): Promise<Response> =>
    send("/v1/audio/speech", {
      method: "POST",
      body: JSON.stringify({ model, input: "Hello.", voice: "alloy", response_format: "pcm" }),
    });
  const modelIds = async (): Promise<string[]> =>
    ((await (await send("/v1/models")).json()) as { data: { id: string }[] }).data.map(
      ({ id }) => id,
    );
  return { app, send, call, synthesize, modelIds, events };
}

const none = address === undefined;

describe.skipIf(none)("channels on another machine (needs an address beside loopback)", () => {
  const host = address ?? "";

  it("opens no connection for channels on another machine, and uses this one instead", async () => {
    const provider = await startProvider(host);
    const { call, synthesize, modelIds, send, events } = await startApp();
    expect(await call("changeOffline", { isOffline: true })).toEqual({ isOffline: true });
    expect(events).toContainEqual({ type: "offline" });
    const channel = await call("addChannel", { name: "Cloud", baseUrl: provider.baseUrl });
    expect(channel).toMatchObject({ isBlocked: true, models: 0 });
    await call("changeRouting", { aliases: { "tts-1": ["cloud/tts-1", "tts-1"] } });

    const answer = await synthesize("tts-1");
    expect(answer.headers.get("x-hearsay-channel")).toBe("local");
    await answer.arrayBuffer();
    const refused = await synthesize("cloud/tts-1");
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({
      error: { code: "offline", param: "model", message: expect.stringContaining("'Cloud'") },
    });
    const { steps } = await call("testChannel", {}, channel.id);
    expect(steps[0]).toMatchObject({
      step: "reach",
      outcome: "failed",
      id: "offline.refused",
      params: { host: new URL(provider.baseUrl).host },
    });
    expect(await modelIds()).not.toContain("cloud/tts-1");
    expect((await call("listDepartures")).departures).toEqual([]);
    expect(provider.connections()).toBe(0);

    await call("changeOffline", { isOffline: false });
    await waitUntil(async () => (await modelIds()).includes("cloud/tts-1"));
    expect((await call("listChannels")).channels[0]).not.toHaveProperty("isBlocked");
    expect(provider.connections()).toBeGreaterThan(0);
    expect((await call("listDepartures")).departures).toMatchObject([
      {
        host: new URL(provider.baseUrl).host,
        purpose: { kind: "channel", name: "Cloud" },
        requests: 1,
        receivedBytes: JSON.stringify({ data: [{ id: "tts-1" }, { id: "whisper-1" }] }).length,
      },
    ]);
    expect(await (await send("/app/departures", { method: "DELETE" })).json()).toEqual({
      departures: [],
    });
  });

  it("ends what is running when it is switched on, and closes the connections", async () => {
    const provider = await startProvider(host);
    const { call, synthesize } = await startApp();
    await call("addChannel", { name: "Cloud", baseUrl: provider.baseUrl });
    const answer = await synthesize("cloud/tts-1");
    expect(provider.isSendingAudio()).toBe(true);
    await call("changeOffline", { isOffline: true });
    await expect(answer.arrayBuffer()).rejects.toThrow("terminated");
    await waitUntil(async () => provider.open() === 0);
  });
});

describe.skipIf(none)("a model hub on another machine (needs an address beside loopback)", () => {
  const model = { ...silero(), id: "silero-elsewhere" };
  beforeAll(() => void (catalog as CatalogEntry[]).push(model));
  afterAll(() => void (catalog as CatalogEntry[]).pop());

  it("fetches nothing that was not asked for, and nothing while Offline is on", async () => {
    const files = Object.fromEntries([graph, "LICENSE"].map((name) => [name, contentOf(name)]));
    const hub = await startHub({ "silero/vad": { files } }, address);
    onTestFinished(hub.close);
    hub.setFault(graph, stallAfter(500_000));
    const { call, events } = await startApp({ HF_ENDPOINT: hub.baseUrl });
    const state = async (): Promise<[string | undefined, string | undefined]> => {
      const [download] = (await call("listDownloads")).downloads;
      return [download?.state, download?.error?.id];
    };
    await call("listModels");
    await call("changeOffline", { isOffline: true });
    await call("startDownload", {}, model.id);
    await expect.poll(state).toEqual(["failed", "offline.refused"]);
    expect(hub.requests).toEqual([]);

    await call("changeOffline", { isOffline: false });
    expect(await state()).toEqual(["failed", "offline.refused"]);
    expect(hub.requests).toEqual([]);
    await call("resumeDownload", {}, model.id);
    await waitUntil(async () =>
      events.some((event) => event.type === "model-download" && event.download.doneBytes >= 5e5),
    );
    const requests = hub.requests.length;
    await call("changeOffline", { isOffline: true });
    await expect.poll(state).toEqual(["failed", "offline.refused"]);
    expect(hub.requests).toHaveLength(requests);
    const { departures } = await call("listDepartures");
    expect(new Set(departures.map(({ purpose }) => purpose.kind))).toEqual(
      new Set(["model-download"]),
    );
  });
});

it("contacts channels on this machine, and records nothing of it", async () => {
  const provider = await startProvider("127.0.0.1");
  const { call, modelIds } = await startApp({ HEARSAY_OFFLINE: "1" });
  expect(await call("addChannel", { name: "Here", baseUrl: provider.baseUrl })).toMatchObject({
    models: 2,
  });
  expect(await modelIds()).toContain("here/tts-1");
  expect((await call("listDepartures")).departures).toEqual([]);
});

it("cannot be changed where it was given at the start", async () => {
  const { call, send, app } = await startApp({ HEARSAY_OFFLINE: "1" });
  expect(await call("readInfo")).toMatchObject({ isOffline: true, isOfflineGiven: true });
  const refused = await send("/app/offline", {
    method: "PUT",
    body: JSON.stringify({ isOffline: false }),
  });
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ error: { id: "offline.given" } });
  expect(app.outbound.isOffline()).toBe(true);
});

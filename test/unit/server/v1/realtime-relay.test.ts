// Realtime sessions that are passed through to a provider: over real ports, with a provider that the test plays.

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { createRealtimeClient } from "../../../../main/channels/openai/realtime.ts";
import { channelLimits } from "../../../../main/contract/channels.ts";
import { createOutbound, type Outbound } from "../../../../main/network/outbound.ts";
import { startTestServer, testKey, toRegisteredChannel } from "../../../support/gateway-server.ts";
import { createFakeChannel } from "../../../support/fake-channel.ts";
import { openOutbound } from "../../../support/outbound.ts";
import { collect, type RealtimeEvent } from "../../../support/realtime-client.ts";
import { channelTo, secret } from "../../channels/openai/support.ts";

const model = "voice-live";
/** A second, 24 kHz. */
const audio = Buffer.alloc(48_000).toString("base64");
const completed = "conversation.item.input_audio_transcription.completed";
const listedModels = JSON.stringify({ data: [{ id: model, object: "model", owned_by: "them" }] });

/** A provider with one model. @param refusal of handshakes: their status, or it hangs up */
async function startProvider(refusal?: number | "hangs up") {
  const server = createServer((_, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(listedModels),
  );
  const sockets = new WebSocketServer({ noServer: true });
  const connected = Promise.withResolvers<{ request: IncomingMessage; socket: WebSocket }>();
  const received = collect((listener) => {
    sockets.on("connection", (socket: WebSocket, request: IncomingMessage) => {
      socket.on("message", (data) => listener(JSON.parse(String(data)) as RealtimeEvent));
      socket.send(JSON.stringify({ type: "session.created", session: {} }));
      connected.resolve({ request, socket });
    });
  });
  server.on("upgrade", (request, socket, head) => {
    if (refusal === "hangs up") return socket.destroy();
    if (refusal !== undefined)
      return socket.end(`HTTP/1.1 ${refusal} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    return sockets.handleUpgrade(request, socket, head, (webSocket) =>
      sockets.emit("connection", webSocket, request),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, connected: connected.promise, ...received };
}

async function startGateway(baseUrl: string) {
  const channel = channelTo(baseUrl, { config: { modelNames: { live: model } } });
  await channel.refresh(AbortSignal.timeout(10_000));
  const served: string[] = [];
  const server = await startTestServer({
    channels: [
      toRegisteredChannel(createFakeChannel({ isLocal: true })),
      toRegisteredChannel(channel, "cloud"),
    ],
    deps: {
      openLiveRecognizer({ options }) {
        served.push(options.model);
        return {
          detectSpeech: () => Promise.resolve({ speechSegments: [], openSpeech: undefined }),
          draft: () => Promise.resolve(undefined),
          settle: () => Promise.resolve([]),
          close: () => {},
        };
      },
    },
  });
  return { ...server, served };
}

async function connectClient(port: number, query = "", key = testKey) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/realtime${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const events = collect((listener) =>
    socket.on("message", (data) => listener(JSON.parse(String(data)) as RealtimeEvent)),
  );
  await new Promise((resolve) => socket.on("open", resolve));
  onTestFinished(() => socket.terminate());
  return {
    socket,
    closed: new Promise<number>((resolve) => socket.on("close", resolve)),
    send: (event: object) => socket.send(JSON.stringify(event)),
    ...events,
  };
}

const updateTo = (name: string) => ({
  type: "session.update",
  session: { type: "transcription", audio: { input: { transcription: { model: name } } } },
});
const modelIn = (event: RealtimeEvent): unknown =>
  (event as unknown as ReturnType<typeof updateTo>).session.audio.input.transcription.model;

it("passes events on in both directions, under the names of either side, and keeps the provider's key to itself", async () => {
  const provider = await startProvider();
  const { port, deps, served } = await startGateway(provider.baseUrl);
  const client = await connectClient(port, "?intent=transcription");
  await client.until("session.created");
  client.send(updateTo("cloud/live"));
  expect(modelIn(await provider.until("session.update"))).toBe(model);
  const { request, socket } = await provider.connected;
  expect([request.url, request.headers.authorization]).toEqual([
    "/v1/realtime?intent=transcription",
    `Bearer ${secret}`,
  ]);
  socket.send(JSON.stringify({ ...updateTo(model), type: "session.updated", note: secret }));
  const updated = await client.until("session.updated");
  expect(modelIn(updated)).toBe("cloud/live");
  expect(JSON.stringify(client.events)).not.toContain(secret);
  client.send({ type: "input_audio_buffer.append", audio });
  expect(await provider.until("input_audio_buffer.append")).toMatchObject({ audio });
  socket.send(JSON.stringify({ type: completed, item_id: "item_1", transcript: "Hello." }));
  expect(await client.until(completed)).toMatchObject({ transcript: "Hello." });
  expect(client.types().filter((type) => type === "session.created")).toHaveLength(1);
  client.send({ ...updateTo("whisper-1"), event_id: "other" });
  expect(await client.until("error")).toMatchObject({ error: { event_id: "other" } });
  // A conversation would not be charged.
  client.send({ type: "response.create" });
  await client.until("error", 2);
  client.socket.close();
  await new Promise((resolve) => socket.on("close", resolve));
  expect(provider.types()).toEqual(["session.update", "input_audio_buffer.append"]);
  expect(served).toEqual([]);
  await vi.waitFor(() =>
    expect(deps.usage.sum({ by: "model" })).toMatchObject([
      { group: "cloud/live", requests: 1, audioSec: 1 },
    ]),
  );
});

it("passes a session on at once whose address names the model", async () => {
  const provider = await startProvider();
  const { port } = await startGateway(provider.baseUrl);
  await connectClient(port, "?model=cloud/live");
  expect(modelIn(await provider.until("session.update"))).toBe(model);
});

it("serves a session here that asks for what its provider does not have", async () => {
  const provider = await startProvider();
  const { port, served } = await startGateway(provider.baseUrl);
  const client = await connectClient(port);
  const { session } = updateTo("cloud/live");
  const include = ["item.input_audio_transcription.unsettled"];
  client.send({ type: "session.update", session: { ...session, include } });
  await client.until("session.updated");
  client.send({ type: "input_audio_buffer.append", audio });
  await vi.waitFor(() => expect(served).toEqual(["cloud/live"]));
  expect(provider.types()).toEqual([]);
});

it("serves a session here if its provider has none, or fails", async () => {
  for (const refusal of [404, 500, "hangs up"] as const) {
    const { baseUrl } = await startProvider(refusal);
    const { port, served } = await startGateway(baseUrl);
    const client = await connectClient(port);
    client.send(updateTo("cloud/live"));
    expect(modelIn(await client.until("session.updated"))).toBe("cloud/live");
    client.send({ type: "input_audio_buffer.append", audio });
    await vi.waitFor(() => expect(served).toEqual(["cloud/live"]));
  }
});

it("reports with an error that a provider broke off, and ends; its regular end ends the session too", async () => {
  for (const isRegular of [false, true]) {
    const provider = await startProvider();
    const { port } = await startGateway(provider.baseUrl);
    const client = await connectClient(port, "?model=cloud/live");
    await provider.until("session.update");
    const { socket } = await provider.connected;
    if (isRegular) socket.close(1000);
    else socket.terminate();
    expect(await client.closed).toBe(1000);
    expect(client.types().includes("error")).toBe(!isRegular);
  }
});

it("ends a session whose key has used up its budget", async () => {
  const provider = await startProvider();
  const { port, deps } = await startGateway(provider.baseUrl);
  deps.configuration.setPrices({ live: { perMinuteUsd: 6 } });
  const key = deps.keys.create({ name: "small", monthlyBudgetUsd: 0.1, budgetCountsLocal: false });
  const client = await connectClient(port, "?model=cloud/live", key.secret);
  client.send({ type: "input_audio_buffer.append", audio });
  await provider.until("input_audio_buffer.append");
  const { socket } = await provider.connected;
  // The turn is over, and what it cost is known.
  socket.send(JSON.stringify({ type: completed, item_id: "item_1", transcript: "Hello." }));
  await client.until(completed);
  client.send({ type: "input_audio_buffer.append", audio });
  expect(await client.until("error")).toMatchObject({ error: { code: "insufficient_quota" } });
  await client.closed;
  expect(provider.types()).toEqual(["session.update", "input_audio_buffer.append"]);
});

const openClient = (baseUrl: string, outbound: Outbound) =>
  createRealtimeClient({
    name: "Cloud",
    baseUrl,
    limits: channelLimits.parse({}),
    key: () => secret,
    instanceId: "gateway-a",
    outbound,
  });
const request = { isBeta: false, onEvent() {}, onEnd() {} };

it("waits for a provider that does not read", async () => {
  const provider = await startProvider();
  const connection = await openClient(provider.baseUrl, openOutbound).open(model, request);
  const { socket } = await provider.connected;
  socket.pause();
  let isSent = false;
  // More than the system keeps for a connection.
  const sending = connection
    ?.send(JSON.stringify({ type: "input_audio_buffer.append", audio: "A".repeat(40_000_000) }))
    .then(() => (isSent = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isSent).toBe(false);
  socket.resume();
  await sending;
  await provider.until("input_audio_buffer.append");
  connection?.close();
});

it("opens nothing while Offline is on, and ends what is open when it is switched on", async () => {
  let isOffline = true;
  const outbound = createOutbound(() => isOffline, { add() {} });
  await expect(
    openClient("http://provider.test/v1", outbound).open(model, request),
  ).rejects.toMatchObject({ key: "offline" });
  isOffline = false;
  const provider = await startProvider();
  const ended = Promise.withResolvers<unknown>();
  // As if this machine were another one.
  const elsewhere = { ...outbound, isBlocked: () => isOffline };
  const opened = await openClient(provider.baseUrl, elsewhere).open(model, {
    ...request,
    onEnd: ended.resolve,
  });
  expect(opened?.model).toBe(model);
  isOffline = true;
  outbound.changed();
  expect(await ended.promise).toMatchObject({ key: "offline" });
});

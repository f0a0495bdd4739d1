// A gateway over a fake channel, in memory or on a port, with its own temporary folder that tests can inspect.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

import { createChannels } from "../../main/channels/config/channels.ts";
import { createHealth } from "../../main/channels/health.ts";
import { createMetering } from "../../main/usage/metering.ts";
import { createRegistry, type RegisteredChannel } from "../../main/channels/registry.ts";
import { createRouter, type RouterDeps } from "../../main/channels/router.ts";
import { createGateway } from "../../main/server/gateway.ts";
import type { Channel } from "../../main/contract/channel.ts";
import type { Gateway, GatewayLimits } from "../../main/server/gateway.ts";
import type { GatewayDeps } from "../../main/server/route-context.ts";
import { listen } from "../../main/server/http/listen.ts";
import type { Listener, ConnectionLimits } from "../../main/server/http/listen.ts";
import { openDatabase } from "../../main/storage/database.ts";
import { createUsage } from "../../main/usage/records.ts";
import { createLog } from "../../main/log.ts";
import { createApiKeys } from "../../main/storage/settings/api-keys.ts";
import { createConfiguration } from "../../main/storage/settings/configuration.ts";
import { createProviderKeys } from "../../main/storage/settings/provider-keys.ts";
import { createFakeChannel } from "./fake-channel.ts";
import type { FakeChannel, FakeScript } from "./fake-channel.ts";
import { openOutbound } from "./outbound.ts";

export const testKey = "hs-test-key";

export type TestGateway = {
  gateway: Gateway;
  channel: FakeChannel;
  deps: GatewayDeps;
  /** Lines logged by the gateway. */
  logLines: string[];
  /** Names of the uploads that still exist. */
  tempFiles(): Promise<string[]>;
  /** Sends a request with the right key. */
  request(path: string, init?: RequestInit): Promise<Response>;
};

export type TestOptions = {
  script?: FakeScript;
  /** Replace the fake channel with bare model names. */
  channels?: readonly RegisteredChannel[];
  voiceAliases?: ReadonlyMap<string, string>;
  router?: Partial<RouterDeps>;
  deps?: Partial<Parameters<typeof createGateway>[0]>;
  limits?: GatewayLimits;
};

/** A channel as an entry of the registry: with bare model names, or a provider's with a prefix. */
export const toRegisteredChannel = (channel: Channel, prefix?: string): RegisteredChannel => ({
  channel,
  priority: 10,
  weight: 1,
  health: createHealth(),
  isPaid: prefix !== undefined,
  ...(prefix === undefined ? {} : { prefix }),
});

export async function createTestGateway({
  script = {},
  channels,
  voiceAliases = new Map(),
  router = {},
  deps = {},
  limits = {},
}: TestOptions = {}): Promise<TestGateway> {
  const tempDir = await mkdtemp(join(tmpdir(), "hearsay-gateway-"));
  onTestFinished(() => rm(tempDir, { recursive: true, force: true }));
  const channel = createFakeChannel(script);
  const logLines: string[] = [];
  const log = createLog("error", { write: (line) => void logLines.push(line) });
  const database = openDatabase(":memory:");
  const configuration = createConfiguration(database, log);
  const usage = createUsage(database, log);
  const keys = await createProviderKeys({ dataDir: tempDir, env: {}, log });
  const upstreams = createChannels({
    configuration,
    keys,
    instanceId: configuration.instanceId(),
    isOwnAddress: () => false,
    outbound: openOutbound,
    log,
  });
  const registeredChannels = channels ?? [toRegisteredChannel(channel)];
  const registry = createRegistry(() => registeredChannels);
  onTestFinished(async () => {
    await upstreams.close();
    usage.close();
    database.close();
  });
  const metering = createMetering({
    usage,
    prices: configuration.prices,
    budgets: { forKey: (id) => allDeps.keys.budgetOf(id), spentUsd: usage.spentUsd },
  });
  const allDeps: GatewayDeps = {
    registry,
    router: createRouter({
      registry,
      metering,
      routing: configuration.routing,
      voiceAliases,
      ...router,
    }),
    keys: await createApiKeys({ dataDir: tempDir, externalKey: testKey, database }),
    metering,
    usage,
    channels: upstreams,
    configuration,
    tempDir: () => tempDir,
    moreFormats: false,
    host: "127.0.0.1",
    version: "0.0.0",
    log,
    ...deps,
  };
  const gateway = createGateway(allDeps, limits);
  return {
    gateway,
    channel,
    deps: allDeps,
    logLines,
    tempFiles: () => readdir(tempDir),
    request(path, init = {}) {
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${testKey}`);
      return gateway.handle(new Request(`http://127.0.0.1${path}`, { ...init, headers }));
    },
  };
}

export type TestServer = TestGateway & { port: number; baseURL: string; listener: Listener };

export async function startTestServer({
  wire = {},
  ...options
}: TestOptions & { wire?: Partial<ConnectionLimits> } = {}): Promise<TestServer> {
  const test = await createTestGateway(options);
  const listener = await listen({
    handle: (request, { remoteAddress }) => test.gateway.handle(request, { remoteAddress }),
    upgrade: (request, { remoteAddress }) => test.gateway.upgrade(request, { remoteAddress }),
    host: "127.0.0.1",
    port: 0,
    log: test.deps.log,
    limits: wire,
  });
  onTestFinished(() => listener.close());
  return {
    ...test,
    port: listener.port,
    baseURL: `http://127.0.0.1:${listener.port}/v1`,
    listener,
  };
}

/** A small WAV file of `sizeBytes` in total: a valid header, then silence. */
export function wavBytes(sizeBytes = 44 + 3200): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  bytes.write("RIFF", 0, "latin1");
  bytes.writeUInt32LE(sizeBytes - 8, 4);
  bytes.write("WAVEfmt ", 8, "latin1");
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(16_000, 24);
  bytes.writeUInt32LE(32_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36, "latin1");
  bytes.writeUInt32LE(sizeBytes - 44, 40);
  return bytes;
}

/**
 * A form as clients send it. The values of an array become one field each, and the file comes first unless it is
 * omitted.
 */
export function uploadForm(
  fields: Record<string, string | readonly string[]> = { model: "whisper-1" },
  file: Blob | null = new Blob([new Uint8Array(wavBytes())]),
): FormData {
  const form = new FormData();
  if (file !== null) form.append("file", file, "said.wav");
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) form.append(name, one as string);
  return form;
}

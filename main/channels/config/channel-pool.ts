// The enabled channels, one per configuration. Refreshes their model lists in the background and follows changes of the
// configurations: a change of routing fields keeps the connections, any other creates a new channel, while running
// requests finish with the one they have. See channels.ts for changing configurations.

import type { SentMessage } from "../../contract/messages/messages.ts";
import type { ChannelConfig } from "../../contract/channels.ts";
import type { Log } from "../../log.ts";
import { createHealth } from "../health.ts";
import type { Health } from "../health.ts";
import { createChannelRefresher } from "./channel-refresher.ts";
import type { ChannelRefresher, RefreshPolicy } from "./channel-refresher.ts";
import type { OpenAiChannel } from "../openai/channel.ts";
import type { RegisteredChannel } from "../registry.ts";

export type UpstreamChannel = RegisteredChannel & { readonly channel: OpenAiChannel };

/** State of an enabled channel. */
export type ChannelStatus = {
  models: number;
  listedAtMs?: number;
  listError?: SentMessage;
  isKeyRefused?: boolean;
  health: Health;
};

export type ChannelPool = {
  /** Returns the same array until something changes. */
  registered(): readonly UpstreamChannel[];
  /** undefined: the channel is disabled or blocked. */
  status(id: string): ChannelStatus | undefined;
  /** Requests the models now, if the pool has started. Resolves on success and failure; never rejects. */
  refresh(id: string): Promise<void>;
  /** Resolves when the refresh in progress ends. */
  currentRefresh(id: string): Promise<void>;
  /** Starts; resolves when every model list was loaded or failed; never rejects. */
  ready(): Promise<void>;
  /** Starts the periodic refresh of the model lists. */
  start(): void;
  close(): Promise<void>;
};

export type ChannelPoolOptions = {
  /** Returns the same array until something changes. */
  configs(): readonly ChannelConfig[];
  /** Offline forbids its connections: it is treated as disabled. */
  isBlocked(config: ChannelConfig): boolean;
  /** @param previous a channel of the same provider, whose models are known */
  createChannel(config: ChannelConfig, previous: OpenAiChannel | undefined): OpenAiChannel;
  policy: RefreshPolicy;
  log: Log;
};

type PoolEntry = {
  readonly config: ChannelConfig;
  readonly health: Health;
  readonly refresher: ChannelRefresher;
};

export function createChannelPool({
  configs,
  isBlocked,
  createChannel,
  policy,
  log,
}: ChannelPoolOptions): ChannelPool {
  const entries = new Map<string, PoolEntry>();
  const pendingCloses = new Set<Promise<void>>();
  let lastEnabled: readonly ChannelConfig[] = [];
  let registered: readonly UpstreamChannel[] = [];
  let isStarted = false;
  let isClosed = false;

  function stopAndClose({ refresher: { channel, stop } }: PoolEntry): void {
    stop();
    const closing: Promise<void> = channel
      .close()
      .catch((error: unknown) =>
        log.warn({ err: error, channel: channel.name }, "a channel could not be closed"),
      )
      .finally(() => pendingCloses.delete(closing));
    pendingCloses.add(closing);
  }

  function applyConfig(config: ChannelConfig): void {
    const { id } = config;
    const entry = entries.get(id);
    if (entry !== undefined && connectionKey(entry.config) === connectionKey(config)) {
      entries.set(id, { ...entry, config });
      return;
    }
    // Health and models of another provider do not apply to this one.
    const previous = entry?.config.baseUrl === config.baseUrl ? entry : undefined;
    const channel = createChannel(config, previous?.refresher.channel);
    const refresher = createChannelRefresher(channel, policy);
    entries.set(id, { config, health: previous?.health ?? createHealth(), refresher });
    entry?.refresher.stop();
    entry?.refresher.channel.closeIdleConnections();
    if (isStarted) void refresher.refresh();
  }

  function applyConfigs(): void {
    const enabled = configs().filter((config) => config.enabled && !isBlocked(config));
    if (isSameList(enabled, lastEnabled) || isClosed) return;
    lastEnabled = enabled;
    for (const [id, entry] of entries) {
      if (enabled.some((config) => config.id === id)) continue;
      stopAndClose(entry);
      entries.delete(id);
    }
    enabled.forEach(applyConfig);
    registered = enabled
      .map(({ id }) => entries.get(id))
      .filter((entry) => entry !== undefined)
      .map(asRegistered);
  }

  const currentEntry = (id: string): PoolEntry | undefined => {
    applyConfigs();
    return entries.get(id);
  };

  function start(): void {
    if (isStarted || isClosed) return;
    applyConfigs();
    isStarted = true;
    for (const { refresher } of entries.values()) void refresher.refresh();
  }

  return {
    registered() {
      applyConfigs();
      return registered;
    },
    status(id) {
      const entry = currentEntry(id);
      return entry && statusOf(entry);
    },
    refresh: async (id) => (isStarted ? currentEntry(id)?.refresher.refresh() : undefined),
    currentRefresh: async (id) => currentEntry(id)?.refresher.currentRefresh(),
    async ready() {
      start();
      await Promise.all(
        Array.from(entries.values(), ({ refresher }) => refresher.currentRefresh()),
      );
    },
    start,
    async close() {
      isClosed = true;
      for (const entry of entries.values()) stopAndClose(entry);
      entries.clear();
      registered = [];
      await Promise.all(pendingCloses);
    },
  };
}

const isSameList = (some: readonly ChannelConfig[], others: readonly ChannelConfig[]): boolean =>
  some.length === others.length && some.every((config, at) => config === others[at]);

function asRegistered({ config, health, refresher }: PoolEntry): UpstreamChannel {
  const { prefix, priority, weight, paid, limits } = config;
  return {
    channel: refresher.channel,
    prefix,
    priority,
    weight,
    health,
    isPaid: paid,
    totalMs: limits.totalMs,
  };
}

function statusOf({ health, refresher: { channel } }: PoolEntry): ChannelStatus {
  const { atMs, error, isKeyRefused = false } = channel.listState;
  return {
    models: channel.models().length,
    ...(atMs === undefined ? {} : { listedAtMs: atMs }),
    ...(error === undefined ? {} : { listError: error, isKeyRefused }),
    health,
  };
}

/** The fields that a channel is built from; the others only affect routing. */
function connectionKey({
  name,
  baseUrl,
  modelFilter,
  limits,
  modelNames,
  voiceNames,
}: ChannelConfig): string {
  return JSON.stringify([name, baseUrl, modelFilter, limits, modelNames, voiceNames]);
}

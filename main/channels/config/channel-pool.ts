// The enabled channels, one per configuration. Refreshes their model lists in the background and follows changes of the
// configurations: a change of routing fields keeps the connections, any other creates a new channel. See channels.ts
// for changing configurations.

import type { SentMessage } from "../../contract/messages/messages.ts";
import type { ChannelConfig } from "../../contract/channels.ts";
import type { Log } from "../../log.ts";
import { createHealth } from "../health.ts";
import type { Health } from "../health.ts";
import { createChannelRefresher } from "./channel-refresher.ts";
import type { ChannelRefresher, RefreshPolicy } from "./channel-refresher.ts";
import type { OpenAiChannel } from "../openai/channel.ts";
import type { RegisteredChannel } from "../registry.ts";

export type UpstreamChannel = RegisteredChannel & {
  readonly channel: OpenAiChannel;
  readonly config: ChannelConfig;
};

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
  /** undefined: the channel is disabled. */
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
  createChannel(config: ChannelConfig): OpenAiChannel;
  policy: RefreshPolicy;
  log: Log;
};

/** The active channel of a configuration, and its replacement while that loads its models. */
type PoolEntry = {
  config: ChannelConfig;
  health: Health;
  active: ChannelRefresher;
  replacement?: ChannelRefresher;
  /** Replaced channels that may still have requests in flight, each with the timer that closes it. */
  retired: Map<OpenAiChannel, NodeJS.Timeout>;
};

export function createChannelPool({
  configs,
  createChannel,
  policy,
  log,
}: ChannelPoolOptions): ChannelPool {
  const entries = new Map<string, PoolEntry>();
  const pendingCloses = new Set<Promise<void>>();
  let lastConfigs: readonly ChannelConfig[] = [];
  let registered: readonly UpstreamChannel[] = [];
  let isStarted = false;
  let isClosed = false;
  let pollTimer: NodeJS.Timeout | undefined;

  function createRefresher(config: ChannelConfig): ChannelRefresher {
    const refresher = createChannelRefresher({
      config,
      channel: createChannel(config),
      policy,
      onModelsListed: () => activateReplacement(refresher),
    });
    return refresher;
  }

  function closeChannel(channel: OpenAiChannel): void {
    const closing: Promise<void> = channel
      .close()
      .catch((error: unknown) =>
        log.warn({ err: error, channel: channel.name }, "a channel could not be closed"),
      )
      .finally(() => pendingCloses.delete(closing));
    pendingCloses.add(closing);
  }

  function stopAndClose({ channel, stop }: ChannelRefresher): void {
    stop();
    closeChannel(channel);
  }

  function stopAndCloseEntry({ active, replacement, retired }: PoolEntry): void {
    stopAndClose(active);
    if (replacement !== undefined) stopAndClose(replacement);
    for (const [channel, timer] of retired) {
      clearTimeout(timer);
      closeChannel(channel);
    }
  }

  /** Requests of the old channel end within their timeout; idle connections close by themselves. */
  function replaceActive(entry: PoolEntry, next: ChannelRefresher): void {
    const { channel, config, stop } = entry.active;
    stop();
    const timer = setTimeout(() => {
      entry.retired.delete(channel);
      closeChannel(channel);
    }, config.limits.totalMs);
    entry.retired.set(channel, timer.unref());
    entry.active = next;
    delete entry.replacement;
  }

  function activateReplacement(next: ChannelRefresher): void {
    const entry = entries.get(next.config.id);
    if (entry?.replacement !== next) return;
    replaceActive(entry, next);
    updateRegistered();
  }

  function applyConfig(config: ChannelConfig): void {
    const entry = entries.get(config.id);
    if (entry === undefined) {
      const active = createRefresher(config);
      entries.set(config.id, { config, health: createHealth(), active, retired: new Map() });
      if (isStarted) void active.refresh();
      return;
    }
    entry.config = config;
    if (connectionKey((entry.replacement ?? entry.active).config) === connectionKey(config)) return;
    if (entry.replacement !== undefined) stopAndClose(entry.replacement);
    const next = createRefresher(config);
    const isSameProvider = entry.active.config.baseUrl === config.baseUrl;
    // Health of another provider does not apply to this one.
    if (!isSameProvider) entry.health = createHealth();
    // Known models must not vanish because a setting changed, so the replacement waits until its models are known.
    if (isSameProvider && isStarted && entry.active.channel.listState.atMs !== undefined)
      entry.replacement = next;
    else replaceActive(entry, next);
    if (isStarted) void next.refresh();
  }

  function updateRegistered(): void {
    const orderedEntries = lastConfigs
      .map(({ id }) => entries.get(id))
      .filter((entry) => entry !== undefined);
    registered = orderedEntries.map(({ config, health, active }) => {
      const { prefix, priority, weight, paid } = config;
      return {
        channel: active.channel,
        prefix,
        priority,
        weight,
        health,
        isPaid: paid,
        totalMs: active.config.limits.totalMs,
        config,
      };
    });
  }

  function applyConfigs(): void {
    const latest = configs();
    if (latest === lastConfigs || isClosed) return;
    lastConfigs = latest;
    const enabled = latest.filter((config) => config.enabled);
    for (const [id, entry] of entries) {
      if (enabled.some((config) => config.id === id)) continue;
      stopAndCloseEntry(entry);
      entries.delete(id);
    }
    enabled.forEach(applyConfig);
    updateRegistered();
  }

  /**
   * Detects changes by other processes without a request, so that a new channel's models are known before the first
   * one.
   */
  function pollConfigs(): void {
    try {
      applyConfigs();
    } catch (error) {
      log.error({ err: error }, "the channels could not be read");
    }
  }

  const newestRefresher = (id: string): ChannelRefresher | undefined => {
    applyConfigs();
    const entry = entries.get(id);
    return entry?.replacement ?? entry?.active;
  };

  function start(): void {
    if (isStarted || isClosed) return;
    applyConfigs();
    isStarted = true;
    for (const { active } of entries.values()) void active.refresh();
    pollTimer = setInterval(pollConfigs, policy.configPollMs).unref();
  }

  return {
    registered() {
      applyConfigs();
      return registered;
    },
    status(id) {
      const { error, isKeyRefused = false } = newestRefresher(id)?.channel.listState ?? {};
      const entry = entries.get(id);
      if (entry === undefined) return undefined;
      const { models, listState } = entry.active.channel;
      return {
        models: models().length,
        ...(listState.atMs === undefined ? {} : { listedAtMs: listState.atMs }),
        ...(error === undefined ? {} : { listError: error, isKeyRefused }),
        health: entry.health,
      };
    },
    refresh: async (id) => (isStarted ? newestRefresher(id)?.refresh() : undefined),
    currentRefresh: async (id) => newestRefresher(id)?.currentRefresh(),
    async ready() {
      start();
      await Promise.all(
        Array.from(entries.values(), ({ active, replacement }) =>
          (replacement ?? active).currentRefresh(),
        ),
      );
    },
    start,
    async close() {
      isClosed = true;
      clearInterval(pollTimer);
      for (const entry of entries.values()) stopAndCloseEntry(entry);
      entries.clear();
      registered = [];
      await Promise.all(pendingCloses);
    },
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

// The channels that are switched on, one for each configuration, and their lists of models kept fresh in the
// background. Follows every change of the configurations: what only says when a channel is asked leaves its
// connections as they are, anything else takes a new channel. See channels.ts for changing configurations.

import type { ChannelConfig } from "../../contract/channels.ts";
import type { Log } from "../../log.ts";
import { createHealth } from "../health.ts";
import type { Health } from "../health.ts";
import { createLiveChannel } from "./channel-refresher.ts";
import type { LiveChannel, RefreshPolicy } from "./channel-refresher.ts";
import type { OpenAiChannel } from "../openai/channel.ts";
import type { RegisteredChannel } from "../registry.ts";

export type UpstreamChannel = RegisteredChannel & {
  readonly channel: OpenAiChannel;
  readonly config: ChannelConfig;
};

/** How a channel in use stands. */
export type Standing = {
  models: number;
  listedAtMs?: number;
  listError?: string;
  isKeyRefused?: boolean;
  health: Health;
};

export type ChannelsInUse = {
  /** The same array until something changed. */
  registered(): readonly UpstreamChannel[];
  /** undefined: it is switched off. */
  standing(id: string): Standing | undefined;
  /** Asks for the models now, once started. Resolves when they came, or did not; never rejects. */
  refresh(id: string): Promise<void>;
  /** Resolves when the question for its models that is under way has its answer. */
  listing(id: string): Promise<void>;
  /** Starts, and resolves when every list of models came, or did not; never rejects. */
  ready(): Promise<void>;
  /** Begins to ask for the lists of models, now and from time to time. */
  start(): void;
  close(): Promise<void>;
};

export type ChannelsInUseOptions = {
  /** The same array until something changed. */
  configs(): readonly ChannelConfig[];
  makeChannel(config: ChannelConfig): OpenAiChannel;
  policy: RefreshPolicy;
  log: Log;
};

/** Who serves for a configuration, and who will once its models are known. */
type Place = {
  config: ChannelConfig;
  health: Health;
  live: LiveChannel;
  next?: LiveChannel;
  /** Not asked any more, but requests may be under way in them; each with the timer that closes it. */
  retired: Map<OpenAiChannel, NodeJS.Timeout>;
};

export function createChannelsInUse({
  configs,
  makeChannel,
  policy,
  log,
}: ChannelsInUseOptions): ChannelsInUse {
  const places = new Map<string, Place>();
  const closings = new Set<Promise<void>>();
  let seen: readonly ChannelConfig[] = [];
  let registered: readonly UpstreamChannel[] = [];
  let isStarted = false;
  let isClosed = false;
  let watch: NodeJS.Timeout | undefined;

  function makeLive(made: ChannelConfig): LiveChannel {
    const live = createLiveChannel({
      made,
      channel: makeChannel(made),
      policy,
      onListed: () => takeOver(live),
    });
    return live;
  }

  function closeNow(channel: OpenAiChannel): void {
    const closing: Promise<void> = channel
      .close()
      .catch((error: unknown) =>
        log.warn({ err: error, channel: channel.name }, "a channel could not be closed"),
      )
      .finally(() => closings.delete(closing));
    closings.add(closing);
  }

  function end({ channel, stop }: LiveChannel): void {
    stop();
    closeNow(channel);
  }

  function endAll({ live, next, retired }: Place): void {
    end(live);
    if (next !== undefined) end(next);
    for (const [channel, timer] of retired) {
      clearTimeout(timer);
      closeNow(channel);
    }
  }

  /** Requests under way in the old one are over when their time is; idle connections end by themselves. */
  function replace(place: Place, next: LiveChannel): void {
    const { channel, made, stop } = place.live;
    stop();
    const timer = setTimeout(() => {
      place.retired.delete(channel);
      closeNow(channel);
    }, made.limits.totalMs);
    place.retired.set(channel, timer.unref());
    place.live = next;
    delete place.next;
  }

  function takeOver(next: LiveChannel): void {
    const place = places.get(next.made.id);
    if (place?.next !== next) return;
    replace(place, next);
    register();
  }

  function follow(config: ChannelConfig): void {
    const place = places.get(config.id);
    if (place === undefined) {
      const live = makeLive(config);
      places.set(config.id, { config, health: createHealth(), live, retired: new Map() });
      if (isStarted) void live.refresh();
      return;
    }
    place.config = config;
    if (connectionOf((place.next ?? place.live).made) === connectionOf(config)) return;
    if (place.next !== undefined) end(place.next);
    const next = makeLive(config);
    const isSameProvider = place.live.made.baseUrl === config.baseUrl;
    // What was known of another provider is not true of this one.
    if (!isSameProvider) place.health = createHealth();
    // Models that are known shall not vanish because a setting changed: it takes effect once they are known again.
    if (isSameProvider && isStarted && place.live.channel.listed.atMs !== undefined)
      place.next = next;
    else replace(place, next);
    if (isStarted) void next.refresh();
  }

  function register(): void {
    const inOrder = seen.map(({ id }) => places.get(id)).filter((place) => place !== undefined);
    registered = inOrder.map(({ config, health, live }) => {
      const { prefix, priority, weight, paid } = config;
      return {
        channel: live.channel,
        prefix,
        priority,
        weight,
        health,
        isPaid: paid,
        totalMs: live.made.limits.totalMs,
        config,
      };
    });
  }

  function followAll(): void {
    const latest = configs();
    if (latest === seen || isClosed) return;
    seen = latest;
    const enabled = latest.filter((config) => config.enabled);
    for (const [id, place] of places) {
      if (enabled.some((config) => config.id === id)) continue;
      endAll(place);
      places.delete(id);
    }
    enabled.forEach(follow);
    register();
  }

  /** What another process changed is seen though nobody asks, so that a new channel's models are there when somebody does. */
  function followQuietly(): void {
    try {
      followAll();
    } catch (error) {
      log.error({ err: error }, "the channels could not be read");
    }
  }

  const newest = (id: string): LiveChannel | undefined => {
    followAll();
    const place = places.get(id);
    return place?.next ?? place?.live;
  };

  function start(): void {
    if (isStarted || isClosed) return;
    followAll();
    isStarted = true;
    for (const { live } of places.values()) void live.refresh();
    watch = setInterval(followQuietly, policy.watchMs).unref();
  }

  return {
    registered() {
      followAll();
      return registered;
    },
    standing(id) {
      const { error, isKeyRefused = false } = newest(id)?.channel.listed ?? {};
      const place = places.get(id);
      if (place === undefined) return undefined;
      const { models, listed } = place.live.channel;
      return {
        models: models().length,
        ...(listed.atMs === undefined ? {} : { listedAtMs: listed.atMs }),
        ...(error === undefined ? {} : { listError: error, isKeyRefused }),
        health: place.health,
      };
    },
    refresh: async (id) => (isStarted ? newest(id)?.refresh() : undefined),
    listing: async (id) => newest(id)?.listing(),
    async ready() {
      start();
      await Promise.all(Array.from(places.values(), ({ live, next }) => (next ?? live).listing()));
    },
    start,
    async close() {
      isClosed = true;
      clearInterval(watch);
      for (const place of places.values()) endAll(place);
      places.clear();
      registered = [];
      await Promise.all(closings);
    },
  };
}

/** What a channel is made of; the rest of its configuration only says when it is asked. */
function connectionOf({
  name,
  baseUrl,
  modelFilter,
  limits,
  modelNames,
  voiceNames,
}: ChannelConfig): string {
  return JSON.stringify([name, baseUrl, modelFilter, limits, modelNames, voiceNames]);
}

// The configured channels: lists and tests them, and keeps those that are enabled connected (channel-pool.ts). See
// channel-changes.ts for their changes, and router.ts for choosing one per request.

import { setTimeout as pause } from "node:timers/promises";
import type {
  ChannelConfig,
  ChannelPreset,
  ChannelTest,
  ChannelView,
} from "../../contract/channels.ts";
import { AppError } from "../../contract/errors.ts";
import { createMessage } from "../../contract/messages/messages.ts";
import type { Log } from "../../log.ts";
import type { Outbound } from "../../network/outbound.ts";
import { createHealth } from "../health.ts";
import {
  createOpenAiChannel,
  type OpenAiChannel,
  type OpenAiChannelOptions,
} from "../openai/channel.ts";
import {
  type ChangedChannel,
  type ChannelPatch,
  createChannelChanges,
  type NewChannel,
} from "./channel-changes.ts";
import { type ChannelStatus, createChannelPool, type UpstreamChannel } from "./channel-pool.ts";
import type { RefreshPolicy } from "./channel-refresher.ts";
import { type ChannelKeys, type ChannelStore, findConfig, keyOwnerOf } from "./channel-store.ts";
import { testChannel } from "./channel-test.ts";
import { channelPresets } from "./presets.ts";

const defaultPolicy: RefreshPolicy = {
  intervalMs: 300_000,
  firstRetryMs: 2_000,
};
/** Adding or changing a channel waits this long for its model list, to return it in the response. */
const firstListTimeoutMs = 5_000;

export type ChannelsOptions = {
  configuration: ChannelStore;
  keys: ChannelKeys;
  /** Sent with each request, to detect loops. */
  instanceId: string;
  /** This gateway listens at that address. */
  isOwnAddress(origin: URL): boolean;
  outbound: Outbound;
  log: Log;
  createChannel?: typeof createOpenAiChannel;
  policy?: RefreshPolicy;
};

/** Channels are found by id or by name; unknown ones are AppError `not_found`. */
export type Channels = {
  /** Enabled channels. Returns the same array until something changes. */
  registered(): readonly UpstreamChannel[];
  list(): ChannelView[];
  /** Names of the Hearsay gateways behind the channels. */
  upstreamGateways(): readonly string[];
  /** Why a model is missing: the channels with its prefix are blocked because Offline is switched on. */
  blockedReason(model: string): AppError | undefined;
  /**
   * Why a model is missing although its prefix exists: the channel is disabled, or its model list fails. Waits for a
   * list in progress.
   */
  unavailableReason(model: string): Promise<AppError | undefined>;
  readonly presets: readonly ChannelPreset[];
  /** @throws AppError `invalid_value`, `name_taken`, `channel_loop` */
  add(input: NewChannel): Promise<ChannelView>;
  /** A change of origin removes the stored key. @throws as `add` */
  change(idOrName: string, patch: ChannelPatch): Promise<ChannelView>;
  remove(idOrName: string): Promise<void>;
  test(idOrName: string, signal: AbortSignal): Promise<ChannelTest>;
  /** Starts; resolves when every model list was loaded or failed for now. */
  ready(): Promise<void>;
  /** Starts the periodic refresh of the model lists. */
  start(): void;
  close(): Promise<void>;
};

export function createChannels({
  configuration,
  keys,
  instanceId,
  isOwnAddress,
  outbound,
  log,
  createChannel = createOpenAiChannel,
  policy = defaultPolicy,
}: ChannelsOptions): Channels {
  const optionsFor = (config: ChannelConfig, key?: string): OpenAiChannelOptions => ({
    config,
    key: () => key ?? keys.get(keyOwnerOf(config)),
    instanceId,
    outbound,
    log,
  });
  const isBlocked = ({ baseUrl }: ChannelConfig): boolean => outbound.isBlocked(baseUrl);

  const channelPool = createChannelPool({
    configs: () => configuration.channels(),
    isBlocked,
    createChannel: (config, previous) =>
      createChannel({
        ...optionsFor(config),
        previous,
        lastModels: configuration.lastModels(config),
        onModels: (models) => configuration.saveLastModels(config, models),
      }),
    policy,
    log,
  });

  async function probe(config: ChannelConfig, key: string | undefined): Promise<void> {
    if (isOwnAddress(new URL(config.baseUrl)))
      throw new AppError("channel.ownAddress", {}, { param: "baseUrl" });
    await checkLeadsAway(createChannel(optionsFor(config, key)));
  }

  const changes = createChannelChanges({ configuration, keys, probe });

  const toView = (config: ChannelConfig): ChannelView => ({
    ...config,
    ...statusView(channelPool.status(config.id)),
    ...(isBlocked(config) ? { isBlocked: true } : {}),
    key: keys.source(keyOwnerOf(config)),
  });

  const withPrefixOf = (model: string): readonly ChannelConfig[] =>
    configuration.channels().filter(({ prefix }) => model.startsWith(`${prefix}/`));

  /** The channel after a change, with its models if they arrive soon. */
  async function viewAfterChange({ id, hasNewKey }: ChangedChannel): Promise<ChannelView> {
    await soon(hasNewKey ? channelPool.refresh(id) : channelPool.currentRefresh(id));
    return toView(findConfig(configuration.channels(), id));
  }

  return {
    presets: channelPresets,
    registered: channelPool.registered,
    list: () => configuration.channels().map(toView),
    upstreamGateways: () => [
      ...new Set(
        channelPool.registered().flatMap(({ channel }) => channel.listing.upstreamGateways),
      ),
    ],
    blockedReason(model) {
      const blocked = withPrefixOf(model).find((config) => config.enabled && isBlocked(config));
      return blocked && blockedError(blocked);
    },
    async unavailableReason(model) {
      const candidates = withPrefixOf(model);
      await soon(Promise.all(candidates.map(({ id }) => channelPool.currentRefresh(id))));
      return candidates
        .map((config) => unavailableError(config, channelPool.status(config.id)))
        .find((error) => error !== undefined);
    },
    add: (input) => changes.add(input).then(viewAfterChange),
    change: (idOrName, patch) => changes.change(idOrName, patch).then(viewAfterChange),
    // Reading the list closes the removed channel's connections now.
    remove: (idOrName) => changes.remove(idOrName, () => void channelPool.registered()),
    async test(idOrName, signal) {
      const config = findConfig(configuration.channels(), idOrName);
      const hasKey = keys.get(keyOwnerOf(config)) !== undefined;
      // A separate channel: the configured one may be disabled, and the time to connect is part of the test.
      const channel = createChannel(optionsFor(config));
      try {
        const result = await testChannel({ channel, config, hasKey }, signal);
        void channelPool.refresh(config.id);
        return result;
      } finally {
        await channel.close();
      }
    },
    ready: () => soon(channelPool.ready()),
    start: channelPool.start,
    close: channelPool.close,
  };
}

/** Waits for model lists, but not for long. */
async function soon(lists: Promise<unknown>): Promise<void> {
  await Promise.race([lists, pause(firstListTimeoutMs, undefined, { ref: false })]);
}

/** Lists the models and closes the channel. @throws AppError if that leads back to this gateway */
async function checkLeadsAway(channel: OpenAiChannel): Promise<void> {
  const failure: unknown = await channel.refresh(AbortSignal.timeout(firstListTimeoutMs)).then(
    () => undefined,
    (error: unknown) => error,
  );
  await channel.close();
  // The response reveals other host names of this machine.
  if (!(failure instanceof AppError && failure.key === "channel_loop")) return;
  throw new AppError("channel.leadsBack", {}, { param: "baseUrl", cause: failure });
}

/** @param status undefined: the channel is disabled or blocked */
function statusView(
  status: Partial<ChannelStatus> = {},
): Omit<ChannelView, keyof ChannelConfig | "key"> {
  const { health = createHealth(), models = 0, listError, ...rest } = status;
  const { message = "", ...listErrorReference } = listError ?? {};
  return {
    ...rest,
    ...(listError === undefined ? {} : { listError: message, listErrorReference }),
    models,
    health: health.view(),
  };
}

const blockedError = ({ name }: ChannelConfig): AppError =>
  new AppError("offline.channel", { channel: name }, { param: "model" });

/** undefined: the channel is enabled and lists models. */
function unavailableError(
  { name, enabled }: ChannelConfig,
  { models, listError = createMessage("channel.modelsPending") }: Partial<ChannelStatus> = {},
): AppError | undefined {
  if (!enabled) return new AppError("channel.off", { channel: name }, { param: "model" });
  if (models !== 0) return undefined;
  return new AppError(
    "channel.modelsUnknown",
    { channel: name, why: listError },
    { param: "model" },
  );
}

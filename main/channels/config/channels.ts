// Lists, adds, changes, removes and tests the configured channels. See channel-pool.ts for enabled channels, and
// router.ts for choosing one per request.

import { setTimeout as pause } from "node:timers/promises";

import type {
  ChannelConfig,
  ChannelInput,
  ChannelPreset,
  ChannelTest,
  ChannelView,
} from "../../contract/channels.ts";
import { AppError } from "../../contract/errors.ts";
import { createMessage } from "../../contract/messages/messages.ts";
import type { Log } from "../../log.ts";
import type { Outbound } from "../../network/outbound.ts";
import { retryWhileBusy } from "../../storage/retry-while-busy.ts";
import { createUniqueId, parseChannel, parseKey } from "./channel-input.ts";
import { testChannel } from "./channel-test.ts";
import { createChannelPool } from "./channel-pool.ts";
import type { UpstreamChannel } from "./channel-pool.ts";
import { createHealth } from "../health.ts";
import type { RefreshPolicy } from "./channel-refresher.ts";
import { createOpenAiChannel } from "../openai/channel.ts";
import type { OpenAiChannel } from "../openai/channel.ts";
import { channelPresets } from "./presets.ts";

/** Storage of the configurations. */
export type ChannelStore = {
  /** Returns the same array until something changes. */
  channels(): readonly ChannelConfig[];
  saveChannel(config: ChannelConfig): void;
  removeChannel(id: string): boolean;
};

/** Identifies the key of a channel. A key is valid only for the origin it was entered for. */
export type KeyOwner = { id: string; name: string; origin: string };

/** Storage of provider keys. */
export type ChannelKeys = {
  get(channel: KeyOwner): string | undefined;
  source(channel: KeyOwner): ChannelView["key"];
  /** The environment variable that sets the key of both names, if there is one. */
  sharedEnvVariable(name: string, otherName: string): string | undefined;
  /** Keeps the keys of other origins. */
  set(id: string, origin: string, key: string): Promise<void>;
  /** @param keptOrigin whose key stays */
  remove(id: string, keptOrigin?: string): Promise<void>;
};

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
  outbound: Pick<Outbound, "guard" | "isBlocked">;
  log: Log;
  createChannel?: typeof createOpenAiChannel;
  policy?: RefreshPolicy;
};

/** null removes the key; an absent or blank one changes nothing. */
type KeyInput = { key?: string | null | undefined };
/** The prefix defaults to the id. */
export type NewChannel = Omit<ChannelInput, "prefix"> & { prefix?: string | undefined } & KeyInput;
/** Absent or undefined fields keep their value. */
export type ChannelPatch = {
  [Field in keyof ChannelInput]?: ChannelInput[Field] | undefined;
} & KeyInput;

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

export function createChannels(options: ChannelsOptions): Channels {
  const {
    configuration,
    keys,
    instanceId,
    isOwnAddress,
    outbound,
    log,
    createChannel = createOpenAiChannel,
    policy = defaultPolicy,
  } = options;
  let lastOperation: Promise<unknown> = Promise.resolve();

  const createChannelFor = (
    config: ChannelConfig,
    key?: string,
    previous?: OpenAiChannel,
  ): OpenAiChannel =>
    createChannel({
      config,
      key: () => key ?? keys.get(keyOwnerOf(config)),
      instanceId,
      outbound,
      log,
      previous,
    });
  const isBlocked = ({ baseUrl }: ChannelConfig): boolean => outbound.isBlocked(baseUrl);

  const channelPool = createChannelPool({
    configs: () => configuration.channels(),
    isBlocked,
    createChannel: (config, previous) => createChannelFor(config, undefined, previous),
    policy,
    log,
  });

  function findConfig(idOrName: string): ChannelConfig {
    const configs = configuration.channels();
    const match =
      configs.find(({ id }) => id === idOrName) ??
      configs.find(({ name }) => isSameName(name, idOrName));
    if (match === undefined) throw new AppError("channel.unknown", { channel: idOrName });
    return match;
  }

  /** @param id of the channel that may have this name */
  function checkNameAvailable(name: string, id?: string): void {
    for (const other of configuration.channels()) {
      if (other.id === id) continue;
      if (isSameName(other.name, name) || isSameName(other.id, name))
        throw new AppError("channel.nameTaken", { name, other: other.name }, { param: "name" });
      const variable = keys.sharedEnvVariable(name, other.name);
      if (variable !== undefined)
        throw new AppError(
          "channel.keyVariableTaken",
          { variable, other: other.name, name },
          { param: "name" },
        );
    }
  }

  /**
   * Creates the channel of a new configuration and requests its models. An unreachable provider is no reason to refuse
   * it.
   * @param key the channel's future key
   * @throws AppError if the provider is this gateway itself
   */
  async function probe(config: ChannelConfig, key: string | undefined): Promise<void> {
    if (isOwnAddress(new URL(config.baseUrl)))
      throw new AppError("channel.ownAddress", {}, { param: "baseUrl" });
    const channel = createChannelFor(config, key);
    const failure: unknown = await channel.refresh(AbortSignal.timeout(firstListTimeoutMs)).then(
      () => undefined,
      (error: unknown) => error,
    );
    await channel.close();
    // The response reveals other host names of this machine.
    if (!(failure instanceof AppError && failure.key === "channel_loop")) return;
    throw new AppError("channel.leadsBack", {}, { param: "baseUrl", cause: failure });
  }

  async function saveNewChannel({ key, ...input }: NewChannel): Promise<string> {
    const newKey = parseKey(key);
    const id = createUniqueId(input.name, configuration.channels());
    const config = { ...parseChannel({ prefix: id, ...omitUndefined(input) }), id };
    checkNameAvailable(config.name);
    await probe(config, newKey ?? undefined);
    // An attempt that failed may have left one.
    await keys.remove(id);
    // First, since no request may reach the channel without its key.
    if (typeof newKey === "string") await keys.set(id, new URL(config.baseUrl).origin, newKey);
    try {
      await retryWhileBusy(() => configuration.saveChannel(config));
    } catch (error) {
      await keys.remove(id).catch(() => {});
      throw error;
    }
    return id;
  }

  /** If the change cannot be saved, the channel keeps the key that it had for its origin. */
  async function saveChange(
    { origin: previousOrigin }: KeyOwner,
    config: ChannelConfig,
    newKey: string | null | undefined,
  ): Promise<void> {
    const { id, origin } = keyOwnerOf(config);
    const hasMoved = origin !== previousOrigin;
    if (typeof newKey === "string") await keys.set(id, origin, newKey);
    try {
      configuration.saveChannel(config);
    } catch (error) {
      if (typeof newKey === "string" && hasMoved)
        await keys.remove(id, previousOrigin).catch(() => {});
      throw error;
    }
    if (newKey === null) await keys.remove(id);
    else if (hasMoved) await keys.remove(id, newKey === undefined ? undefined : origin);
  }

  function toView(config: ChannelConfig): ChannelView {
    const {
      health = createHealth(),
      models = 0,
      listError,
      ...status
    } = channelPool.status(config.id) ?? {};
    const { message = "", ...listErrorReference } = listError ?? {};
    return {
      ...config,
      ...status,
      ...(listError === undefined ? {} : { listError: message, listErrorReference }),
      ...(isBlocked(config) ? { isBlocked: true } : {}),
      models,
      key: keys.source(keyOwnerOf(config)),
      health: health.view(),
    };
  }

  /** The channel after a change, with its models if they arrive soon. */
  async function viewAfterChange({
    id,
    hasNewKey,
  }: {
    id: string;
    hasNewKey: boolean;
  }): Promise<ChannelView> {
    const refresh = hasNewKey ? channelPool.refresh(id) : channelPool.currentRefresh(id);
    await Promise.race([refresh, pause(firstListTimeoutMs, undefined, { ref: false })]);
    return toView(findConfig(id));
  }

  /** Serializes changes: the checks and writes of two must not interleave. */
  function runExclusive<Result>(change: () => Promise<Result>): Promise<Result> {
    const turn = lastOperation.then(change);
    lastOperation = turn.catch(() => {});
    return turn;
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
      const blocked = configuration
        .channels()
        .find(
          (config) => config.enabled && model.startsWith(`${config.prefix}/`) && isBlocked(config),
        );
      return (
        blocked && new AppError("offline.channel", { channel: blocked.name }, { param: "model" })
      );
    },
    async unavailableReason(model) {
      const candidates = configuration
        .channels()
        .filter(({ prefix }) => model.startsWith(`${prefix}/`));
      await Promise.race([
        Promise.all(candidates.map(({ id }) => channelPool.currentRefresh(id))),
        pause(firstListTimeoutMs, undefined, { ref: false }),
      ]);
      for (const { id, name, enabled } of candidates) {
        if (!enabled) return new AppError("channel.off", { channel: name }, { param: "model" });
        const { models, listError = createMessage("channel.modelsPending") } =
          channelPool.status(id) ?? {};
        if (models === 0)
          return new AppError(
            "channel.modelsUnknown",
            { channel: name, why: listError },
            { param: "model" },
          );
      }
      return undefined;
    },
    add: (input) =>
      runExclusive(async () => ({ id: await saveNewChannel(input), hasNewKey: false })).then(
        viewAfterChange,
      ),
    change: (idOrName, { key, ...patch }) =>
      runExclusive(async () => {
        const previousConfig = findConfig(idOrName);
        const { id, ...fields } = previousConfig;
        const newKey = parseKey(key);
        const config = {
          ...parseChannel({
            ...fields,
            ...omitUndefined(patch),
            limits: { ...fields.limits, ...omitUndefined(patch.limits ?? {}) },
          }),
          id,
        };
        checkNameAvailable(config.name, id);
        if (config.baseUrl !== previousConfig.baseUrl) await probe(config, newKey ?? undefined);
        await saveChange(keyOwnerOf(previousConfig), config, newKey);
        return { id, hasNewKey: newKey !== undefined };
      }).then(viewAfterChange),
    remove: (idOrName) =>
      runExclusive(async () => {
        const { id } = findConfig(idOrName);
        configuration.removeChannel(id);
        // Closes the removed channel's connections now.
        channelPool.registered();
        await keys.remove(id);
      }),
    async test(idOrName, signal) {
      const config = findConfig(idOrName);
      // A separate channel: the configured one may be disabled, and the time to connect is part of the test.
      const channel = createChannelFor(config);
      try {
        const { models, refresh, transcribe, synthesize } = channel;
        const result = await testChannel(
          {
            channel: { models, refresh, transcribe, synthesize },
            config,
            hasKey: keys.get(keyOwnerOf(config)) !== undefined,
          },
          signal,
        );
        void channelPool.refresh(config.id);
        return result;
      } finally {
        await channel.close();
      }
    },
    ready: () =>
      Promise.race([channelPool.ready(), pause(firstListTimeoutMs, undefined, { ref: false })]),
    start: channelPool.start,
    close: channelPool.close,
  };
}

const keyOwnerOf = ({ id, name, baseUrl }: ChannelConfig): KeyOwner => ({
  id,
  name,
  origin: new URL(baseUrl).origin,
});
const isSameName = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase();

const omitUndefined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

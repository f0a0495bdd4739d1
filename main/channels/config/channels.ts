// The upstream channels as people see and change them: lists, adds, changes, removes and tests them. Those switched
// on live in channels-in-use.ts; see router.ts for which of them serves a request.

import { setTimeout as pause } from "node:timers/promises";

import type {
  ChannelConfig,
  ChannelInput,
  ChannelPreset,
  ChannelTest,
  ChannelView,
} from "../../contract/channels.ts";
import { AppError } from "../../contract/errors.ts";
import type { Log } from "../../log.ts";
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

/** Where the configurations are kept. Another process may change them. */
export type ChannelStore = {
  /** The same array until something changed. */
  channels(): readonly ChannelConfig[];
  /** @param check is given all channels as no other process can change them before this is saved; what it throws stops it. */
  saveChannel(config: ChannelConfig, check?: (current: readonly ChannelConfig[]) => void): void;
  removeChannel(id: string): boolean;
};

/** A channel as its key is found by. A key belongs to the origin it was given for. */
export type KeyOwner = { id: string; name: string; origin: string };

/** Where the keys of providers are kept. */
export type ChannelKeys = {
  get(channel: KeyOwner): string | undefined;
  source(channel: KeyOwner): ChannelView["key"];
  /** The variable of the environment that gives both of these names their key, where it is set. */
  sharedEnvVariable(name: string, otherName: string): string | undefined;
  set(id: string, origin: string, key: string): Promise<void>;
  remove(id: string): Promise<void>;
};

const defaultPolicy: RefreshPolicy = {
  intervalMs: 300_000,
  firstRetryMs: 2_000,
  configPollMs: 1_000,
};
/** Whoever adds or changes a channel sees its models in the answer, where they come in this time. */
const firstListTimeoutMs = 5_000;
const removalRetryMs = 2_000;

export type ChannelsOptions = {
  configuration: ChannelStore;
  keys: ChannelKeys;
  /** Sent along with each request, so that it is known when it comes back. */
  instanceId: string;
  /** This gateway listens there. */
  isOwnAddress(origin: URL): boolean;
  log: Log;
  createChannel?: typeof createOpenAiChannel;
  policy?: RefreshPolicy;
};

/** A key of `null` is taken away; an absent or blank one changes nothing. */
type KeyInput = { key?: string | null | undefined };
/** Without a prefix, its id is its prefix. */
export type NewChannel = Omit<ChannelInput, "prefix"> & { prefix?: string | undefined } & KeyInput;
/** What is absent or undefined stays as it is. */
export type ChannelPatch = {
  [Field in keyof ChannelInput]?: ChannelInput[Field] | undefined;
} & KeyInput;

/** Channels are found by id or by name. Unknown ones are AppError `not_found`. */
export type Channels = {
  /** Those switched on. The same array until something changed, in this process or another. */
  registered(): readonly UpstreamChannel[];
  list(): ChannelView[];
  /** Names of the gateways of our kind that are behind the channels. */
  upstreamGateways(): readonly string[];
  /** Why a model is not there although channels have its prefix: one is switched off, or its list does not come, which is waited for a while. */
  unavailableReason(model: string): Promise<AppError | undefined>;
  readonly presets: readonly ChannelPreset[];
  /** @throws AppError `invalid_value`, `name_taken`, `channel_loop`; `conflict` where another process was faster */
  add(input: NewChannel): Promise<ChannelView>;
  /** The same, and `test` with the list of models that was asked for on the way. */
  addAndTest(input: NewChannel, signal: AbortSignal): Promise<ChannelTest>;
  /** Another origin loses the stored key. @throws as `add` */
  change(idOrName: string, patch: ChannelPatch): Promise<ChannelView>;
  remove(idOrName: string): Promise<void>;
  test(idOrName: string, signal: AbortSignal): Promise<ChannelTest>;
  /** Starts, and resolves when every list of models came, or could not come soon. */
  ready(): Promise<void>;
  /** Begins to ask for the lists of models, now and from time to time. */
  start(): void;
  close(): Promise<void>;
};

export function createChannels(options: ChannelsOptions): Channels {
  const {
    configuration,
    keys,
    instanceId,
    isOwnAddress,
    log,
    createChannel = createOpenAiChannel,
    policy = defaultPolicy,
  } = options;
  let lastOperation: Promise<unknown> = Promise.resolve();
  /** Channels that were not finished, and could not be taken away either since the disk took nothing. */
  const pendingRemovals = new Set<string>();
  let isClosed = false;

  const createChannelFor = (config: ChannelConfig, key?: string): OpenAiChannel =>
    createChannel({ config, key: () => key ?? keys.get(keyOwnerOf(config)), instanceId, log });

  const channelPool = createChannelPool({
    configs: () => configuration.channels(),
    createChannel: (config) => createChannelFor(config),
    policy,
    log,
  });

  function findConfig(idOrName: string): ChannelConfig {
    const configs = configuration.channels();
    const match =
      configs.find(({ id }) => id === idOrName) ??
      configs.find(({ name }) => isSameName(name, idOrName));
    if (match === undefined) throw new AppError("not_found", `There is no channel '${idOrName}'.`);
    return match;
  }

  /** @param id of the channel that may have it */
  function checkNameAvailable(name: string, current: readonly ChannelConfig[], id?: string): void {
    for (const other of current) {
      if (other.id === id) continue;
      if (isSameName(other.name, name) || isSameName(other.id, name))
        throw new AppError(
          "name_taken",
          `The name '${name}' is taken by the channel '${other.name}'.`,
          { param: "name" },
        );
      const variable = keys.sharedEnvVariable(name, other.name);
      if (variable !== undefined)
        throw new AppError(
          "name_taken",
          `${variable} is set, and would be the key of the channel '${other.name}' and of '${name}': choose a name that differs in its letters or digits.`,
          { param: "name" },
        );
    }
  }

  /**
   * The channel as it is going to be, asked for its models. Being away is no reason to refuse it.
   * @param key the one it is going to have
   * @throws AppError where it is this gateway itself
   */
  async function probe(
    config: ChannelConfig,
    key: string | undefined,
  ): Promise<{ channel: OpenAiChannel; failure: unknown }> {
    if (isOwnAddress(new URL(config.baseUrl)))
      throw new AppError("invalid_value", "The base URL is the address of this gateway itself.", {
        param: "baseUrl",
      });
    const channel = createChannelFor(config, key);
    const failure = await channel.refresh(AbortSignal.timeout(firstListTimeoutMs)).then(
      () => undefined,
      (error: unknown) =>
        isTimeoutError(error)
          ? new AppError("upstream_timeout", `No answer within ${firstListTimeoutMs / 1000} s.`, {
              cause: error,
            })
          : error,
    );
    // Other names of this machine show by what comes back.
    if (!(failure instanceof AppError && failure.key === "channel_loop"))
      return { channel, failure };
    await channel.close();
    throw new AppError(
      "channel_loop",
      "The base URL leads back to this gateway: what is asked there is asked here again.",
      { param: "baseUrl", cause: failure },
    );
  }

  /** Keeps a new channel. The one that was tried comes along, for the caller to close. */
  async function saveNewChannel({
    key,
    ...input
  }: NewChannel): Promise<{ config: ChannelConfig; channel: OpenAiChannel; failure: unknown }> {
    await removePending();
    const newKey = parseKey(key);
    const id = createUniqueId(input.name, configuration.channels());
    const config = { ...parseChannel({ prefix: id, ...omitUndefined(input) }), id };
    checkNameAvailable(config.name, configuration.channels());
    const probed = await probe(config, newKey ?? undefined);
    const checkIsNew = (current: readonly ChannelConfig[]): void => {
      checkNameAvailable(config.name, current);
      if (current.some((channel) => channel.id === id))
        throw new AppError("conflict", "Another channel was added at the same moment: try again.");
    };
    try {
      if (typeof newKey === "string") await saveWithKey(config, newKey, checkIsNew);
      else configuration.saveChannel(config, checkIsNew);
      return { config, ...probed };
    } catch (error) {
      await probed.channel.close();
      throw error;
    }
  }

  /** Its id is its own before the key is written under it, and nobody asks it before it has its key. */
  async function saveWithKey(
    config: ChannelConfig,
    key: string,
    check: (current: readonly ChannelConfig[]) => void,
  ): Promise<void> {
    configuration.saveChannel({ ...config, enabled: false }, check);
    try {
      await keys.set(config.id, new URL(config.baseUrl).origin, key);
      await retryWhileBusy(() => configuration.saveChannel(config));
    } catch (error) {
      pendingRemovals.add(config.id);
      await removePending().catch(() => setTimeout(retryRemovals, removalRetryMs).unref());
      throw error;
    }
  }

  async function removePending(): Promise<void> {
    for (const id of pendingRemovals) {
      await retryWhileBusy(() => configuration.removeChannel(id));
      pendingRemovals.delete(id);
    }
  }

  function retryRemovals(): void {
    if (!isClosed)
      runExclusive(removePending).catch(() => setTimeout(retryRemovals, removalRetryMs).unref());
  }

  function toView(config: ChannelConfig): ChannelView {
    const { health = createHealth(), models = 0, ...status } = channelPool.status(config.id) ?? {};
    return {
      ...config,
      ...status,
      models,
      key: keys.source(keyOwnerOf(config)),
      health: health.view(),
    };
  }

  /** The channel as it is after a change, with its models where they come soon. */
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

  /** Closes the channel. */
  async function runTestAndClose(
    config: ChannelConfig,
    channel: OpenAiChannel,
    refresh: OpenAiChannel["refresh"],
    signal: AbortSignal,
  ): Promise<ChannelTest> {
    try {
      const { models, transcribe, synthesize } = channel;
      const result = await testChannel(
        {
          channel: { models, transcribe, synthesize, refresh },
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
  }

  /** One change after the other: checks and writes of two must not mingle. */
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
      ...new Set(channelPool.registered().flatMap(({ channel }) => channel.upstreamGateways)),
    ],
    async unavailableReason(model) {
      const candidates = configuration
        .channels()
        .filter(({ prefix }) => model.startsWith(`${prefix}/`));
      await Promise.race([
        Promise.all(candidates.map(({ id }) => channelPool.currentRefresh(id))),
        pause(firstListTimeoutMs, undefined, { ref: false }),
      ]);
      for (const { id, name, enabled } of candidates) {
        if (!enabled)
          return new AppError("unknown_model", `The channel '${name}' is switched off.`, {
            param: "model",
          });
        const { models, listError = "they did not come yet." } = channelPool.status(id) ?? {};
        if (models === 0)
          return new AppError(
            "channel_resting",
            `The models of the channel '${name}' are not known: ${listError}`,
            { param: "model" },
          );
      }
      return undefined;
    },
    add: (input) =>
      runExclusive(async () => {
        const { config, channel } = await saveNewChannel(input);
        await channel.close();
        return { id: config.id, hasNewKey: false };
      }).then(viewAfterChange),
    async addAndTest(input, signal) {
      const { config, channel, failure } = await runExclusive(() => saveNewChannel(input));
      return runTestAndClose(
        config,
        channel,
        () => (failure === undefined ? Promise.resolve() : Promise.reject(failure)),
        signal,
      );
    },
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
        const checkUnchanged = (current: readonly ChannelConfig[]): void => {
          if (!current.includes(previousConfig))
            throw new AppError(
              "conflict",
              `The channel '${previousConfig.name}' was changed at the same moment: try again.`,
            );
          checkNameAvailable(config.name, current, id);
        };
        checkUnchanged(configuration.channels());
        if (config.baseUrl !== previousConfig.baseUrl) {
          await (await probe(config, newKey ?? undefined)).channel.close();
          checkUnchanged(configuration.channels());
        }
        const { origin } = new URL(config.baseUrl);
        if (typeof newKey === "string") await keys.set(id, origin, newKey);
        else if (newKey === null || origin !== new URL(previousConfig.baseUrl).origin)
          await keys.remove(id);
        configuration.saveChannel(config, checkUnchanged);
        return { id, hasNewKey: newKey !== undefined };
      }).then(viewAfterChange),
    remove: (idOrName) =>
      runExclusive(async () => {
        const { id } = findConfig(idOrName);
        configuration.removeChannel(id);
        // Gone at once, its connections too.
        channelPool.registered();
        await keys.remove(id);
      }),
    async test(idOrName, signal) {
      const config = findConfig(idOrName);
      // One of its own: it may be switched off, and the time it takes to connect belongs to the test.
      const channel = createChannelFor(config);
      return runTestAndClose(config, channel, channel.refresh, signal);
    },
    ready: () =>
      Promise.race([channelPool.ready(), pause(firstListTimeoutMs, undefined, { ref: false })]),
    start: channelPool.start,
    async close() {
      isClosed = true;
      await channelPool.close();
    },
  };
}

const keyOwnerOf = ({ id, name, baseUrl }: ChannelConfig): KeyOwner => ({
  id,
  name,
  origin: new URL(baseUrl).origin,
});
const isSameName = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase();

const isTimeoutError = (error: unknown): boolean =>
  error instanceof Error && error.name === "TimeoutError";
const omitUndefined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

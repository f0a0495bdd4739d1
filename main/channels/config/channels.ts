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
import { freeId, parseChannel, parseKey } from "./channel-input.ts";
import { testChannel } from "./channel-test.ts";
import { createChannelsInUse } from "./channel-pool.ts";
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
  sharedVariable(name: string, otherName: string): string | undefined;
  set(id: string, origin: string, key: string): Promise<void>;
  remove(id: string): Promise<void>;
};

const defaultPolicy: RefreshPolicy = { everyMs: 300_000, afterFailureMs: 2_000, watchMs: 1_000 };
/** Whoever adds or changes a channel sees its models in the answer, where they come in this time. */
const firstListMs = 5_000;
const leftoverEveryMs = 2_000;

export type ChannelsOptions = {
  configuration: ChannelStore;
  keys: ChannelKeys;
  /** Sent along with each request, so that it is known when it comes back. */
  instanceId: string;
  /** This gateway listens there. */
  isOwnAddress(origin: URL): boolean;
  log: Log;
  makeChannel?: typeof createOpenAiChannel;
  policy?: RefreshPolicy;
};

/** A key of `null` is taken away; an absent or blank one changes nothing. */
type GivenKey = { key?: string | null | undefined };
/** Without a prefix, its id is its prefix. */
export type NewChannel = Omit<ChannelInput, "prefix"> & { prefix?: string | undefined } & GivenKey;
/** What is absent or undefined stays as it is. */
export type ChannelPatch = {
  [Field in keyof ChannelInput]?: ChannelInput[Field] | undefined;
} & GivenKey;

/** Channels are found by id or by name. Unknown ones are AppError `not_found`. */
export type Channels = {
  /** Those switched on. The same array until something changed, in this process or another. */
  registered(): readonly UpstreamChannel[];
  list(): ChannelView[];
  /** Names of the gateways of our kind that are behind the channels. */
  behind(): readonly string[];
  /** Why a model is not there although channels have its prefix: one is switched off, or its list does not come, which is waited for a while. */
  hindranceOf(model: string): Promise<AppError | undefined>;
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
    makeChannel = createOpenAiChannel,
    policy = defaultPolicy,
  } = options;
  let lastChange: Promise<unknown> = Promise.resolve();
  /** Channels that were not finished, and could not be taken away either since the disk took nothing. */
  const leftovers = new Set<string>();
  let isClosed = false;

  const makeFor = (config: ChannelConfig, key?: string): OpenAiChannel =>
    makeChannel({ config, key: () => key ?? keys.get(ownerOf(config)), instanceId, log });

  const inUse = createChannelsInUse({
    configs: () => configuration.channels(),
    makeChannel: (config) => makeFor(config),
    policy,
    log,
  });

  function find(idOrName: string): ChannelConfig {
    const configs = configuration.channels();
    const found =
      configs.find(({ id }) => id === idOrName) ??
      configs.find(({ name }) => sameName(name, idOrName));
    if (found === undefined) throw new AppError("not_found", `There is no channel '${idOrName}'.`);
    return found;
  }

  /** @param id of the channel that may have it */
  function refuseTaken(name: string, current: readonly ChannelConfig[], id?: string): void {
    for (const other of current) {
      if (other.id === id) continue;
      if (sameName(other.name, name) || sameName(other.id, name))
        throw new AppError(
          "name_taken",
          `The name '${name}' is taken by the channel '${other.name}'.`,
          { param: "name" },
        );
      const variable = keys.sharedVariable(name, other.name);
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
    const channel = makeFor(config, key);
    const failure = await channel.refresh(AbortSignal.timeout(firstListMs)).then(
      () => undefined,
      (error: unknown) =>
        isTimeOut(error)
          ? new AppError("upstream_timeout", `No answer within ${firstListMs / 1000} s.`, {
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
  async function keepNew({
    key,
    ...input
  }: NewChannel): Promise<{ config: ChannelConfig; channel: OpenAiChannel; failure: unknown }> {
    await removeLeftovers();
    const given = parseKey(key);
    const id = freeId(input.name, configuration.channels());
    const config = { ...parseChannel({ prefix: id, ...defined(input) }), id };
    refuseTaken(config.name, configuration.channels());
    const probed = await probe(config, given ?? undefined);
    const isNew = (current: readonly ChannelConfig[]): void => {
      refuseTaken(config.name, current);
      if (current.some((one) => one.id === id))
        throw new AppError("conflict", "Another channel was added at the same moment: try again.");
    };
    try {
      if (typeof given === "string") await keepWithKey(config, given, isNew);
      else configuration.saveChannel(config, isNew);
      return { config, ...probed };
    } catch (error) {
      await probed.channel.close();
      throw error;
    }
  }

  /** Its id is its own before the key is written under it, and nobody asks it before it has its key. */
  async function keepWithKey(
    config: ChannelConfig,
    key: string,
    check: (current: readonly ChannelConfig[]) => void,
  ): Promise<void> {
    configuration.saveChannel({ ...config, enabled: false }, check);
    try {
      await keys.set(config.id, new URL(config.baseUrl).origin, key);
      await retryWhileBusy(() => configuration.saveChannel(config));
    } catch (error) {
      leftovers.add(config.id);
      await removeLeftovers().catch(() =>
        setTimeout(removeLeftoversLater, leftoverEveryMs).unref(),
      );
      throw error;
    }
  }

  async function removeLeftovers(): Promise<void> {
    for (const id of leftovers) {
      await retryWhileBusy(() => configuration.removeChannel(id));
      leftovers.delete(id);
    }
  }

  function removeLeftoversLater(): void {
    if (!isClosed)
      inTurn(removeLeftovers).catch(() =>
        setTimeout(removeLeftoversLater, leftoverEveryMs).unref(),
      );
  }

  function view(config: ChannelConfig): ChannelView {
    const { health = createHealth(), models = 0, ...listed } = inUse.standing(config.id) ?? {};
    return {
      ...config,
      ...listed,
      models,
      key: keys.source(ownerOf(config)),
      health: health.view(),
    };
  }

  /** The channel as it is after a change, with its models where they come soon. */
  async function changed({
    id,
    hasNewKey,
  }: {
    id: string;
    hasNewKey: boolean;
  }): Promise<ChannelView> {
    const listing = hasNewKey ? inUse.refresh(id) : inUse.listing(id);
    await Promise.race([listing, pause(firstListMs, undefined, { ref: false })]);
    return view(find(id));
  }

  /** Closes the channel. */
  async function tested(
    config: ChannelConfig,
    channel: OpenAiChannel,
    refresh: OpenAiChannel["refresh"],
    signal: AbortSignal,
  ): Promise<ChannelTest> {
    try {
      const { models, transcribe, speak } = channel;
      const result = await testChannel(
        {
          channel: { models, transcribe, speak, refresh },
          config,
          hasKey: keys.get(ownerOf(config)) !== undefined,
        },
        signal,
      );
      void inUse.refresh(config.id);
      return result;
    } finally {
      await channel.close();
    }
  }

  /** One change after the other: checks and writes of two must not mingle. */
  function inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const turn = lastChange.then(change);
    lastChange = turn.catch(() => {});
    return turn;
  }

  return {
    presets: channelPresets,
    registered: inUse.registered,
    list: () => configuration.channels().map(view),
    behind: () => [...new Set(inUse.registered().flatMap(({ channel }) => channel.behind))],
    async hindranceOf(model) {
      const own = configuration.channels().filter(({ prefix }) => model.startsWith(`${prefix}/`));
      await Promise.race([
        Promise.all(own.map(({ id }) => inUse.listing(id))),
        pause(firstListMs, undefined, { ref: false }),
      ]);
      for (const { id, name, enabled } of own) {
        if (!enabled)
          return new AppError("unknown_model", `The channel '${name}' is switched off.`, {
            param: "model",
          });
        const { models, listError = "they did not come yet." } = inUse.standing(id) ?? {};
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
      inTurn(async () => {
        const { config, channel } = await keepNew(input);
        await channel.close();
        return { id: config.id, hasNewKey: false };
      }).then(changed),
    async addAndTest(input, signal) {
      const { config, channel, failure } = await inTurn(() => keepNew(input));
      return tested(
        config,
        channel,
        () => (failure === undefined ? Promise.resolve() : Promise.reject(failure)),
        signal,
      );
    },
    change: (idOrName, { key, ...patch }) =>
      inTurn(async () => {
        const old = find(idOrName);
        const { id, ...fields } = old;
        const given = parseKey(key);
        const config = {
          ...parseChannel({
            ...fields,
            ...defined(patch),
            limits: { ...fields.limits, ...defined(patch.limits ?? {}) },
          }),
          id,
        };
        const isAsRead = (current: readonly ChannelConfig[]): void => {
          if (!current.includes(old))
            throw new AppError(
              "conflict",
              `The channel '${old.name}' was changed at the same moment: try again.`,
            );
          refuseTaken(config.name, current, id);
        };
        isAsRead(configuration.channels());
        if (config.baseUrl !== old.baseUrl) {
          await (await probe(config, given ?? undefined)).channel.close();
          isAsRead(configuration.channels());
        }
        const { origin } = new URL(config.baseUrl);
        if (typeof given === "string") await keys.set(id, origin, given);
        else if (given === null || origin !== new URL(old.baseUrl).origin) await keys.remove(id);
        configuration.saveChannel(config, isAsRead);
        return { id, hasNewKey: given !== undefined };
      }).then(changed),
    remove: (idOrName) =>
      inTurn(async () => {
        const { id } = find(idOrName);
        configuration.removeChannel(id);
        // Gone at once, its connections too.
        inUse.registered();
        await keys.remove(id);
      }),
    async test(idOrName, signal) {
      const config = find(idOrName);
      // One of its own: it may be switched off, and the time it takes to connect belongs to the test.
      const channel = makeFor(config);
      return tested(config, channel, channel.refresh, signal);
    },
    ready: () => Promise.race([inUse.ready(), pause(firstListMs, undefined, { ref: false })]),
    start: inUse.start,
    async close() {
      isClosed = true;
      await inUse.close();
    },
  };
}

const ownerOf = ({ id, name, baseUrl }: ChannelConfig): KeyOwner => ({
  id,
  name,
  origin: new URL(baseUrl).origin,
});
const sameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const isTimeOut = (error: unknown): boolean =>
  error instanceof Error && error.name === "TimeoutError";
const defined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

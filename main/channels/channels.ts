// The upstream channels as people see and change them: lists, adds, changes, removes and tests them. Those switched
// on live in channels-in-use.ts; which of them serves a request is router.ts's matter.

import { setTimeout as pause } from 'node:timers/promises';

import type { ChannelConfig, ChannelInput, ChannelPreset, ChannelTest, ChannelView } from '../contract/channels.ts';
import { AppError } from '../contract/errors.ts';
import type { Log } from '../log.ts';
import { freeId, parseChannel, parseKey } from './channel-input.ts';
import { testChannel } from './channel-test.ts';
import { createChannelsInUse } from './channels-in-use.ts';
import type { UpstreamChannel } from './channels-in-use.ts';
import { createHealth } from './health.ts';
import type { RefreshPolicy } from './live-channel.ts';
import { createOpenAiChannel } from './openai/channel.ts';
import type { OpenAiChannel } from './openai/channel.ts';
import { channelPresets } from './presets.ts';

/** Where the configurations are kept. Another process may change them. */
export type ChannelStore = {
  /** The same array until something changed. */
  channels(): readonly ChannelConfig[];
  saveChannel(config: ChannelConfig): void;
  removeChannel(id: string): boolean;
};

/** A channel as its key is found by. A key belongs to the origin it was given for. */
export type KeyOwner = { id: string; name: string; origin: string };

/** Where the keys of providers are kept. */
export type ChannelKeys = {
  get(channel: KeyOwner): string | undefined;
  source(channel: KeyOwner): ChannelView['key'];
  set(id: string, origin: string, key: string): Promise<void>;
  remove(id: string): Promise<void>;
};

const usualPolicy: RefreshPolicy = { everyMs: 300_000, afterFailureMs: 2_000, watchMs: 1_000 };
/** Whoever adds or changes a channel sees its models in the answer, where they come in this time. */
const firstListMs = 5_000;

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
/** What is absent or undefined stays as it is. */
export type ChannelPatch = { [Field in keyof ChannelInput]?: ChannelInput[Field] | undefined } & GivenKey;

/** Channels are found by id or by name. Unknown ones are AppError `not_found`. */
export type Channels = {
  /** Those switched on. The same array until something changed, in this process or another. */
  registered(): readonly UpstreamChannel[];
  list(): ChannelView[];
  /** Names of the gateways of our kind that are behind the channels. */
  behind(): readonly string[];
  readonly presets: readonly ChannelPreset[];
  /** @throws AppError `invalid_value`, `name_taken`, `channel_loop` */
  add(input: ChannelInput & GivenKey): Promise<ChannelView>;
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
  const { configuration, keys, instanceId, isOwnAddress, log, makeChannel = createOpenAiChannel, policy = usualPolicy } = options;
  let lastChange: Promise<unknown> = Promise.resolve();

  const makeFor = (config: ChannelConfig, key?: string): OpenAiChannel =>
    makeChannel({ config, key: () => key ?? keys.get(ownerOf(config)), instanceId, log });

  const inUse = createChannelsInUse({ configs: () => configuration.channels(), makeChannel: (config) => makeFor(config), policy, log });

  function find(idOrName: string): ChannelConfig {
    const configs = configuration.channels();
    const found = configs.find(({ id }) => id === idOrName) ?? configs.find(({ name }) => sameName(name, idOrName));
    if (found === undefined) throw new AppError('not_found', `There is no channel '${idOrName}'.`);
    return found;
  }

  function refuseTaken(name: string, id?: string): void {
    const other = configuration.channels().find((one) => one.id !== id && (sameName(one.name, name) || sameName(one.id, name)));
    if (other !== undefined) throw new AppError('name_taken', `The name '${name}' is taken by the channel '${other.name}'.`, { param: 'name' });
  }

  /** @param key the one it is going to have */
  async function refuseOwnAddress(config: ChannelConfig, key: string | undefined): Promise<void> {
    if (isOwnAddress(new URL(config.baseUrl))) throw new AppError('invalid_value', "'baseUrl' must not be the address of this gateway itself.", { param: 'baseUrl' });
    // Other names of this machine show by what comes back. Being away is no reason to refuse.
    const channel = makeFor(config, key);
    try {
      await channel.refresh(AbortSignal.timeout(firstListMs));
    } catch (error) {
      if (error instanceof AppError && error.key === 'channel_loop') throw new AppError('channel_loop', "'baseUrl' leads back to this gateway.", { param: 'baseUrl', cause: error });
    } finally {
      await channel.close();
    }
  }

  function view(config: ChannelConfig): ChannelView {
    const { health = createHealth(), models = 0, ...listed } = inUse.standing(config.id) ?? {};
    return { ...config, ...listed, models, key: keys.source(ownerOf(config)), health: health.view() };
  }

  /** The channel as it is after a change, with its models where they come soon. */
  async function changed({ id, hasNewKey }: { id: string; hasNewKey: boolean }): Promise<ChannelView> {
    const listing = hasNewKey ? inUse.refresh(id) : inUse.listing(id);
    await Promise.race([listing, pause(firstListMs, undefined, { ref: false })]);
    return view(find(id));
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
    add: ({ key, ...input }) =>
      inTurn(async () => {
        const fields = parseChannel(input);
        const given = parseKey(key);
        refuseTaken(fields.name);
        const config = { ...fields, id: freeId(fields.name, configuration.channels()) };
        await refuseOwnAddress(config, given ?? undefined);
        if (typeof given === 'string') await keys.set(config.id, new URL(config.baseUrl).origin, given);
        configuration.saveChannel(config);
        return { id: config.id, hasNewKey: false };
      }).then(changed),
    change: (idOrName, { key, ...patch }) =>
      inTurn(async () => {
        const old = find(idOrName);
        const { id, ...fields } = old;
        const given = parseKey(key);
        const config = { ...parseChannel({ ...fields, ...defined(patch), limits: { ...fields.limits, ...defined(patch.limits ?? {}) } }), id };
        refuseTaken(config.name, id);
        if (config.baseUrl !== old.baseUrl) await refuseOwnAddress(config, given ?? undefined);
        const { origin } = new URL(config.baseUrl);
        if (typeof given === 'string') await keys.set(id, origin, given);
        else if (given === null || origin !== new URL(old.baseUrl).origin) await keys.remove(id);
        configuration.saveChannel(config);
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
      try {
        const result = await testChannel({ channel, config, hasKey: keys.get(ownerOf(config)) !== undefined }, signal);
        void inUse.refresh(config.id);
        return result;
      } finally {
        await channel.close();
      }
    },
    ready: () => Promise.race([inUse.ready(), pause(firstListMs, undefined, { ref: false })]),
    start: inUse.start,
    close: inUse.close,
  };
}

const ownerOf = ({ id, name, baseUrl }: ChannelConfig): KeyOwner => ({ id, name, origin: new URL(baseUrl).origin });
const sameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
const defined = (fields: object): object => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

// Adds, changes and removes channels: checks the new configuration, asks the provider for its models, and stores
// configuration and key so that no request reaches a channel with another one's key.

import type { ChannelConfig, ChannelInput } from "../../contract/channels.ts";
import { AppError } from "../../contract/errors.ts";
import { retryWhileBusy } from "../../storage/retry-while-busy.ts";
import { createUniqueId, parseChannel, parseKey } from "./channel-input.ts";
import {
  type ChannelKeys,
  type ChannelStore,
  findConfig,
  isSameName,
  type KeyOwner,
  keyOwnerOf,
} from "./channel-store.ts";
import { createTurns } from "../../processes/run-in-turns.ts";

/** null removes the key; an omitted or blank one changes nothing. */
type KeyInput = { key?: string | null | undefined };
/** The prefix defaults to the id. */
export type NewChannel = Omit<ChannelInput, "prefix"> & { prefix?: string | undefined } & KeyInput;
/** Omitted or undefined fields keep their value. */
export type ChannelPatch = {
  [Field in keyof ChannelInput]?: ChannelInput[Field] | undefined;
} & KeyInput;

export type ChannelChangesDeps = {
  configuration: ChannelStore;
  keys: ChannelKeys;
  /**
   * Requests the models of a new configuration. An unreachable provider is no reason to refuse it.
   * @param key the channel's future key
   * @throws AppError if the provider is this gateway itself
   */
  probe(config: ChannelConfig, key: string | undefined): Promise<void>;
};

export type ChangedChannel = { id: string; hasNewKey: boolean };

/** One change after the other: the checks and writes of two must not interleave. */
export type ChannelChanges = {
  add(input: NewChannel): Promise<ChangedChannel>;
  change(idOrName: string, patch: ChannelPatch): Promise<ChangedChannel>;
  /** @param onRemoved called before the key is removed */
  remove(idOrName: string, onRemoved: () => void): Promise<void>;
};

export function createChannelChanges({
  configuration,
  keys,
  probe,
}: ChannelChangesDeps): ChannelChanges {
  const inTurn = createTurns();

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

  async function add({ key, ...input }: NewChannel): Promise<ChangedChannel> {
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
    return { id, hasNewKey: false };
  }

  async function change(
    idOrName: string,
    { key, ...patch }: ChannelPatch,
  ): Promise<ChangedChannel> {
    const previous = findConfig(configuration.channels(), idOrName);
    const { id, ...fields } = previous;
    const newKey = parseKey(key);
    const limits = { ...fields.limits, ...omitUndefined(patch.limits ?? {}) };
    const config = { ...parseChannel({ ...fields, ...omitUndefined(patch), limits }), id };
    checkNameAvailable(config.name, id);
    if (config.baseUrl !== previous.baseUrl) await probe(config, newKey ?? undefined);
    await saveChange(keyOwnerOf(previous), config, newKey);
    return { id, hasNewKey: newKey !== undefined };
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

  async function remove(idOrName: string, onRemoved: () => void): Promise<void> {
    const { id } = findConfig(configuration.channels(), idOrName);
    configuration.removeChannel(id);
    onRemoved();
    await keys.remove(id);
  }

  return {
    add: (input) => inTurn(() => add(input)),
    change: (idOrName, patch) => inTurn(() => change(idOrName, patch)),
    remove: (idOrName, onRemoved) => inTurn(() => remove(idOrName, onRemoved)),
  };
}

const omitUndefined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

// What the channels need of the storage: their configurations, and their keys.

import type { ChannelConfig, ChannelView } from "../../contract/channels.ts";
import type { ModelInfo } from "../../contract/models.ts";
import { AppError } from "../../contract/errors.ts";

/** Storage of the configurations. */
export type ChannelStore = {
  /** Returns the same array until something changes. */
  channels(): readonly ChannelConfig[];
  saveChannel(config: ChannelConfig): void;
  removeChannel(id: string): boolean;
  /** What the provider listed last, also before the start; empty if that is not known. */
  lastModels(config: ChannelConfig): readonly ModelInfo[];
  saveLastModels(config: ChannelConfig, models: readonly ModelInfo[]): void;
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

export const keyOwnerOf = ({ id, name, baseUrl }: ChannelConfig): KeyOwner => ({
  id,
  name,
  origin: new URL(baseUrl).origin,
});

/** @throws AppError `not_found` */
export function findConfig(configs: readonly ChannelConfig[], idOrName: string): ChannelConfig {
  const match =
    configs.find(({ id }) => id === idOrName) ??
    configs.find(({ name }) => isSameName(name, idOrName));
  if (match === undefined) throw new AppError("channel.unknown", { channel: idOrName });
  return match;
}

export const isSameName = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase();

// The available channels and their models. The local channel's models have no prefix, others are `<prefix>/<own id>`.
// See router.ts for choosing between channels that share a model.

import type { ModelInfo } from "../contract/models.ts";
import type { VoiceInfo } from "../contract/speech.ts";
import type { Channel } from "../contract/channel.ts";
import type { Health } from "./health.ts";

export type RegisteredChannel = {
  readonly channel: Channel;
  /** Prefix of its model ids; omitted: no prefix. */
  readonly prefix?: string;
  /** Channels with a lower number are tried first. */
  readonly priority: number;
  /** Share of the requests among channels of equal priority. */
  readonly weight: number;
  readonly health: Health;
  /** The provider charges money; default: false. */
  readonly isPaid?: boolean;
  /** Timeout of a whole request; default: the usual limit. */
  readonly totalMs?: number;
};

/** A model at one channel: the id that the channel uses, and the model as clients see it. */
export type Offer = {
  readonly registered: RegisteredChannel;
  readonly channel: Channel;
  readonly channelModel: string;
  readonly info: ModelInfo;
};

export interface Registry {
  /** Every model of every channel, each id once. Returns the same array until something changes. */
  models(): readonly ModelInfo[];
  model(id: string): ModelInfo | undefined;
  /** Every channel that has the model, in the order of `channels()`. */
  offers(id: string): readonly Offer[];
  /** Listed voices, or those that are wanted, each id once: several models may have a voice of the same name. */
  voices(isWanted?: (voice: VoiceInfo) => boolean): readonly VoiceInfo[];
  channels(): readonly RegisteredChannel[];
}

/**
 * @param channels must return the same array until it changes, as must a channel's `models()`: caching compares
 * identity
 */
export function createRegistry(channels: () => readonly RegisteredChannel[]): Registry {
  let cachedChannels: readonly RegisteredChannel[] | undefined;
  let cachedModels: readonly (readonly ModelInfo[])[] = [];
  let offers = new Map<string, Offer[]>();
  let models: readonly ModelInfo[] = [];

  function refresh(): void {
    const registered = channels();
    if (
      registered === cachedChannels &&
      registered.every(({ channel }, index) => channel.models() === cachedModels[index])
    )
      return;
    cachedChannels = registered;
    cachedModels = registered.map(({ channel }) => channel.models());
    offers = new Map();
    for (const [index, registeredChannel] of registered.entries()) {
      for (const info of cachedModels[index] ?? []) {
        const id =
          registeredChannel.prefix === undefined
            ? info.id
            : `${registeredChannel.prefix}/${info.id}`;
        const existingOffers = offers.get(id) ?? [];
        if (existingOffers.at(-1)?.registered === registeredChannel) continue;
        offers.set(id, [
          ...existingOffers,
          {
            registered: registeredChannel,
            channel: registeredChannel.channel,
            channelModel: info.id,
            info: { ...info, id },
          },
        ]);
      }
    }
    models = Array.from(offers.values(), ([first]) => first?.info).filter(
      (info) => info !== undefined,
    );
  }

  const offersOf = (id: string): readonly Offer[] => {
    refresh();
    return offers.get(id) ?? [];
  };

  return {
    models: () => {
      refresh();
      return models;
    },
    model: (id) => offersOf(id)[0]?.info,
    offers: offersOf,
    voices: (isWanted = () => true) => {
      const byId = new Map<string, VoiceInfo>();
      for (const voice of channels().flatMap(({ channel }) => channel.voices().filter(isWanted))) {
        if (!byId.has(voice.id)) byId.set(voice.id, voice);
      }
      return [...byId.values()];
    },
    channels,
  };
}

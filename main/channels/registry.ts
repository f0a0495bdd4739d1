// Which channel answers a model id. The local channel's models have bare names, another channel's are written
// `<prefix>/<its own id>`. Choosing between channels that share a model is not done here.

import type { ModelInfo, VoiceInfo } from '../contract/speech.ts';
import type { Channel } from './channel.ts';

/** A channel and what its models' ids begin with; none: bare names. */
export type RegisteredChannel = { channel: Channel; prefix?: string };

/** Who hears or speaks for a model id: the channel, the id it knows the model by, and the model as clients see it. */
export type ModelRoute = { channel: Channel; channelModel: string; info: ModelInfo };

export interface Registry {
  /** Every model of every channel. The same array until a channel's models change. */
  models(): readonly ModelInfo[];
  model(id: string): ModelInfo | undefined;
  route(id: string): ModelRoute | undefined;
  voices(): readonly VoiceInfo[];
}

/** A channel gives the same array from `models()` as long as nothing changed: that is what change is told by. */
export function createRegistry(channels: readonly RegisteredChannel[]): Registry {
  let seen: readonly (readonly ModelInfo[])[] = [];
  let routes = new Map<string, ModelRoute>();
  let models: readonly ModelInfo[] = [];

  const refresh = () => {
    if (seen.length === channels.length && channels.every(({ channel }, at) => channel.models() === seen[at])) return;
    seen = channels.map(({ channel }) => channel.models());
    routes = new Map();
    for (const { channel, prefix } of channels) {
      for (const info of channel.models()) {
        const id = prefix === undefined ? info.id : `${prefix}/${info.id}`;
        if (!routes.has(id)) routes.set(id, { channel, channelModel: info.id, info: { ...info, id } });
      }
    }
    models = Array.from(routes.values(), (route) => route.info);
  };

  const route = (id: string) => {
    refresh();
    return routes.get(id);
  };

  return {
    models: () => {
      refresh();
      return models;
    },
    model: (id) => route(id)?.info,
    route,
    voices: () => {
      const byId = new Map<string, VoiceInfo>();
      for (const voice of channels.flatMap(({ channel }) => channel.voices())) {
        if (!byId.has(voice.id)) byId.set(voice.id, voice);
      }
      return [...byId.values()];
    },
  };
}

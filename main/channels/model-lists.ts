// Waits for the model lists of channels, which are loaded over the network.

import type { Channel } from "../contract/channel.ts";
import type { Routing } from "../contract/channels.ts";
import type { Channels } from "./config/channels.ts";

export type ModelListsDeps = {
  local: Pick<Channel, "models">;
  channels: Pick<Channels, "registered" | "ready">;
  routing(): Routing;
};

/**
 * Resolves when the model lists of all channels are loaded or have failed for now. If only this machine can serve
 * `model`, resolves at once.
 */
export async function modelListsReady(
  { local, channels, routing }: ModelListsDeps,
  model?: string,
): Promise<void> {
  const { aliases, prefer } = routing();
  const mayUseUpstream =
    model === undefined ||
    prefer !== "listed" ||
    Object.hasOwn(aliases, model) ||
    !local.models().some(({ id }) => id === model);
  if (mayUseUpstream && channels.registered().length > 0) await channels.ready();
}

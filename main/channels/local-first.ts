// The local channel in front of the configured ones.

import type { LocalChannel } from "../contract/channel.ts";
import { createHealth } from "./health.ts";
import type { RegisteredChannel } from "./registry.ts";

/** Returns the same array while the other channels are unchanged. */
export function withLocalFirst(
  channel: LocalChannel,
  upstreamChannels: () => readonly RegisteredChannel[],
): () => readonly RegisteredChannel[] {
  const local: RegisteredChannel = { channel, priority: 0, weight: 1, health: createHealth() };
  let lastUpstream: readonly RegisteredChannel[] | undefined;
  let all: readonly RegisteredChannel[] = [];
  return () => {
    const now = upstreamChannels();
    if (now !== lastUpstream) all = [local, ...(lastUpstream = now)];
    return all;
  };
}

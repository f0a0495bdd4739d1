// Tells windows when a channel fares differently, or has other models: looked at from time to time while a window
// listens, since a channel that rests recovers without anything that happens.

import type { ChannelView } from "../contract/channels.ts";
import type { StudioEvents } from "./events.ts";

export type ChannelWatch = { close(): void };

const defaultEveryMs = 1000;

export function createChannelWatch({
  list,
  events,
  everyMs = defaultEveryMs,
}: {
  list(): readonly ChannelView[];
  events: StudioEvents;
  everyMs?: number;
}): ChannelWatch {
  let seen: { health: string; rest: string } | undefined;

  function look(): void {
    if (!events.isHeard()) {
      // Who comes later reads what there is by itself.
      seen = undefined;
      return;
    }
    const channels = list();
    const now = {
      health: JSON.stringify(channels.map(({ health }) => health)),
      rest: JSON.stringify(channels.map((channel) => ({ ...channel, health: undefined }))),
    };
    const before = seen;
    seen = now;
    if (before?.health === now.health && before.rest === now.rest) return;
    // What changed since a window read, before the first look, nobody knows: it is told to look again.
    events.publish(
      before === undefined || before.rest === now.rest
        ? { type: "channels", isHealthOnly: true }
        : { type: "channels" },
    );
  }

  const timer = setInterval(look, everyMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

// Tells windows when a channel fares differently, or has other models: looked at from time to time while a window
// listens, since a channel that rests recovers without anything that happens.

import type { ChannelView } from "../contract/channels.ts";
import type { StudioEvents } from "./events.ts";

export type ChannelWatcher = { close(): void };

const defaultIntervalMs = 1000;

export function createChannelWatcher({
  list,
  events,
  intervalMs = defaultIntervalMs,
}: {
  list(): readonly ChannelView[];
  events: StudioEvents;
  intervalMs?: number;
}): ChannelWatcher {
  let lastSnapshot: { health: string; withoutHealth: string } | undefined;

  function check(): void {
    if (!events.hasSubscribers()) {
      // Who comes later reads what there is by itself.
      lastSnapshot = undefined;
      return;
    }
    const channels = list();
    const snapshot = {
      health: JSON.stringify(channels.map(({ health }) => health)),
      withoutHealth: JSON.stringify(channels.map((channel) => ({ ...channel, health: undefined }))),
    };
    const previous = lastSnapshot;
    lastSnapshot = snapshot;
    if (previous?.health === snapshot.health && previous.withoutHealth === snapshot.withoutHealth)
      return;
    // What changed since a window read, before the first look, nobody knows: it is told to look again.
    events.publish(
      previous === undefined || previous.withoutHealth === snapshot.withoutHealth
        ? { type: "channels", isHealthOnly: true }
        : { type: "channels" },
    );
  }

  const timer = setInterval(check, intervalMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

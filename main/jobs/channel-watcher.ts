// Publishes changes of channels, such as their health or models. It polls while a window is connected, since a resting
// channel recovers without any event.

import type { ChannelView } from "../contract/channels.ts";
import type { AppEvents } from "./events.ts";

export type ChannelWatcher = { close(): void };

const defaultIntervalMs = 1000;

export function createChannelWatcher({
  list,
  events,
  intervalMs = defaultIntervalMs,
}: {
  list(): readonly ChannelView[];
  events: AppEvents;
  intervalMs?: number;
}): ChannelWatcher {
  let lastSnapshot: { health: string; withoutHealth: string } | undefined;

  function check(): void {
    if (!events.hasSubscribers()) {
      // A window that connects later reads the current state itself.
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
    // Changes between the window's read and the first poll are unknown, so the first poll always publishes.
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

import { expect, it, onTestFinished, vi } from "vitest";
import type { ChannelView } from "../../../main/contract/channels.ts";
import { createChannelWatcher } from "../../../main/jobs/channel-watcher.ts";
import { createAppEvents } from "../../../main/jobs/events.ts";

const channel = (failures: number, models = 3): ChannelView =>
  ({ id: "a", models, health: { state: "closed", successes: 1, failures } }) as ChannelView;

it("publishes changed health at most once per poll, and marks changes of health only", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let channels = [channel(0)];
  let looks = 0;
  const bus = createAppEvents();
  const published: unknown[] = [];
  const events = { ...bus, publish: (event: unknown) => void published.push(event) };
  const watch = createChannelWatcher({
    list: () => ((looks += 1), channels),
    events,
    intervalMs: 100,
  });
  onTestFinished(watch.close);
  vi.advanceTimersByTime(1000);
  expect(looks).toBe(0);
  const listener = bus.subscribe();
  vi.advanceTimersByTime(200);
  // A subscriber may have read the channels just before they changed.
  expect(published.splice(0)).toEqual([{ type: "channels", isHealthOnly: true }]);
  for (let failures = 1; failures < 50; failures += 1) channels = [channel(failures)];
  vi.advanceTimersByTime(300);
  expect(published).toEqual([{ type: "channels", isHealthOnly: true }]);
  channels = [channel(49, 4)];
  vi.advanceTimersByTime(100);
  expect(published.at(-1)).toEqual({ type: "channels" });
  listener.close();
  channels = [channel(0)];
  vi.advanceTimersByTime(300);
  expect(published).toHaveLength(2);
});

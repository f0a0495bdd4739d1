import { expect, it } from "vitest";
import type { AppEvent } from "../../../main/contract/app-event.ts";
import type { Item } from "../../../main/contract/library-item.ts";
import { createAppEvents } from "../../../main/jobs/events.ts";

const itemEvent = (id: string, progress: number): AppEvent => ({
  type: "item",
  item: { id, progress } as Item,
});
const removed = (id: string): AppEvent => ({ type: "item-removed", id });

it("sends every event to every subscriber, in order", async () => {
  const events = createAppEvents();
  const [one, other] = [events.subscribe(), events.subscribe()];
  const early = one.next();
  events.publish(removed("a"));
  events.publish({ type: "channels" });
  expect([await early, await one.next()]).toEqual([removed("a"), { type: "channels" }]);
  expect([await other.next(), await other.next()]).toEqual([removed("a"), { type: "channels" }]);
});

it("sends only the latest state of an item to a slow subscriber", async () => {
  const events = createAppEvents();
  const slow = events.subscribe();
  for (let progress = 0; progress < 5000; progress += 1) events.publish(itemEvent("a", progress));
  events.publish(itemEvent("b", 1));
  expect([await slow.next(), await slow.next()]).toEqual([itemEvent("a", 4999), itemEvent("b", 1)]);
});

it("ends a subscription that is too far behind, and all of them when it closes", async () => {
  const events = createAppEvents();
  const stuck = events.subscribe();
  const waiting = events.subscribe();
  const coming = waiting.next();
  for (let at = 0; at < 2001; at += 1) events.publish(removed(`${at}`));
  expect(await stuck.next()).toBeUndefined();
  expect(await coming).toEqual(removed("0"));
  const idle = createAppEvents();
  const last = idle.subscribe().next();
  idle.close();
  expect(await last).toBeUndefined();
  expect(await idle.subscribe().next()).toBeUndefined();
});

it("reports to a slow subscriber that an item was restored after its removal", async () => {
  const events = createAppEvents();
  const slow = events.subscribe();
  for (const event of [itemEvent("a", 0), removed("a"), itemEvent("a", 1)]) events.publish(event);
  expect([await slow.next(), await slow.next()]).toEqual([removed("a"), itemEvent("a", 1)]);
});

it("counts only windows as subscribers", () => {
  const events = createAppEvents();
  events.onEvent(() => {});
  expect(events.hasSubscribers()).toBe(false);
  const window = events.subscribe();
  expect(events.hasSubscribers()).toBe(true);
  window.close();
  expect(events.hasSubscribers()).toBe(false);
});

it("calls a listener for every event as it is published, until it unsubscribes", () => {
  const events = createAppEvents();
  const received: string[] = [];
  const stop = events.onEvent(({ type }) => received.push(type));
  events.publish({ type: "channels" });
  events.publish({ type: "channels" });
  stop();
  events.publish({ type: "preferences" });
  expect(received).toEqual(["channels", "channels"]);
});

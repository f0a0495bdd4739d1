// Publishes events to all connected windows. Nothing is stored for others: a window reads the current state when it
// (re)connects.

import type { AppEvent } from "../contract/app-event.ts";
import type { UsageRecord } from "../contract/usage.ts";

export type Subscription = {
  /**
   * The next event; undefined if the subscription was closed or fell too far behind. Then the window must reconnect.
   */
  next(): Promise<AppEvent | undefined>;
  close(): void;
};

export type AppEvents = {
  publish(event: AppEvent): void;
  subscribe(): Subscription;
  /** True if at least one window is subscribed. */
  hasSubscribers(): boolean;
  /** For use within the app: called with each event as it is published. @returns a function to unsubscribe */
  onEvent(listener: (event: AppEvent) => void): () => void;
  /** Ends every subscription. */
  close(): void;
};

/** Whether only the later one matters: the state of the same item, or what is said so far. */
const isSupersededBy = (event: AppEvent, later: AppEvent): boolean =>
  (event.type === "item" && later.type === "item" && event.item.id === later.item.id) ||
  (event.type === "draft" &&
    later.type === "draft" &&
    event.itemId === later.itemId &&
    event.startSec === later.startSec);

/** A window that has this many unread events must reconnect. */
const maxQueuedEvents = 2000;

export function createAppEvents(): AppEvents {
  const subscribers = new Set<{ enqueue(event: AppEvent): void; end(): void }>();
  const listeners = new Set<(event: AppEvent) => void>();
  let isClosed = false;

  return {
    publish(event) {
      for (const subscriber of subscribers) subscriber.enqueue(event);
      for (const listener of listeners) listener(event);
    },
    subscribe() {
      let queued: AppEvent[] = [];
      let pendingNext: PromiseWithResolvers<AppEvent | undefined> | undefined;
      let isEnded = isClosed;
      const subscriber = {
        enqueue(event: AppEvent) {
          if (pendingNext !== undefined) {
            pendingNext.resolve(event);
            pendingNext = undefined;
            return;
          }
          // It goes to the end, since the item may have been removed in between.
          const supersededIndex = queued.findIndex((other) => isSupersededBy(other, event));
          if (supersededIndex >= 0) queued.splice(supersededIndex, 1);
          queued.push(event);
          if (queued.length > maxQueuedEvents) end();
        },
        end,
      };
      function end(): void {
        isEnded = true;
        queued = [];
        subscribers.delete(subscriber);
        pendingNext?.resolve(undefined);
        pendingNext = undefined;
      }
      if (!isEnded) subscribers.add(subscriber);
      return {
        next() {
          const event = queued.shift();
          if (event !== undefined || isEnded) return Promise.resolve(event);
          pendingNext ??= Promise.withResolvers();
          return pendingNext.promise;
        },
        close: end,
      };
    },
    onEvent(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    hasSubscribers: () => subscribers.size > 0,
    close() {
      isClosed = true;
      for (const subscriber of subscribers) subscriber.end();
    },
  };
}

/** An entry of the live request log: usage of a request without its content. */
export function toRequestEvent({
  atMs,
  key,
  endpoint,
  model,
  channel,
  status,
  durationMs,
  audioSec,
  characters,
}: UsageRecord): AppEvent {
  const amounts = {
    ...(audioSec === undefined ? {} : { audioSec }),
    ...(characters === undefined ? {} : { characters }),
  };
  return {
    type: "request",
    request: { atMs, key, endpoint, model, channel, status, durationMs, ...amounts },
  };
}

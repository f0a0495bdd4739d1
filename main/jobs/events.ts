// What happens, announced to every window that is open. Nothing is kept for those that are not: a window reads what
// there is when it (re)connects.

import type { StudioEvent } from "../contract/studio.ts";
import type { UsageRecord } from "../contract/usage.ts";

export type Subscription = {
  /** The next event; undefined once it is over: closed, or too far behind, so that it is to begin anew. */
  next(): Promise<StudioEvent | undefined>;
  close(): void;
};

export type StudioEvents = {
  publish(event: StudioEvent): void;
  subscribe(): Subscription;
  /** A window listens: somebody who subscribed. */
  hasSubscribers(): boolean;
  /** For the app itself: every event from now on, as it is published. @returns how to stop */
  onEvent(listener: (event: StudioEvent) => void): () => void;
  /** Ends every subscription. */
  close(): void;
};

/** A window that reads nothing for so many events has better begin anew. */
const maxQueuedEvents = 2000;

export function createStudioEvents(): StudioEvents {
  const subscribers = new Set<{ enqueue(event: StudioEvent): void; end(): void }>();
  const listeners = new Set<(event: StudioEvent) => void>();
  let isClosed = false;

  return {
    publish(event) {
      for (const subscriber of subscribers) subscriber.enqueue(event);
      for (const listener of listeners) listener(event);
    },
    subscribe() {
      let queued: StudioEvent[] = [];
      let pendingNext: PromiseWithResolvers<StudioEvent | undefined> | undefined;
      let isEnded = isClosed;
      const subscriber = {
        enqueue(event: StudioEvent) {
          if (pendingNext !== undefined) {
            pendingNext.resolve(event);
            pendingNext = undefined;
            return;
          }
          // Of an item only the latest state is of interest: behind all else, as it may have been removed between.
          const supersededIndex =
            event.type === "item"
              ? queued.findIndex(
                  (other) => other.type === "item" && other.item.id === event.item.id,
                )
              : -1;
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

/** A line of the live log: what a request used, without what it held. */
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
}: UsageRecord): StudioEvent {
  const amounts = {
    ...(audioSec === undefined ? {} : { audioSec }),
    ...(characters === undefined ? {} : { characters }),
  };
  return {
    type: "request",
    request: { atMs, key, endpoint, model, channel, status, durationMs, ...amounts },
  };
}

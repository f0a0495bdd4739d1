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
  isHeard(): boolean;
  /** For the app itself: every event from now on, as it is published. @returns how to stop */
  listen(listener: (event: StudioEvent) => void): () => void;
  /** Ends every subscription. */
  close(): void;
};

/** A window that reads nothing for so many events has better begin anew. */
const maxWaiting = 2000;

export function createStudioEvents(): StudioEvents {
  const subscribers = new Set<{ take(event: StudioEvent): void; end(): void }>();
  const listeners = new Set<(event: StudioEvent) => void>();
  let isClosed = false;

  return {
    publish(event) {
      for (const subscriber of subscribers) subscriber.take(event);
      for (const tell of listeners) tell(event);
    },
    subscribe() {
      let waiting: StudioEvent[] = [];
      let wanted: PromiseWithResolvers<StudioEvent | undefined> | undefined;
      let hasEnded = isClosed;
      const subscriber = {
        take(event: StudioEvent) {
          if (wanted !== undefined) {
            wanted.resolve(event);
            wanted = undefined;
            return;
          }
          // Of an item only the latest state is of interest: behind all else, as it may have been removed between.
          const before =
            event.type === "item"
              ? waiting.findIndex(
                  (other) => other.type === "item" && other.item.id === event.item.id,
                )
              : -1;
          if (before >= 0) waiting.splice(before, 1);
          waiting.push(event);
          if (waiting.length > maxWaiting) end();
        },
        end,
      };
      function end(): void {
        hasEnded = true;
        waiting = [];
        subscribers.delete(subscriber);
        wanted?.resolve(undefined);
        wanted = undefined;
      }
      if (!hasEnded) subscribers.add(subscriber);
      return {
        next() {
          const event = waiting.shift();
          if (event !== undefined || hasEnded) return Promise.resolve(event);
          wanted ??= Promise.withResolvers();
          return wanted.promise;
        },
        close: end,
      };
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isHeard: () => subscribers.size > 0,
    close() {
      isClosed = true;
      for (const subscriber of subscribers) subscriber.end();
    },
  };
}

/** A line of the live log: what a request used, without what it held. */
export function requestEvent({
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

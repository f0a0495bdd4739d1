// What the app pushes to the window: one stream for all, opened again whenever it breaks. Listeners hear events; those
// of `onOpen` refetch what may have changed while nobody listened.

import { studioEvent, type StudioEvent } from "../../main/contract/studio.ts";

export type EventStream = {
  subscribe(listener: (event: StudioEvent) => void): () => void;
  /** Told at every opening, the first included, and of every break. */
  onState(listener: (isOpen: boolean) => void): () => void;
  close(): void;
};

const minRetryMs = 500;
const maxRetryMs = 10_000;

function addListener<Listener>(set: Set<Listener>, listener: Listener): () => void {
  set.add(listener);
  return () => void set.delete(listener);
}

export function createEventStream(open: () => EventSource): EventStream {
  const listeners = new Set<(event: StudioEvent) => void>();
  const stateListeners = new Set<(isOpen: boolean) => void>();
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retryMs = minRetryMs;
  const connect = () => {
    source = open();
    source.addEventListener("open", () => {
      retryMs = minRetryMs;
      for (const notify of stateListeners) notify(true);
    });
    source.addEventListener("message", ({ data }: MessageEvent<string>) => {
      const event = studioEvent.safeParse(JSON.parse(data));
      // An event this page does not know is of a newer app: left to the next load.
      if (event.success) for (const notify of listeners) notify(event.data);
    });
    source.addEventListener("error", () => {
      for (const notify of stateListeners) notify(false);
      // The browser retries by itself, but not after a refusal: then it closes for good.
      source?.close();
      clearTimeout(timer);
      timer = setTimeout(connect, retryMs);
      retryMs = Math.min(maxRetryMs, retryMs * 2);
    });
  };
  connect();
  return {
    subscribe: (listener) => addListener(listeners, listener),
    onState: (listener) => addListener(stateListeners, listener),
    close() {
      clearTimeout(timer);
      source?.close();
    },
  };
}

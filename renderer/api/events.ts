// Events that the app pushes to the window: one stream, reopened after every break. Events during a break are lost, so
// subscribers refetch in `onState`.

import { appEvent, type AppEvent } from "../../main/contract/app-event.ts";

export type EventStream = {
  subscribe(listener: (event: AppEvent) => void): () => void;
  /** Called whenever the stream opens (also the first time) and whenever it breaks. */
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
  const listeners = new Set<(event: AppEvent) => void>();
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
      const event = appEvent.safeParse(JSON.parse(data));
      // Unknown events come from a newer version of the app; ignore them until the page is reloaded.
      if (event.success) for (const notify of listeners) notify(event.data);
    });
    source.addEventListener("error", () => {
      for (const notify of stateListeners) notify(false);
      // The browser reconnects by itself, except after an HTTP error: then it closes the stream permanently.
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

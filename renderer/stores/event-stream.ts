// The one stream of events of this window, and whether it is open. Stores that keep what it tells subscribe here.

import { create } from "zustand";
import { appUrl } from "../api/base.ts";
import { createEventStream, type EventStream } from "../api/events.ts";

/** Whether the app answers; `isOpen` is undefined until the first answer. */
export const useConnection = create<{ isOpen: boolean | undefined }>(() => ({ isOpen: undefined }));

let stream: EventStream | undefined;

/** Opened at the first use, for the life of the page. */
export function eventStream(): EventStream {
  if (stream === undefined) {
    stream = createEventStream(() => new EventSource(appUrl("/app/events")));
    stream.onState((isOpen) => useConnection.setState({ isOpen }));
  }
  return stream;
}

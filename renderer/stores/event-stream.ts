// The window's event stream and whether it is open. Stores subscribe here.

import { create } from "zustand";
import { appUrl } from "../api/base.ts";
import { createEventStream, type EventStream } from "../api/events.ts";

/** Whether the app responds; `isOpen` is undefined until the first attempt. */
export const useConnection = create<{ isOpen: boolean | undefined }>(() => ({ isOpen: undefined }));

let stream: EventStream | undefined;

/** Opened at first use, for as long as the page is open. */
export function eventStream(): EventStream {
  if (stream === undefined) {
    stream = createEventStream(() => new EventSource(appUrl("/app/events")));
    stream.onState((isOpen) => useConnection.setState({ isOpen }));
  }
  return stream;
}

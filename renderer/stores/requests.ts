// The latest API requests, as announced by events. Kept while the window is open.

import { create } from "zustand";
import type { AppEvent } from "../../main/contract/app-event.ts";

export type LoggedRequest = Extract<AppEvent, { type: "request" }>["request"] & {
  readonly id: number;
};

const maxRequests = 1000;
let nextId = 1;

/** Newest first. */
export const useRequests = create<{ requests: readonly LoggedRequest[] }>(() => ({ requests: [] }));

export const logRequest = (request: Omit<LoggedRequest, "id">) =>
  useRequests.setState(({ requests }) => ({
    requests: [{ ...request, id: nextId++ }, ...requests].slice(0, maxRequests),
  }));
export const clearRequests = () => useRequests.setState({ requests: [] });

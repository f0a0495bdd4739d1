// Filter of the request log.

import type { LoggedRequest } from "../../stores/requests.ts";

export type LogFilter = {
  readonly endpoint: string;
  readonly onlyFailed: boolean;
  /** Searched in model, channel and key. */
  readonly text: string;
};

export const matches = (
  request: Omit<LoggedRequest, "id">,
  { endpoint, onlyFailed, text }: LogFilter,
) =>
  (endpoint === "" || request.endpoint === endpoint) &&
  (!onlyFailed || request.status >= 400) &&
  [request.model, request.channel, request.key].some((part) =>
    part.toLowerCase().includes(text.trim().toLowerCase()),
  );

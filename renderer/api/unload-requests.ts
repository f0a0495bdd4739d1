// The last requests of a page that is being closed. They outlive the page, so their responses are not read.

import { request } from "./client.ts";

/** Browsers send at most 64 KiB (all requests together) for a page that is closed. */
const maxBytes = 60_000;

export type UnloadRequest = {
  readonly path: string;
  readonly method: "PUT" | "PATCH";
  readonly fields: object;
};

type UnloadSource = {
  readonly listRequests: () => readonly UnloadRequest[];
  readonly save: () => void;
};

const sources: UnloadSource[] = [];
const unloadRequests = (): { body: string; unloadRequest: UnloadRequest }[] =>
  sources
    .flatMap(({ listRequests }) =>
      listRequests().map((unloadRequest) => ({
        unloadRequest,
        body: JSON.stringify(unloadRequest.fields),
      })),
    )
    .sort((one, other) => one.body.length - other.body.length);

/**
 * `listRequests` returns the requests for all unsaved changes. If they are too large to be sent while the page closes,
 * the browser asks the user to stay, and `save` sends them meanwhile.
 */
export function sendOnUnload(
  listRequests: UnloadSource["listRequests"],
  save: UnloadSource["save"],
): void {
  if (sources.length === 0) watch();
  sources.push({ listRequests, save });
}

function watch(): void {
  addEventListener("beforeunload", (event) => {
    const bytes = unloadRequests().reduce((sum, { body }) => sum + new Blob([body]).size, 0);
    if (bytes > maxBytes) event.preventDefault();
    for (const { save } of sources) save();
  });
  addEventListener("pagehide", () => {
    // Smallest first, so that a large one that does not fit prevents no other.
    for (const { body, unloadRequest } of unloadRequests()) {
      void request(unloadRequest.path, {
        method: unloadRequest.method,
        body,
        headers: { "content-type": "application/json" },
        keepalive: true,
      }).catch(() => undefined);
    }
  });
}

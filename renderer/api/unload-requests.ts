// The last requests of a page that goes away: they outlive it, and nobody hears their answers.

import { request } from "./client.ts";

/** Browsers send 64 KiB at most on behalf of a page that is gone, all requests together. */
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

/** `listRequests` tells what would be lost if the page went away now. Where all of it is too much to be sent, the person is asked first; `save` sends it meanwhile. */
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
    // The smallest first: what does not fit goes alone.
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

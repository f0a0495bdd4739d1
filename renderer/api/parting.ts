// The last requests of a page that goes away: they outlive it, and nobody hears their answers.

import { request } from "./client.ts";

/** Browsers send 64 KiB at most on behalf of a page that is gone, all requests together. */
const maxBytes = 60_000;

export type Parting = {
  readonly path: string;
  readonly method: "PUT" | "PATCH";
  readonly fields: object;
};

type Source = { readonly list: () => readonly Parting[]; readonly save: () => void };

const sources: Source[] = [];
const partings = (): { body: string; parting: Parting }[] =>
  sources
    .flatMap(({ list }) =>
      list().map((parting) => ({ parting, body: JSON.stringify(parting.fields) })),
    )
    .sort((one, other) => one.body.length - other.body.length);

/** `list` tells what would be lost if the page went away now. Where all of it is too much to be sent, the person is asked first; `save` sends it meanwhile. */
export function sendWhenParting(list: Source["list"], save: Source["save"]): void {
  if (sources.length === 0) watch();
  sources.push({ list, save });
}

function watch(): void {
  addEventListener("beforeunload", (event) => {
    const bytes = partings().reduce((sum, { body }) => sum + new Blob([body]).size, 0);
    if (bytes > maxBytes) event.preventDefault();
    for (const { save } of sources) save();
  });
  addEventListener("pagehide", () => {
    // The smallest first: what does not fit goes alone.
    for (const { body, parting } of partings()) {
      void request(parting.path, {
        method: parting.method,
        body,
        headers: { "content-type": "application/json" },
        keepalive: true,
      }).catch(() => undefined);
    }
  });
}

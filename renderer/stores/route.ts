// The open page: `#/library/some-id?at=12` is page `library`, rest `['some-id']`, query `at=12`. In the hash, so that
// reload and back work without routes on the server.

import { useSyncExternalStore } from "react";

export const pages = [
  "transcribe",
  "narrate",
  "library",
  "models",
  "channels",
  "server",
  "settings",
  "welcome",
] as const;
/** Paths of windows of their own, which the desktop opens; not in the hash. */
export const dictationPath = "/dictate";
export const captionsPath = "/captions";
export type PageName = (typeof pages)[number];
export type Route = {
  readonly page: PageName;
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
};

/** Unknown paths open the first page. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split("?");
  const [first, ...rest] = path
    .split("/")
    .filter((part) => part !== "")
    .map(decodePart);
  return {
    page: pages.find((page) => page === first) ?? "transcribe",
    rest,
    query: new URLSearchParams(query),
  };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

let hash: string | undefined;
let route: Route = parseRoute("");
function currentRoute(): Route {
  if (location.hash !== hash) route = parseRoute((hash = location.hash));
  return route;
}

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

export const useRoute = (): Route => useSyncExternalStore(subscribe, currentRoute);

/** Opens a page: `go('/library')`. `replace` adds no history entry. */
export function go(path: string, { replace = false } = {}): void {
  if (replace) location.replace(`#${path}`);
  else location.hash = path;
}

// The server listens below a secret path, which is the first segment of the page's own address. Each run of the app has
// a new one; an open page learns it from pages of the new run (stores/base-path-sync.ts).

const firstPathSegment = (pathname: string): string => /^\/[\w-]+(?=\/)/.exec(pathname)?.[0] ?? "";

// In tests there is no `location`.
let basePath = firstPathSegment(globalThis.location?.pathname ?? "/");

export const currentBasePath = (): string => basePath;

/** Address of an app path: `/app/…` or any other path of the page. */
export const appUrl = (path: string): string => `${basePath}${path}`;

/** Later requests go to this path, and a reload opens the page there. */
export function changeBasePath(path: string): void {
  history.replaceState(
    history.state,
    "",
    path + location.pathname.slice(basePath.length) + location.search + location.hash,
  );
  basePath = path;
}

/** Addresses outside `/app` and `/v1` are complete already and stay as they are. */
export const withBasePath = (address: string): string =>
  /^\/(app|v1)\//.test(address) ? appUrl(address) : address;

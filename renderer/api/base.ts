// Where the app answers: below the secret path that the page's own address begins with. Each run of the app has a new
// one; a page that is still open learns it from pages of the new run (stores/newer-run.ts).

const firstPathSegment = (pathname: string): string => /^\/[\w-]+(?=\/)/.exec(pathname)?.[0] ?? "";

// Tests have no address.
let basePath = firstPathSegment(globalThis.location?.pathname ?? "/");

export const currentBasePath = (): string => basePath;

/** Of an address of the app, `/app/…` or another path of the page. */
export const appUrl = (path: string): string => `${basePath}${path}`;

/** From now on the app is asked below this path, and a reload finds the page there. */
export function changeBasePath(path: string): void {
  history.replaceState(
    history.state,
    "",
    path + location.pathname.slice(basePath.length) + location.search + location.hash,
  );
  basePath = path;
}

/** An address that was made complete already stays as it is. */
export const withBasePath = (address: string): string =>
  /^\/(app|v1)\//.test(address) ? appUrl(address) : address;

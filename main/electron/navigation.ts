// Restricts navigation to our own pages: blocks new windows and other addresses, and opens web links in the system's
// browser.

import type { App, Shell, WebContents } from "electron";

export type NavigationDeps = {
  app: Pick<App, "on">;
  shell: Pick<Shell, "openExternal">;
  /** Origin of our pages. */
  origin: string;
  /** URL of the API, whose documentation may be opened in the browser; undefined while it is closed. */
  apiUrl(): string | undefined;
};

export function guardNavigation({ app, shell, origin, apiUrl }: NavigationDeps): void {
  function openInBrowser(address: string): void {
    if (isAllowedInBrowser(address, apiUrl())) void shell.openExternal(address).catch(() => {});
  }

  /** @returns whether it leads to one of our pages */
  function blockForeignNavigation(details: { url: string; preventDefault(): void }): boolean {
    const isOwnPage = URL.parse(details.url)?.origin === origin;
    if (!isOwnPage) details.preventDefault();
    return isOwnPage;
  }

  app.on("web-contents-created", (_event, contents: WebContents) => {
    contents.setWindowOpenHandler(({ url }) => {
      openInBrowser(url);
      return { action: "deny" };
    });
    // Emitted first, for every frame; if it is prevented, `will-navigate` is not emitted.
    contents.on("will-frame-navigate", (details) => {
      if (!blockForeignNavigation(details) && details.isMainFrame) openInBrowser(details.url);
    });
    contents.on("will-navigate", blockForeignNavigation);
    contents.on("will-redirect", blockForeignNavigation);
    contents.on("will-attach-webview", (event) => event.preventDefault());
  });
}

/** Web pages over https without credentials in the URL, and the API's own documentation. */
export function isAllowedInBrowser(address: string, apiUrl: string | undefined): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "") return false;
  return (
    url.protocol === "https:" ||
    (apiUrl !== undefined && url.href.split("#")[0] === new URL("/docs", apiUrl).href)
  );
}

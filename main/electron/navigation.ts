// Our pages lead nowhere but to one another: new windows and other addresses are refused, links to the web open in the
// system's browser.

import type { App, Shell, WebContents } from "electron";

export type NavigationDeps = {
  app: Pick<App, "on">;
  shell: Pick<Shell, "openExternal">;
  /** Of our pages. */
  origin: string;
  /** Of the API, whose documentation may be opened in the browser too; undefined while it is closed. */
  apiUrl(): string | undefined;
};

export function guardNavigation({ app, shell, origin, apiUrl }: NavigationDeps): void {
  function openInBrowser(address: string): void {
    if (isAllowedInBrowser(address, apiUrl())) void shell.openExternal(address).catch(() => {});
  }

  /** @returns whether it leads to a page of ours */
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
    // Comes first, for every frame; where it is refused `will-navigate` does not come any more.
    contents.on("will-frame-navigate", (details) => {
      if (!blockForeignNavigation(details) && details.isMainFrame) openInBrowser(details.url);
    });
    contents.on("will-navigate", blockForeignNavigation);
    contents.on("will-redirect", blockForeignNavigation);
    contents.on("will-attach-webview", (event) => event.preventDefault());
  });
}

/** Of the web by https, without a name or password in it; or the API's own documentation. */
export function isAllowedInBrowser(address: string, apiUrl: string | undefined): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "") return false;
  return (
    url.protocol === "https:" ||
    (apiUrl !== undefined && url.href.split("#")[0] === new URL("/docs", apiUrl).href)
  );
}

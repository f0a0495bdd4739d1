// The proxy of the system's settings, or of the script that they name.

import type { App } from "electron";

/**
 * @returns its address; undefined if the connection is direct, or only a kind of proxy is offered that we cannot use
 */
export async function findSystemProxy(
  app: Pick<App, "resolveProxy">,
  url: string,
): Promise<string | undefined> {
  // In order of preference: `PROXY a.example:8080; HTTPS b.example:443; DIRECT`.
  for (const entry of (await app.resolveProxy(url)).split(";")) {
    const [kind = "", host = ""] = entry.trim().split(/\s+/);
    if (kind === "DIRECT") return undefined;
    if (kind === "PROXY" || kind === "HTTPS")
      return `${kind === "PROXY" ? "http" : "https"}://${host}`;
  }
  return undefined;
}

// Addresses derived from the API's base URL.

import type { AppInfo } from "../../../main/contract/window-api.ts";

/** The API's documentation, on the same host as `/v1`. */
export const docsUrl = (baseUrl: string) => new URL("/docs", baseUrl).href;

/** URLs of a path of the API for other machines, one for each address of this machine. */
export const networkUrls = (
  { addresses, port }: Pick<AppInfo, "addresses" | "port">,
  path = "/v1",
): string[] =>
  addresses.map(
    (address) => `http://${address.includes(":") ? `[${address}]` : address}:${port}${path}`,
  );

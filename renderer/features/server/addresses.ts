// Addresses that follow from where the API is.

import type { AppInfo } from "../../../main/contract/studio-api.ts";

/** The API's own page, which is beside `/v1`. */
export const docsUrl = (baseUrl: string) => new URL("/docs", baseUrl).href;

/** The base URL as other machines reach it, one for each address of this machine. */
export const networkUrls = ({ addresses, port }: Pick<AppInfo, "addresses" | "port">) =>
  addresses.map(
    (address) => `http://${address.includes(":") ? `[${address}]` : address}:${port}/v1`,
  );

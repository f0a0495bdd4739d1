// Keeps other web pages off the window port by headers that scripts cannot set: Host (with DNS rebinding there is no
// Origin), Origin, and Sec-Fetch-*. Sessions are checked after it.

import { AppError } from "../../contract/errors.ts";

const ownHostnames: readonly string[] = ["127.0.0.1", "localhost", "[::1]"];

/** @throws AppError `misdirected`, `forbidden_origin` */
export function checkWindowRequest({ url, headers, method }: Request, port: number): void {
  const { host, hostname, pathname } = new URL(url);
  if (!ownHostnames.includes(hostname) || host !== `${hostname}:${port}`) {
    throw new AppError("window.misdirected", { host: host.slice(0, 200) });
  }
  const origin = headers.get("origin");
  if (origin !== null && origin !== `http://${host}`) throw forbiddenOriginError();
  // Browsers treat other ports of this machine as the same site, but their pages are foreign.
  const site = headers.get("sec-fetch-site");
  if (site === null || site === "same-origin" || site === "none") return;
  const isNavigation =
    method === "GET" &&
    headers.get("sec-fetch-mode") === "navigate" &&
    headers.get("sec-fetch-dest") === "document";
  // Links from elsewhere may open the page, but not the API.
  if (!isNavigation || isGatewayPath(pathname)) throw forbiddenOriginError();
}

/** Paths of the API on the window port. */
export const isGatewayPath = (pathname: string): boolean => /^\/(app|v1)(\/|$)/.test(pathname);

/** The same below another first path segment: pages of an earlier run still use that run's secret path. */
export const isPrefixedGatewayPath = (pathname: string): boolean =>
  isGatewayPath(pathname.replace(/^\/[^/]+/, ""));

const forbiddenOriginError = () => new AppError("request.originRefused");

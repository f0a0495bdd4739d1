// Keeps other web pages from the window port, by headers that scripts cannot set: to whom the request was addressed
// (a rebound name sends no Origin, only its Host tells), whose page asks, and for what. Sessions come after it.

import { AppError } from "../../contract/errors.ts";

const ownHostnames: readonly string[] = ["127.0.0.1", "localhost", "[::1]"];

/** @throws AppError `misdirected`, `forbidden_origin` */
export function checkWindowRequest({ url, headers, method }: Request, port: number): void {
  const { host, hostname, pathname } = new URL(url);
  if (!ownHostnames.includes(hostname) || host !== `${hostname}:${port}`) {
    throw new AppError(
      "misdirected",
      `The window does not answer to the address '${host.slice(0, 200)}'.`,
    );
  }
  const origin = headers.get("origin");
  if (origin !== null && origin !== `http://${host}`) throw forbiddenOriginError();
  // Another port of this machine counts as the same site: its pages are strangers all the same.
  const site = headers.get("sec-fetch-site");
  if (site === null || site === "same-origin" || site === "none") return;
  const isNavigation =
    method === "GET" &&
    headers.get("sec-fetch-mode") === "navigate" &&
    headers.get("sec-fetch-dest") === "document";
  // Links from elsewhere lead to the page; what it is served by is not to be visited.
  if (!isNavigation || isGatewayPath(pathname)) throw forbiddenOriginError();
}

/** The gateway's part of the port. */
export const isGatewayPath = (pathname: string): boolean => /^\/(app|v1)(\/|$)/.test(pathname);

/** The same below one more part of a path: the secret one of an earlier run, still requested by its pages. */
export const isPrefixedGatewayPath = (pathname: string): boolean =>
  isGatewayPath(pathname.replace(/^\/[^/]+/, ""));

const forbiddenOriginError = () =>
  new AppError("forbidden_origin", "This address is not for web pages of other origins.");

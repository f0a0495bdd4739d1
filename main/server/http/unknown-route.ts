// The 404 for unknown routes, with a hint at the likely mistake: base URLs are often joined twice or lack the version.

import { AppError } from "../../contract/errors.ts";

const knownPaths = ["/audio/transcriptions", "/audio/translations", "/audio/speech", "/models"];

export function unknownRouteError({ method, url }: Request): AppError {
  const { pathname } = new URL(url);
  const displayPath = pathname.length > 200 ? `${pathname.slice(0, 200)}…` : pathname;
  const route = { method, path: displayPath };
  const path = pathname.replace(/\/+/g, "/").replace(/\/$/, "");
  const matchedPath = knownPaths.find((end) => path.endsWith(end));
  if (matchedPath === undefined || path === `/v1${matchedPath}`)
    return new AppError("request.unknownRoute", route);
  const isJoinedTwice =
    /\/v1\/.*v1\//.test(path) || path.indexOf(matchedPath) !== path.lastIndexOf(matchedPath);
  return new AppError(isJoinedTwice ? "request.doubledRoute" : "request.similarRoute", {
    ...route,
    similar: `/v1${matchedPath}`,
  });
}

// The 404 for an address nobody serves, with a guess at what went wrong: base URLs are often joined twice or
// without their version.

import { AppError } from "../../contract/errors.ts";

const known = ["/audio/transcriptions", "/audio/translations", "/audio/speech", "/models"];

export function unknownRoute({ method, url }: Request): AppError {
  const { pathname } = new URL(url);
  const shown = pathname.length > 200 ? `${pathname.slice(0, 200)}…` : pathname;
  return new AppError("unknown_route", `Invalid URL (${method} ${shown})${hint(pathname)}`);
}

function hint(pathname: string): string {
  const path = pathname.replace(/\/+/g, "/").replace(/\/$/, "");
  const meant = known.find((end) => path.endsWith(end));
  if (meant !== undefined && path !== `/v1${meant}`) {
    const twice = /\/v1\/.*v1\//.test(path) || path.indexOf(meant) !== path.lastIndexOf(meant);
    const why = twice ? " The base URL seems to be joined twice." : "";
    return `. Did you mean /v1${meant}?${why}`;
  }
  return ". The addresses served are listed at /docs.";
}

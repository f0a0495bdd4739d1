// Access control: the Host header (against DNS rebinding), the API key, and CORS. Looks at headers only, so that no
// body is read before the key is checked.

import { AppError } from "../../contract/errors.ts";
import { channelHeader, voiceHeader, warningHeader } from "../../contract/openai.ts";
import type { ApiKeys } from "../../storage/settings/api-keys.ts";
import type { KeyHolder } from "../../storage/settings/issued-keys.ts";

export interface Guard {
  /** @throws AppError if the request was not addressed to this server */
  checkHost(url: string): void;
  /** The holder of the key, or the error for a wrong key. @throws AppError if there is no key */
  checkKey(authorization: string | null): KeyHolder | AppError;
}

/** `host` is the address the server is bound to. */
export function createGuard({ keys, host }: { keys: ApiKeys; host: string }): Guard {
  const ownHost = bareHost(host);
  const acceptsAnyHost = ownHost === "0.0.0.0" || ownHost === "::";
  // Clients keep using one address, and parsing it for every request would cost as much as the rest of the guard.
  let lastAcceptedOrigin = "none";
  return {
    checkHost(url) {
      if (acceptsAnyHost || url.startsWith(lastAcceptedOrigin)) return;
      const { origin, hostname } = new URL(url);
      const requestedHost = bareHost(hostname);
      if (requestedHost === ownHost || isLoopback(requestedHost)) {
        lastAcceptedOrigin = `${origin}/`;
        return;
      }
      throw new AppError("request.hostRefused", { host: requestedHost });
    },
    checkKey(authorization) {
      if (authorization === null || authorization === "") {
        throw new AppError("request.keyMissing");
      }
      const presentedKey = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
      if (presentedKey === undefined) {
        throw new AppError("request.keyMalformed");
      }
      try {
        return keys.verify(presentedKey) ?? new AppError("request.keyInvalid");
      } catch (error) {
        if (error instanceof AppError) return error;
        throw error;
      }
    },
  };
}

/** Owner routes reject other keys and pages of other origins. @throws AppError */
export function checkOwner(holder: KeyHolder, request: Request): void {
  if (!holder.isOwner) throw new AppError("request.ownerOnly");
  if (request.headers.has("origin")) throw new AppError("request.originRefused");
}

/** Lower case, without IPv6 brackets and the final dot of a full domain name. */
function bareHost(host: string): string {
  const name = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  return (name.endsWith(".") ? name.slice(0, -1) : name).toLowerCase();
}

const isLoopback = (host: string) =>
  host === "localhost" ||
  host.endsWith(".localhost") ||
  host === "::1" ||
  /^127(\.\d{1,3}){3}$/.test(host);

const exposedHeaders = [
  "x-request-id",
  channelHeader,
  voiceHeader,
  warningHeader,
  "x-hearsay-partial",
  "content-disposition",
  "retry-after",
].join(", ");
const defaultHeaders =
  "authorization, content-type, openai-organization, openai-project, " +
  "x-stainless-arch, x-stainless-lang, x-stainless-os, x-stainless-package-version, " +
  "x-stainless-retry-count, x-stainless-runtime, x-stainless-runtime-version, x-stainless-timeout";

/** Any origin is allowed: the key protects, and browsers never send it by themselves. */
export function addCorsHeaders(request: Request, headers: Headers): void {
  if (!request.headers.has("origin")) return;
  headers.set("access-control-allow-origin", "*");
  headers.set("access-control-expose-headers", exposedHeaders);
}

/** Response to a browser's preflight request, which has no key. */
export function preflightResponse(request: Request): Response {
  const headers = new Headers({
    "access-control-allow-methods": "GET, HEAD, POST, OPTIONS",
    // Clients add their own headers; a wildcard would not cover `authorization`.
    "access-control-allow-headers":
      request.headers.get("access-control-request-headers") ?? defaultHeaders,
    "access-control-max-age": "86400",
    vary: "access-control-request-headers",
  });
  if (request.headers.get("access-control-request-private-network") === "true") {
    headers.set("access-control-allow-private-network", "true");
  }
  return new Response(null, { status: 204, headers });
}

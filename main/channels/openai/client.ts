// HTTP client for one provider: connection pool, timeouts, redirects, responses of limited size. One attempt per
// request. Sends only its own headers, none of a client's. See transcribe.ts, synthesize.ts and model-list.ts for
// requests and responses.

import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { Pool } from "undici";
import type { Dispatcher } from "undici";
import type { ChannelLimits } from "../../contract/channels.ts";
import { upstreamGatewaysHeader, viaHeader } from "../../contract/openai.ts";
import type { Outbound } from "../../network/outbound.ts";
import { createRequestLifetime } from "./request-lifetime.ts";
import type { RequestLifetime } from "./request-lifetime.ts";
import { createUpstreamErrors } from "../upstream-error.ts";
import type { UpstreamErrors } from "../upstream-error.ts";

export type UpstreamClientOptions = {
  /** Display name of the channel, for errors. */
  name: string;
  /** Without a trailing slash. */
  baseUrl: string;
  limits: ChannelLimits;
  /** Read for each request. */
  key(): string | undefined;
  /** Of this gateway, to detect loops. */
  instanceId: string;
  outbound: Pick<Outbound, "guard">;
};

export type UpstreamBody = {
  contentType: string;
  sizeBytes: number;
  /** Returns the same bytes at every call. */
  open(): Readable | Buffer;
};

export type UpstreamRequest = {
  /** Appended to the base URL: `/models`. */
  path: string;
  /** With a body the request is a POST, else a GET. */
  body?: UpstreamBody;
  /** Hearsay gateways that the request passed. */
  via?: readonly string[] | undefined;
  /** Set only to shorten the channel's timeout. */
  totalMs?: number;
};

/** A response with a success status. The caller must read it to the end or close it. */
export type UpstreamResponse = {
  /** Lower case, without parameters; empty if the header is missing. */
  contentType: string;
  /** If the provider is a Hearsay gateway: its name and those of the gateways behind it. */
  upstreamGateways: readonly string[];
  errors: UpstreamErrors;
  /**
   * The body in chunks. Leaving the loop ends the request.
   * @throws AppError if the response is truncated or larger than `maxBytes`
   */
  bytes(maxBytes: number): AsyncGenerator<Uint8Array, void, undefined>;
  /** Ends the request now, unless it has ended. */
  close(): void;
};

export type UpstreamClient = {
  /** @throws AppError for every failure of the provider; the signal's reason if it is aborted */
  request(options: UpstreamRequest, signal: AbortSignal): Promise<UpstreamResponse>;
  /** Connections close when their requests have ended; later requests open new ones. */
  closeIdleConnections(): void;
  /** Aborts requests in flight. */
  close(): Promise<void>;
};

const maxRedirects = 3;
const maxErrorBytes = 64 * 1024;
/** Characters of a header value in RFC 9110, 5.5, without spaces. */
const headerValuePattern = /^[\x21-\x7e]+$/;

export function createUpstreamClient({
  name,
  baseUrl,
  limits,
  key,
  instanceId,
  outbound,
}: UpstreamClientOptions): UpstreamClient {
  const base = new URL(baseUrl);
  const basePath = base.pathname.replace(/\/+$/, "");
  const openPool = (): Pool =>
    new Pool(base.origin, {
      connect: { timeout: limits.connectMs },
      headersTimeout: limits.headersMs,
      bodyTimeout: limits.bodyMs,
    });
  let pool = openPool();
  let guarded = outbound.guard(pool, { kind: "channel", name });

  function buildHeaders(
    { body, via = [] }: UpstreamRequest,
    apiKey: string | undefined,
  ): Record<string, string> {
    return {
      "user-agent": "hearsay",
      accept: "*/*",
      "accept-encoding": "identity",
      [viaHeader]: [instanceId, ...via].join(", "),
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...(body === undefined
        ? {}
        : { "content-type": body.contentType, "content-length": String(body.sizeBytes) }),
    };
  }

  /**
   * Returns the first response that is no redirect. Never follows to another origin, which must not get the key or the
   * recording.
   */
  async function sendFollowingRedirects(
    options: UpstreamRequest,
    apiKey: string | undefined,
    errors: UpstreamErrors,
    lifetime: RequestLifetime,
  ): Promise<Dispatcher.ResponseData> {
    const method = options.body === undefined ? "GET" : "POST";
    const headers = buildHeaders(options, apiKey);
    let path = `${basePath}${options.path}`;
    for (let redirects = 0; ; redirects += 1) {
      const body = options.body?.open();
      if (body !== undefined && "destroy" in body) lifetime.onEnd(() => body.destroy());
      const pending = guarded.request({
        origin: base.origin,
        method,
        path,
        headers,
        body: body ?? null,
        signal: lifetime.signal,
      });
      // Before the connection exists, undici ignores the signal.
      const response = await Promise.race([pending, lifetime.aborted]);
      // destroy() below makes the body emit an error.
      response.body.on("error", () => {});
      if (![301, 302, 303, 307, 308].includes(response.statusCode)) return response;
      response.body.destroy();
      const target = URL.parse(String(response.headers.location ?? ""), `${base.origin}${path}`);
      if (target === null) throw errors.invalidResponse("upstream.redirectsNowhere");
      if (target.origin !== base.origin)
        throw errors.invalidResponse("upstream.redirectsAway", { origin: target.origin });
      if (method === "POST" && response.statusCode < 307)
        throw errors.invalidResponse("upstream.redirectsBody");
      if (redirects === maxRedirects)
        throw errors.invalidResponse("upstream.redirectsTooOften", { max: maxRedirects });
      path = `${target.pathname}${target.search}`;
    }
  }

  return {
    async request(options, signal) {
      const apiKey = key() || undefined;
      const errors = createUpstreamErrors(name, apiKey);
      if (apiKey !== undefined && !headerValuePattern.test(apiKey))
        throw errors.invalidResponse("upstream.unsendableKey");
      const lifetime = createRequestLifetime(
        signal,
        Math.min(options.totalMs ?? Infinity, limits.totalMs),
        () => errors.invalidResponse("upstream.lateEnd"),
      );
      try {
        const response = await sendFollowingRedirects(options, apiKey, errors, lifetime);
        const { statusCode, headers } = response;
        const upstreamResponse = toUpstreamResponse(
          response,
          createUpstreamErrors(name, apiKey, true),
          lifetime,
        );
        if (statusCode < 200 || statusCode > 299)
          throw errors.fromStatus(statusCode, headers, await readErrorBody(upstreamResponse));
        const encoding = String(headers["content-encoding"] ?? "identity");
        if (encoding !== "identity")
          throw upstreamResponse.errors.invalidResponse("upstream.compressed");
        return upstreamResponse;
      } catch (error) {
        lifetime.end();
        throw lifetime.signal.aborted ? lifetime.signal.reason : errors.fromException(error, false);
      }
    },
    closeIdleConnections() {
      const previousPool = pool;
      pool = openPool();
      guarded = outbound.guard(pool, { kind: "channel", name });
      // Waits for its requests, whose errors go to their callers.
      previousPool.close().catch(() => {});
    },
    close: () => pool.destroy(),
  };
}

function toUpstreamResponse(
  { headers, body }: Dispatcher.ResponseData,
  errors: UpstreamErrors,
  lifetime: RequestLifetime,
): UpstreamResponse {
  lifetime.onEnd(() => body.destroy());
  const tooLarge = () => errors.invalidResponse("upstream.tooLarge");
  return {
    contentType: mediaType(headers),
    upstreamGateways: String(headers[upstreamGatewaysHeader] ?? "")
      .split(",")
      .map((name) => name.trim())
      .filter(Boolean),
    errors,
    async *bytes(maxBytes) {
      let sizeBytes = 0;
      try {
        if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge();
        for await (const chunk of body as AsyncIterable<Uint8Array>) {
          sizeBytes += chunk.length;
          if (sizeBytes > maxBytes) throw tooLarge();
          yield chunk;
        }
      } catch (error) {
        throw lifetime.signal.aborted ? lifetime.signal.reason : errors.fromException(error, true);
      } finally {
        lifetime.end();
      }
    },
    close: lifetime.end,
  };
}

const mediaType = (headers: IncomingHttpHeaders) =>
  String(headers["content-type"] ?? "")
    .split(";", 1)[0]!
    .trim()
    .toLowerCase();

/** Reads as much of an error body as arrives and is useful; the status already marks it as an error. */
async function readErrorBody(upstreamResponse: UpstreamResponse): Promise<string> {
  const parts: Uint8Array[] = [];
  try {
    for await (const chunk of upstreamResponse.bytes(maxErrorBytes)) parts.push(chunk);
  } catch {
    // If the body is too large or truncated, the status must suffice.
  }
  return Buffer.concat(parts).toString();
}

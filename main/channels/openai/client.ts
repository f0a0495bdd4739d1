// HTTP client for one provider: connection pool, timeouts, redirects. One attempt per request. Sends only its own
// headers, none of a client's. See transcribe.ts, synthesize.ts and model-list.ts for requests and responses.

import type { Readable } from "node:stream";
import { Pool } from "undici";
import type { Dispatcher } from "undici";
import type { OnSending } from "../../contract/channel.ts";
import type { ChannelLimits } from "../../contract/channels.ts";
import { viaHeader } from "../../contract/openai.ts";
import type { Outbound } from "../../network/outbound.ts";
import { readErrorBody, toUpstreamResponse, type UpstreamResponse } from "./response.ts";
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
  onSending?: OnSending | undefined;
};

export type UpstreamClient = {
  /** @throws AppError for every failure of the provider; the signal's reason if it is aborted */
  request(options: UpstreamRequest, signal: AbortSignal): Promise<UpstreamResponse>;
  /** Connections close when their requests have ended; later requests open new ones. */
  closeIdleConnections(): void;
  /** Aborts requests in flight. */
  close(): Promise<void>;
};

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const maxRedirects = 3;
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
    const headers = buildHeaders(options, instanceId, apiKey);
    let url = new URL(`${base.origin}${basePath}${options.path}`);
    for (let redirects = 0; ; redirects += 1) {
      const body = options.body?.open();
      if (body !== undefined && "destroy" in body) lifetime.onEnd(() => body.destroy());
      const pending = reportStart(guarded, options.onSending).request({
        origin: base.origin,
        method,
        path: `${url.pathname}${url.search}`,
        headers,
        body: body ?? null,
        signal: lifetime.signal,
      });
      // Before the connection exists, undici ignores the signal.
      const response = await Promise.race([pending, lifetime.aborted]);
      // destroy() below makes the body emit an error.
      response.body.on("error", () => {});
      if (!redirectStatuses.has(response.statusCode)) return response;
      response.body.destroy();
      url = redirectTarget(response, url, method, errors);
      if (redirects === maxRedirects)
        throw errors.invalidResponse("upstream.redirectsTooOften", { max: maxRedirects });
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

/** undici reports a request's start when its connection exists. */
const reportStart = (dispatcher: Dispatcher, onSending: UpstreamRequest["onSending"]): Dispatcher =>
  onSending === undefined
    ? dispatcher
    : dispatcher.compose((dispatch) => (options, handler) => {
        return dispatch(options, {
          onRequestStart(controller, context) {
            onSending();
            handler.onRequestStart?.(controller, context);
          },
          onResponseStart: (...given) => handler.onResponseStart?.(...given),
          onResponseData: (...given) => handler.onResponseData?.(...given),
          onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
          onResponseError: (...given) => handler.onResponseError?.(...given),
        });
      });

function buildHeaders(
  { body, via = [] }: UpstreamRequest,
  instanceId: string,
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

/** @throws AppError if the redirect leads nowhere or away, or would drop the body */
function redirectTarget(
  { statusCode, headers }: Dispatcher.ResponseData,
  from: URL,
  method: "GET" | "POST",
  errors: UpstreamErrors,
): URL {
  const target = URL.parse(String(headers.location ?? ""), from);
  if (target === null) throw errors.invalidResponse("upstream.redirectsNowhere");
  if (target.origin !== from.origin)
    throw errors.invalidResponse("upstream.redirectsAway", { origin: target.origin });
  if (method === "POST" && statusCode < 307) throw errors.invalidResponse("upstream.redirectsBody");
  return target;
}

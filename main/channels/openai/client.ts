// HTTP to one provider: a pool of connections to its origin, time limits, redirects, and answers of bounded size.
// One attempt each. Only headers made here are sent, so nothing of a client's own gets through. What is asked and
// what an answer means is the matter of hear.ts, speak.ts and model-list.ts.

import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { Pool } from "undici";
import type { Dispatcher } from "undici";
import type { ChannelLimits } from "../../contract/channels.ts";
import { behindHeader, viaHeader } from "../../contract/openai.ts";
import { createLifetime } from "./lifetime.ts";
import type { Lifetime } from "./lifetime.ts";
import { createUpstreamErrors } from "../upstream-error.ts";
import type { UpstreamErrors } from "../upstream-error.ts";

export type UpstreamClientOptions = {
  /** As people know the channel; errors name it. */
  name: string;
  /** Without a slash at its end. */
  baseUrl: string;
  limits: ChannelLimits;
  /** Read anew for each request. */
  key(): string | undefined;
  /** Of this gateway, so that it knows its own requests when they come back. */
  instanceId: string;
};

export type UpstreamBody = {
  contentType: string;
  sizeBytes: number;
  /** The same bytes at every call. */
  open(): Readable | Buffer;
};

export type UpstreamRequest = {
  /** After the base URL: `/models`. */
  path: string;
  /** What it is a POST of; optional; default a GET. */
  body?: UpstreamBody;
  /** Gateways of our kind the request came through. */
  via?: readonly string[] | undefined;
  /** Where it shall be less than the channel's limit. */
  totalMs?: number;
};

/** An answer with a status of success. It is to be read to its end or closed. */
export type UpstreamAnswer = {
  /** Lower case, without parameters; empty where it was not told. */
  contentType: string;
  /** Of another gateway of our kind: its name and those of the gateways behind it. */
  behind: readonly string[];
  errors: UpstreamErrors;
  /** Bytes as they come. Leaving the loop ends the request. @throws AppError where the answer breaks off, or is larger than `maxBytes` */
  bytes(maxBytes: number): AsyncGenerator<Uint8Array, void, undefined>;
  /** Ends the request at once, where it has not ended. */
  close(): void;
};

export type UpstreamClient = {
  /** @throws AppError for every failure of the provider; the signal's reason where that was aborted */
  request(asked: UpstreamRequest, signal: AbortSignal): Promise<UpstreamAnswer>;
  /** Breaks off what is under way. */
  close(): Promise<void>;
};

const maxRedirects = 3;
const maxErrorBytes = 64 * 1024;
/** What RFC 9110, 5.5 lets a header's value be, less the spaces. */
const headerValue = /^[\x21-\x7e]+$/;

export function createUpstreamClient({
  name,
  baseUrl,
  limits,
  key,
  instanceId,
}: UpstreamClientOptions): UpstreamClient {
  const base = new URL(baseUrl);
  const basePath = base.pathname.replace(/\/+$/, "");
  const pool = new Pool(base.origin, {
    connect: { timeout: limits.connectMs },
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyMs,
  });

  function headersOf(
    { body, via = [] }: UpstreamRequest,
    used: string | undefined,
  ): Record<string, string> {
    return {
      "user-agent": "hearsay",
      accept: "*/*",
      "accept-encoding": "identity",
      [viaHeader]: [instanceId, ...via].join(", "),
      ...(used === undefined ? {} : { authorization: `Bearer ${used}` }),
      ...(body === undefined
        ? {}
        : { "content-type": body.contentType, "content-length": String(body.sizeBytes) }),
    };
  }

  /** The first answer that is no redirect to follow. Another origin is never asked: the key and the recording are not for it. */
  async function followed(
    asked: UpstreamRequest,
    used: string | undefined,
    errors: UpstreamErrors,
    lifetime: Lifetime,
  ): Promise<Dispatcher.ResponseData> {
    const method = asked.body === undefined ? "GET" : "POST";
    const headers = headersOf(asked, used);
    let path = `${basePath}${asked.path}`;
    for (let redirects = 0; ; redirects += 1) {
      const body = asked.body?.open();
      if (body !== undefined && "destroy" in body) lifetime.onEnd(() => body.destroy());
      const sent = pool.request({
        method,
        path,
        headers,
        body: body ?? null,
        signal: lifetime.signal,
      });
      // Until there is a connection, undici does not heed the signal.
      const response = await Promise.race([sent, lifetime.aborted]);
      // Broken off on purpose, a body reports that as a failure of its own.
      response.body.on("error", () => {});
      if (![301, 302, 303, 307, 308].includes(response.statusCode)) return response;
      response.body.destroy();
      const target = URL.parse(String(response.headers.location ?? ""), `${base.origin}${path}`);
      if (target === null) throw errors.broken("redirects to nowhere");
      if (target.origin !== base.origin)
        throw errors.broken(
          `redirects to ${target.origin}, which is not followed: its base URL has to name the right address`,
        );
      if (method === "POST" && response.statusCode < 307)
        throw errors.broken("redirects what was sent to it to another page");
      if (redirects === maxRedirects)
        throw errors.broken(`redirects more than ${maxRedirects} times`);
      path = `${target.pathname}${target.search}`;
    }
  }

  return {
    async request(asked, signal) {
      const used = key() || undefined;
      const errors = createUpstreamErrors(name, used);
      if (used !== undefined && !headerValue.test(used))
        throw errors.broken("has a key with characters that no key can have");
      const lifetime = createLifetime(
        signal,
        Math.min(asked.totalMs ?? Infinity, limits.totalMs),
        () => errors.timedOut("did not finish its answer in time"),
      );
      try {
        const response = await followed(asked, used, errors, lifetime);
        const { statusCode, headers } = response;
        const answer = answerOf(response, createUpstreamErrors(name, used, true), lifetime);
        if (statusCode < 200 || statusCode > 299)
          throw errors.answered(statusCode, headers, await beginning(answer));
        const encoding = String(headers["content-encoding"] ?? "identity");
        if (encoding !== "identity")
          throw answer.errors.broken("packs its answers, though asked not to");
        return answer;
      } catch (error) {
        lifetime.end();
        throw lifetime.signal.aborted ? lifetime.signal.reason : errors.failed(error, false);
      }
    },
    close: () => pool.destroy(),
  };
}

function answerOf(
  { headers, body }: Dispatcher.ResponseData,
  errors: UpstreamErrors,
  lifetime: Lifetime,
): UpstreamAnswer {
  lifetime.onEnd(() => body.destroy());
  const tooLarge = () => errors.broken("answered with more than belongs to what was asked");
  return {
    contentType: mediaType(headers),
    behind: String(headers[behindHeader] ?? "")
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
        throw lifetime.signal.aborted ? lifetime.signal.reason : errors.failed(error, true);
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

/** As much of an error's body as came and is worth reading: the status has already told that it is an error. */
async function beginning(answer: UpstreamAnswer): Promise<string> {
  const parts: Uint8Array[] = [];
  try {
    for await (const chunk of answer.bytes(maxErrorBytes)) parts.push(chunk);
  } catch {
    // A page too large or cut off says no more than its status.
  }
  return Buffer.concat(parts).toString();
}

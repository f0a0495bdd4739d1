// Converts every failure of a provider to an AppError that callers may see: the provider's own message and status if it
// has any, else a plain sentence, and never the key. See attempts.ts for retries and fallbacks.

import type { IncomingHttpHeaders } from "node:http";
import type { ErrorRow } from "../contract/error-table.ts";
import { AppError } from "../contract/errors.ts";
import { errorKeyOf } from "../contract/messages/messages.ts";
import type {
  ErrorId,
  MessageParams,
  ParamNames,
  ParamsOf,
} from "../contract/messages/messages.ts";
import { parseErrorBody } from "./error-body.ts";

/**
 * Whether the same request to the same channel may succeed a moment later. Not after a timeout: it would take as long
 * again.
 */
export function isTransient(error: AppError): boolean {
  return (
    error.key === "upstream_unreachable" ||
    (error.key === "upstream_error" && transientStatuses.includes(error.row.status))
  );
}

const transientStatuses: readonly number[] = [429, 500, 502, 503, 504];

export type UpstreamErrors = {
  /** The provider responded with an error status; `text` is the beginning of its body. */
  fromStatus(status: number, headers: IncomingHttpHeaders, text: string): AppError;
  /** The provider reported an error within a response that began with success. */
  fromBody(body: unknown): AppError;
  /** For exceptions of the network or the HTTP parser. Returns other exceptions unchanged. */
  fromException(error: unknown, hasResponseStarted: boolean): unknown;
  /** The provider's response is of no use. */
  invalidResponse<Id extends UpstreamId>(id: Id, ...params: MoreParams<Id>): AppError;
};

/**
 * `channel` is the display name. No message contains `key` or a part of it.
 * @param isAccepted the provider responded with success, so it may charge for the request even if it fails later
 */
export function createUpstreamErrors(
  channel: string,
  key: string | undefined,
  isAccepted = false,
): UpstreamErrors {
  const redact = (text: string) => redactKey(text, key);
  const name = redact(channel);
  // A timeout occurs after sending: the provider may have done the work.
  function createError(
    id: UpstreamId,
    params: MessageParams,
    mayBeCharged = isAccepted || errorKeyOf(id) === "upstream_timeout",
  ): AppError {
    const texts = Object.entries(params).map(([param, value]) => [
      param,
      typeof value === "string" ? redact(value) : value,
    ]);
    return new AppError(
      id,
      { channel: name, ...Object.fromEntries(texts) } as ParamsOf<UpstreamId>,
      { mayBeCharged },
    );
  }

  function fromUpstreamBody(
    fallback: "upstream.status" | "upstream.reportedError",
    body: unknown,
    status: number,
    waitSec?: number,
  ): AppError {
    const details = parseErrorBody(body);
    const text = details.message && redact(details.message).slice(0, 500);
    const code = details.code === undefined ? undefined : redact(details.code);
    const row: ErrorRow = {
      status,
      type: redact(details.type ?? (status < 500 ? "invalid_request_error" : "upstream_error")),
      ...(code === undefined ? {} : { code }),
    };
    const options = {
      key: code === "channel_loop" ? code : errorKeyOf(fallback),
      row,
      ...(details.param === undefined ? {} : { param: redact(details.param) }),
      ...(waitSec === undefined ? {} : { retryAfterSec: waitSec }),
    };
    if (text === undefined) return new AppError(fallback, { channel: name, status }, options);
    // A provider's message about a key means the channel's key; clients would take it for their own.
    return status === 401 || status === 403
      ? new AppError("upstream.refused", { channel: name, text }, options)
      : new AppError("verbatim", { text }, options);
  }

  return {
    fromStatus(status, headers, text) {
      if (status < 400 || status > 599) return createError("upstream.oddStatus", { status });
      return fromUpstreamBody(
        "upstream.status",
        parseBody(text, headers),
        status,
        retryAfterSec(headers),
      );
    },
    // The type of error is unknown, so a retry makes no sense.
    fromBody: (body) => fromUpstreamBody("upstream.reportedError", body, 502),
    fromException(error, hasResponseStarted) {
      const code = errorCodeOf(error);
      const row = failurePatterns.find(([pattern]) => pattern.test(code));
      if (row === undefined) return error;
      const [, id] = row;
      if (row === connectTimeoutFailure) return createError(id, {}, false);
      if (row === invalidHttpFailure) return createError(id, {}, true);
      return hasResponseStarted && errorKeyOf(id) === "upstream_unreachable"
        ? createError("upstream.brokenOff", {})
        : createError(id, {});
    },
    invalidResponse: (id, ...[params]) => createError(id, (params ?? {}) as MessageParams),
  };
}

type UpstreamId = Extract<ErrorId, `upstream.${string}`>;
/** Beside the channel's name. */
type MoreParams<Id extends UpstreamId> =
  Exclude<ParamNames<Id>, "channel"> extends never ? [] : [params: Omit<ParamsOf<Id>, "channel">];

type Failure = readonly [RegExp, PlainUpstreamId];
/** No parameters beside the channel's name. */
type PlainUpstreamId = {
  [Id in UpstreamId]: Exclude<ParamNames<Id>, "channel"> extends never ? Id : never;
}[UpstreamId];

/** Nothing was sent. */
const connectTimeoutFailure: Failure = [
  /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/,
  "upstream.connectTimeout",
];

/** The server responded, though not with valid HTTP. */
const invalidHttpFailure: Failure = [
  /^(UND_ERR_HEADERS_OVERFLOW|HTTPParserError)$/,
  "upstream.notHttp",
];

/** By error code of Node, OpenSSL or undici. The first match counts. */
const failurePatterns: readonly Failure[] = [
  [/^ECONNREFUSED$/, "upstream.connectionRefused"],
  [/^(ENOTFOUND|EAI_\w+)$/, "upstream.unknownHost"],
  [/^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/, "upstream.noRoute"],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/, "upstream.closed"],
  connectTimeoutFailure,
  [/^UND_ERR_HEADERS_TIMEOUT$/, "upstream.lateStart"],
  [/^UND_ERR_BODY_TIMEOUT$/, "upstream.stopped"],
  [/^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$/, "upstream.brokenOff"],
  invalidHttpFailure,
  [/CERT|SIGNED|UNABLE_TO_|^ERR_(TLS|SSL)_|^EPROTO$/, "upstream.untrusted"],
  [/^UND_ERR_(DESTROYED|CLOSED)$/, "upstream.switchedOff"],
];

function errorCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  // Errors of undici's parser have no code.
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/** JSON, or a plain text's message; nothing of an HTML page. */
function parseBody(text: string, headers: IncomingHttpHeaders): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const isPlain = String(headers["content-type"]).startsWith("text/plain") && !/^\s*</.test(text);
    return isPlain ? { message: text } : undefined;
  }
}

/** RFC 9110, 10.2.3: seconds or a date. OpenAI also sends milliseconds in a header of its own. */
function retryAfterSec(headers: IncomingHttpHeaders): number | undefined {
  const preciseSec = Number(headers["retry-after-ms"] ?? Number.NaN) / 1000;
  const headerText = String(headers["retry-after"]);
  const seconds = /^\s*\d+(\.\d+)?\s*$/.test(headerText)
    ? Number(headerText)
    : (Date.parse(headerText) - Date.now()) / 1000;
  const waitSec = Number.isFinite(preciseSec) ? preciseSec : seconds;
  return Number.isFinite(waitSec) ? Math.max(0, waitSec) : undefined;
}

/** Shorter keys are no secret: some servers accept any word. */
const minKeyLength = 4;
const maxShownLength = 7;

/** Removes the key, and every part of it longer than seven characters. */
export function redactKey(text: string, key: string | undefined): string {
  if (key === undefined || key.length < minKeyLength) return text;
  const minLength = Math.min(key.length, maxShownLength + 1);
  let redacted = "";
  for (let position = 0; position < text.length;) {
    let length = minLength;
    if (position + length > text.length || !key.includes(text.slice(position, position + length))) {
      redacted += text[position];
      position += 1;
      continue;
    }
    while (
      position + length < text.length &&
      key.includes(text.slice(position, position + length + 1))
    )
      length += 1;
    redacted += "[key]";
    position += length;
  }
  return redacted;
}

// Converts every failure of a provider to an AppError that callers may see: the provider's own message and status if it
// has any, else a plain sentence, and never the key. See attempts.ts for retries and fallbacks.

import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "../contract/errors.ts";
import type { ErrorKey, ErrorRow } from "../contract/errors.ts";
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
  /** `what` ends the sentence "The channel 'x' …". */
  invalidResponse(what: string): AppError;
  timeout(what: string): AppError;
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
  const toSentence = (what: string) => redact(`The channel '${channel}' ${what}.`);
  // A timeout occurs after sending: the provider may have done the work.
  const createError = (
    errorKey: ErrorKey,
    what: string,
    mayBeCharged = isAccepted || errorKey === "upstream_timeout",
  ) => new AppError(errorKey, toSentence(what), { mayBeCharged });

  function fromUpstreamBody(
    errorKey: ErrorKey,
    body: unknown,
    status: number,
    fallback: string,
    waitSec?: number,
  ): AppError {
    const details = parseErrorBody(body);
    // A provider's message about a key means the channel's key; clients would take it for their own.
    const prefix =
      status === 401 || status === 403
        ? `The channel '${redact(channel)}' was refused by its provider: `
        : "";
    const message =
      details.message === undefined
        ? toSentence(fallback)
        : prefix + redact(details.message).slice(0, 500);
    const code = details.code === undefined ? undefined : redact(details.code);
    const row: ErrorRow = {
      status,
      type: redact(details.type ?? (status < 500 ? "invalid_request_error" : "upstream_error")),
      ...(code === undefined ? {} : { code }),
    };
    return new AppError(code === "channel_loop" ? code : errorKey, message, {
      row,
      ...(details.param === undefined ? {} : { param: redact(details.param) }),
      ...(waitSec === undefined ? {} : { retryAfterSec: waitSec }),
    });
  }

  return {
    fromStatus(status, headers, text) {
      if (status < 400 || status > 599)
        return createError(
          "upstream_broken",
          `answered with the status ${status}, which means nothing here`,
        );
      return fromUpstreamBody(
        "upstream_error",
        parseBody(text, headers),
        status,
        `answered with the status ${status}`,
        retryAfterSec(headers),
      );
    },
    // The type of error is unknown, so a retry makes no sense.
    fromBody: (body) => fromUpstreamBody("upstream_broken", body, 502, "reported an error"),
    fromException(error, hasResponseStarted) {
      const code = errorCodeOf(error);
      const row = failurePatterns.find(([pattern]) => pattern.test(code));
      if (row === undefined) return error;
      const [, errorKey, what] = row;
      if (row === connectTimeoutFailure) return createError(errorKey, what, false);
      if (row === invalidHttpFailure) return createError(errorKey, what, true);
      return hasResponseStarted && errorKey === "upstream_unreachable"
        ? createError("upstream_broken", "broke off in the middle of its answer")
        : createError(errorKey, what);
    },
    invalidResponse: (what) => createError("upstream_broken", what),
    timeout: (what) => createError("upstream_timeout", what),
  };
}

type Failure = readonly [RegExp, ErrorKey, string];

/** Nothing was sent. */
const connectTimeoutFailure: Failure = [
  /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/,
  "upstream_timeout",
  "did not take the connection in time",
];

/** The server responded, though not with valid HTTP. */
const invalidHttpFailure: Failure = [
  /^(UND_ERR_HEADERS_OVERFLOW|HTTPParserError)$/,
  "upstream_broken",
  "answered with something that is not proper HTTP",
];

/** By error code of Node, OpenSSL or undici. The first match counts. */
const failurePatterns: readonly Failure[] = [
  [/^ECONNREFUSED$/, "upstream_unreachable", "cannot be reached: the connection was refused"],
  [
    /^(ENOTFOUND|EAI_\w+)$/,
    "upstream_unreachable",
    "cannot be reached: its address's name is not known",
  ],
  [
    /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/,
    "upstream_unreachable",
    "cannot be reached: there is no way to its network",
  ],
  [
    /^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/,
    "upstream_unreachable",
    "closed the connection without an answer",
  ],
  connectTimeoutFailure,
  [/^UND_ERR_HEADERS_TIMEOUT$/, "upstream_timeout", "did not begin to answer in time"],
  [/^UND_ERR_BODY_TIMEOUT$/, "upstream_timeout", "stopped in the middle of its answer"],
  [
    /^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$/,
    "upstream_broken",
    "broke off in the middle of its answer",
  ],
  invalidHttpFailure,
  [
    /CERT|SIGNED|UNABLE_TO_|^ERR_(TLS|SSL)_|^EPROTO$/,
    "upstream_broken",
    "has no certificate or encryption that can be trusted",
  ],
  [/^UND_ERR_(DESTROYED|CLOSED)$/, "channel_closed", "was switched off"],
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

// Every way a provider can fail, as an AppError that may be shown: its own words and status where it has any, a
// plain sentence where not, and never the key. See router.ts for whether and where to try again.

import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "../contract/errors.ts";
import type { ErrorKey, ErrorRow } from "../contract/errors.ts";
import { parseErrorBody } from "./error-body.ts";

/** May the same request succeed a moment later, sent to the same place. A time limit that ran out is no such case. */
export function isTransient(error: AppError): boolean {
  return (
    error.key === "upstream_unreachable" ||
    (error.key === "upstream_error" && transientStatuses.includes(error.row.status))
  );
}

const transientStatuses: readonly number[] = [429, 500, 502, 503, 504];

export type UpstreamErrors = {
  /** The provider answered with a status that is no success; `text` is the beginning of its body. */
  fromStatus(status: number, headers: IncomingHttpHeaders, text: string): AppError;
  /** The provider reported an error inside of an answer that began well. */
  fromBody(body: unknown): AppError;
  /** What the network or the HTTP parser threw. What is no failure of the provider's is given back as it is. */
  fromException(error: unknown, hasResponseStarted: boolean): unknown;
  /** `what` ends the sentence "The channel 'x' …". */
  invalidResponse(what: string): AppError;
  timeout(what: string): AppError;
};

/**
 * `channel` is the name people know; no text holds `key` or a part of it.
 * @param isAccepted the provider answered with a success: whatever goes wrong from then on, it may charge for the request
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
    // Its words about a key are about ours: a client would take them for its own.
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
    // Of what kind it is nobody knows: no reason to ask the same again.
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

/** It answered, whatever it was. */
const invalidHttpFailure: Failure = [
  /^(UND_ERR_HEADERS_OVERFLOW|HTTPParserError)$/,
  "upstream_broken",
  "answered with something that is not proper HTTP",
];

/** By code of Node, OpenSSL or undici. The first that fits counts. */
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
  // undici's parser gives its errors no code.
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/** JSON, or the words of a plain text; nothing of a page made for people. */
function parseBody(text: string, headers: IncomingHttpHeaders): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const isPlain = String(headers["content-type"]).startsWith("text/plain") && !/^\s*</.test(text);
    return isPlain ? { message: text } : undefined;
  }
}

/** RFC 9110, 10.2.3: seconds or a date; OpenAI adds milliseconds in a header of their own. */
function retryAfterSec(headers: IncomingHttpHeaders): number | undefined {
  const preciseSec = Number(headers["retry-after-ms"] ?? Number.NaN) / 1000;
  const headerText = String(headers["retry-after"]);
  const seconds = /^\s*\d+(\.\d+)?\s*$/.test(headerText)
    ? Number(headerText)
    : (Date.parse(headerText) - Date.now()) / 1000;
  const waitSec = Number.isFinite(preciseSec) ? preciseSec : seconds;
  return Number.isFinite(waitSec) ? Math.max(0, waitSec) : undefined;
}

/** Shorter keys than this are no secret: some servers want any word at all. */
const minKeyLength = 4;
const maxShownLength = 7;

/** The text with the key, and every part of it that is longer than seven characters, taken out. */
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

// Every way a provider can fail, as an AppError that may be shown: its own words and status where it has any, a
// plain sentence where not, and never the key. See router.ts for whether and where to try again.

import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "../contract/errors.ts";
import type { ErrorKey, ErrorRow } from "../contract/errors.ts";
import { toldError } from "./upstream-error-body.ts";

/** May the same request succeed a moment later, sent to the same place. A time limit that ran out is no such case. */
export function passes(error: AppError): boolean {
  return (
    error.key === "upstream_unreachable" ||
    (error.key === "upstream_error" && passingStatuses.includes(error.row.status))
  );
}

const passingStatuses: readonly number[] = [429, 500, 502, 503, 504];

export type UpstreamErrors = {
  /** The provider answered with a status that is no success; `text` is the beginning of its body. */
  answered(status: number, headers: IncomingHttpHeaders, text: string): AppError;
  /** The provider reported an error inside of an answer that began well. */
  reported(body: unknown): AppError;
  /** What the network or the HTTP parser threw. What is no failure of the provider's is given back as it is. */
  failed(error: unknown, answerBegan: boolean): unknown;
  /** `what` ends the sentence "The channel 'x' …". */
  broken(what: string): AppError;
  timedOut(what: string): AppError;
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
  const clean = (text: string) => withoutKey(text, key);
  const says = (what: string) => clean(`The channel '${channel}' ${what}.`);
  // A timeout occurs after sending: the provider may have done the work.
  const make = (
    errorKey: ErrorKey,
    what: string,
    mayBeCharged = isAccepted || errorKey === "upstream_timeout",
  ) => new AppError(errorKey, says(what), { mayBeCharged });

  function relayed(
    errorKey: ErrorKey,
    body: unknown,
    status: number,
    otherwise: string,
    waitSec?: number,
  ): AppError {
    const told = toldError(body);
    // Its words about a key are about ours: a client would take them for its own.
    const before =
      status === 401 || status === 403
        ? `The channel '${clean(channel)}' was refused by its provider: `
        : "";
    const message =
      told.message === undefined ? says(otherwise) : before + clean(told.message).slice(0, 500);
    const code = told.code === undefined ? undefined : clean(told.code);
    const row: ErrorRow = {
      status,
      type: clean(told.type ?? (status < 500 ? "invalid_request_error" : "upstream_error")),
      ...(code === undefined ? {} : { code }),
    };
    return new AppError(code === "channel_loop" ? code : errorKey, message, {
      row,
      ...(told.param === undefined ? {} : { param: clean(told.param) }),
      ...(waitSec === undefined ? {} : { retryAfterSec: waitSec }),
    });
  }

  return {
    answered(status, headers, text) {
      if (status < 400 || status > 599)
        return make(
          "upstream_broken",
          `answered with the status ${status}, which means nothing here`,
        );
      return relayed(
        "upstream_error",
        bodyOf(text, headers),
        status,
        `answered with the status ${status}`,
        retryAfterSec(headers),
      );
    },
    // Of what kind it is nobody knows: no reason to ask the same again.
    reported: (body) => relayed("upstream_broken", body, 502, "reported an error"),
    failed(error, answerBegan) {
      const code = codeOf(error);
      const row = failures.find(([pattern]) => pattern.test(code));
      if (row === undefined) return error;
      const [, errorKey, what] = row;
      if (row === connectTimeout) return make(errorKey, what, false);
      if (row === notHttp) return make(errorKey, what, true);
      return answerBegan && errorKey === "upstream_unreachable"
        ? make("upstream_broken", "broke off in the middle of its answer")
        : make(errorKey, what);
    },
    broken: (what) => make("upstream_broken", what),
    timedOut: (what) => make("upstream_timeout", what),
  };
}

type Failure = readonly [RegExp, ErrorKey, string];

/** Nothing was sent. */
const connectTimeout: Failure = [
  /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/,
  "upstream_timeout",
  "did not take the connection in time",
];

/** It answered, whatever it was. */
const notHttp: Failure = [
  /^(UND_ERR_HEADERS_OVERFLOW|HTTPParserError)$/,
  "upstream_broken",
  "answered with something that is not proper HTTP",
];

/** By code of Node, OpenSSL or undici. The first that fits counts. */
const failures: readonly Failure[] = [
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
  connectTimeout,
  [/^UND_ERR_HEADERS_TIMEOUT$/, "upstream_timeout", "did not begin to answer in time"],
  [/^UND_ERR_BODY_TIMEOUT$/, "upstream_timeout", "stopped in the middle of its answer"],
  [
    /^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$/,
    "upstream_broken",
    "broke off in the middle of its answer",
  ],
  notHttp,
  [
    /CERT|SIGNED|UNABLE_TO_|^ERR_(TLS|SSL)_|^EPROTO$/,
    "upstream_broken",
    "has no certificate or encryption that can be trusted",
  ],
  [/^UND_ERR_(DESTROYED|CLOSED)$/, "channel_closed", "was switched off"],
];

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  // undici's parser gives its errors no code.
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/** JSON, or the words of a plain text; nothing of a page made for people. */
function bodyOf(text: string, headers: IncomingHttpHeaders): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const isPlain = String(headers["content-type"]).startsWith("text/plain") && !/^\s*</.test(text);
    return isPlain ? { message: text } : undefined;
  }
}

/** RFC 9110, 10.2.3: seconds or a date; OpenAI adds milliseconds in a header of their own. */
function retryAfterSec(headers: IncomingHttpHeaders): number | undefined {
  const finer = Number(headers["retry-after-ms"] ?? Number.NaN) / 1000;
  const given = String(headers["retry-after"]);
  const seconds = /^\s*\d+(\.\d+)?\s*$/.test(given)
    ? Number(given)
    : (Date.parse(given) - Date.now()) / 1000;
  const told = Number.isFinite(finer) ? finer : seconds;
  return Number.isFinite(told) ? Math.max(0, told) : undefined;
}

/** Shorter keys than this are no secret: some servers want any word at all. */
const shortestKey = 4;
const longestPartShown = 7;

/** The text with the key, and every part of it that is longer than seven characters, taken out. */
export function withoutKey(text: string, key: string | undefined): string {
  if (key === undefined || key.length < shortestKey) return text;
  const least = Math.min(key.length, longestPartShown + 1);
  let clean = "";
  for (let at = 0; at < text.length;) {
    let length = least;
    if (at + length > text.length || !key.includes(text.slice(at, at + length))) {
      clean += text[at];
      at += 1;
      continue;
    }
    while (at + length < text.length && key.includes(text.slice(at, at + length + 1))) length += 1;
    clean += "[key]";
    at += length;
  }
  return clean;
}

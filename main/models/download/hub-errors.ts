// What failures of the hub, its mirrors and the way to them are called. Each message says what to do.

import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "../../contract/errors.ts";

export type FailedRequest = {
  host: string;
  file: string;
  repository: string;
  revision: string;
  /** If it was sent. */
  token?: string | undefined;
  stallMs: number;
};

/** An error of this class may pass by itself: the request is tried again. */
export class PassingError extends Error {
  override readonly name = "PassingError";
  /** For the person, if it does not pass. */
  readonly final: AppError;
  /** There was no connection: likely to pass only where there was one shortly before. */
  readonly isUnconnected: boolean;

  constructor(final: AppError, isUnconnected = false) {
    super(final.message, { cause: final });
    this.final = final;
    this.isUnconnected = isUnconnected;
  }
}

const untrustedCodePattern =
  /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_OSSL|EPROTO$|HOSTNAME_MISMATCH$)/;
const noNameCodes: ReadonlySet<string> = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_NODATA",
  "EAI_NONAME",
]);
/** Of undici and network/proxies.ts; hosts may have a proxy in their names. */
const proxyPattern = /^(the (address of the )?)?proxy /i;
/** A connection that existed was lost. */
const brokenCodes: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);
const stalledCodes: ReadonlySet<string> = new Set([
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);

/** @returns an AppError or PassingError */
export function toConnectionError(error: unknown, { host, stallMs }: FailedRequest): Error {
  // A dispatcher that refuses connections says why itself.
  if (error instanceof AppError) return error;
  const { code = "", message, cause } = error as NodeJS.ErrnoException;
  if (cause instanceof AppError) return cause;
  const options = { cause: error };
  if (proxyPattern.test(message))
    return new AppError("download.proxy", { host, why: message }, options);
  if (noNameCodes.has(code))
    return new PassingError(new AppError("download.noName", { host }, options), true);
  if (untrustedCodePattern.test(code))
    return new AppError("download.untrusted", { host, code }, options);
  if (stalledCodes.has(code))
    return new PassingError(
      new AppError("download.stalled", { host, seconds: stallMs / 1000 }, options),
    );
  if (brokenCodes.has(code) || /terminated|aborted|premature/i.test(message))
    return new PassingError(new AppError("download.broken", { host }, options));
  return new PassingError(
    new AppError("download.unreachable", { host, code: code || message }, options),
    true,
  );
}

/** Longer waits are left to the person. */
const maxWaitSec = 60;
const defaultWaitSec = 30;

/** Statuses and `X-Error-Code` of the Hugging Face hub. @returns an AppError or PassingError */
export function toStatusError(
  status: number,
  headers: IncomingHttpHeaders,
  { host, file, repository, revision, token }: FailedRequest,
): Error {
  const errorCode = String(headers["x-error-code"] ?? "");
  if (errorCode === "GatedRepo")
    return new AppError(token === undefined ? "download.gated" : "download.termsNotAccepted", {
      host,
      repository,
    });
  if (status === 401 && token !== undefined) return new AppError("download.tokenRefused", { host });
  // The hub answers 401 for repositories that do not exist, since they may be private.
  if (errorCode === "RepoNotFound" || status === 401)
    return new AppError("download.repositoryMissing", { host, repository });
  if (errorCode === "RevisionNotFound")
    return new AppError("download.revisionMissing", {
      host,
      repository,
      revision: revision.slice(0, 12),
    });
  if (status === 404 || status === 410) return new AppError("download.fileMissing", { host, file });
  if (status === 407)
    return new AppError("download.proxy", { host, why: "407 Proxy Authentication Required" });
  // Network Authentication Required, RFC 6585.
  if (status === 511) return new AppError("download.portal", { host, file });
  if (status === 429) {
    const seconds = retryAfterSec(headers);
    const error = new AppError(
      "download.tooManyRequests",
      { host, seconds },
      { retryAfterSec: seconds },
    );
    return seconds > maxWaitSec ? error : new PassingError(error);
  }
  if (status >= 500)
    return new PassingError(new AppError("download.serverFailed", { host, status }));
  return new AppError("download.refused", { host, status });
}

/** Seconds or a date, RFC 9110, 10.2.3; or `t` of the RateLimit header, which the hub sends. */
function retryAfterSec(headers: IncomingHttpHeaders): number {
  const value = String(
    headers["retry-after"] ?? /\bt=(\d+)/.exec(String(headers["ratelimit"]))?.[1] ?? "",
  );
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : defaultWaitSec;
}

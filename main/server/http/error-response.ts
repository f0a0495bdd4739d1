// Converts failures to responses. AppErrors are shown as they are; anything else is logged with the request id and
// answered with 500 and that id, without stack or path.

import { AppError, toStorageError } from "../../contract/errors.ts";
import type { ErrorResponse } from "../../contract/openai.ts";
import { sqliteResultCode } from "../../storage/load-sqlite.ts";
import type { Log } from "../../log.ts";
import { jsonResponse } from "./sized-response.ts";

/** `code` is omitted if there is none; `param` is null if no field is at fault. */
export function errorBody(error: AppError): ErrorResponse {
  const { type, code } = error.row;
  return {
    error: {
      message: error.message,
      type,
      param: error.param ?? null,
      ...(code === undefined ? {} : { code }),
    },
  };
}

/** AppErrors unchanged; for other errors a neutral one with the request id, under which the log has the details. */
export function toAppError(error: unknown, requestId: string, log: Log): AppError {
  const expected =
    error instanceof AppError ? error : (toStorageError(error) ?? toLibraryError(error));
  if (expected !== undefined) {
    if (expected.key === "closing") log.info({ requestId }, "a request came too late");
    else if (expected.row.status >= 500) log.warn({ requestId, err: expected }, "a request failed");
    return expected;
  }
  log.error({ requestId, err: error }, "a request failed unexpectedly");
  return new AppError("request.failed", { requestId });
}

/** For SQLite errors of a damaged or unreadable file. */
function toLibraryError(error: unknown): AppError | undefined {
  const code = sqliteResultCode(error);
  if (code === undefined || !unreadableSqliteCodes.has(code)) return undefined;
  return new AppError("library.unreadable", {}, { cause: error });
}

/** IOERR, CORRUPT, CANTOPEN, NOTADB: https://sqlite.org/rescode.html */
const unreadableSqliteCodes: ReadonlySet<number> = new Set([10, 11, 14, 26]);

export const errorResponse = (error: AppError, headers?: Record<string, string>): Response =>
  toResponse(error, errorBody(error), headers);

/** Includes the id and the parameters of the message, so that the window can translate it. */
export const windowErrorResponse = (error: AppError, headers?: Record<string, string>): Response =>
  toResponse(error, { error: { ...error.sent, ...errorBody(error).error } }, headers);

function toResponse(
  error: AppError,
  body: ErrorResponse,
  headers: Record<string, string> = {},
): Response {
  const authenticateHeader = error.key === "authentication" ? { "www-authenticate": "Bearer" } : {};
  // The rest of the body would be parsed as the next request.
  const connectionHeader = error.key === "request_timeout" ? { connection: "close" } : {};
  const retryAfterHeader =
    error.retryAfterSec === undefined
      ? {}
      : { "retry-after": String(Math.ceil(error.retryAfterSec)) };
  // Official clients retry 5xx, but the same file would be rejected again.
  const shouldRetryHeader = error.key === "temp_space_used_up" ? { "x-should-retry": "false" } : {};
  return jsonResponse(
    body,
    {
      ...authenticateHeader,
      ...connectionHeader,
      ...retryAfterHeader,
      ...shouldRetryHeader,
      ...headers,
    },
    error.row.status,
  );
}

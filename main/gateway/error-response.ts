// The one place that turns a failure into what the caller sees. AppErrors are shown as they are; anything else is
// logged with the request's id and answered 500 with that id, without stack or path.

import { AppError, errorTable } from '../contract/errors.ts';
import type { ErrorRow } from '../contract/errors.ts';
import type { ErrorResponse } from '../contract/openai.ts';
import type { Log } from '../log.ts';

/** `code` is left out where the table has none; `param` is null where no field is at fault. */
export function errorBody(error: AppError): ErrorResponse {
  const row: ErrorRow = errorTable[error.key];
  const { type, code } = row;
  return { error: { message: error.message, type, param: error.param ?? null, ...(code === undefined ? {} : { code }) } };
}

/** An AppError as it is; of anything else only that it happened, and the id under which the log tells more. */
export function presentable(error: unknown, requestId: string, log: Log): AppError {
  if (error instanceof AppError) {
    if (errorTable[error.key].status >= 500) log.warn({ requestId, err: error }, 'a request failed');
    return error;
  }
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    log.error({ requestId, err: error }, 'the disk is full');
    return new AppError('storage_full', 'There is no room left on the disk for this request.');
  }
  log.error({ requestId, err: error }, 'a request failed unexpectedly');
  return new AppError('internal', `The server failed on this request. Its log tells more under the id ${requestId}.`);
}

export function errorResponse(error: AppError, headers: Record<string, string> = {}): Response {
  return Response.json(errorBody(error), {
    status: errorTable[error.key].status,
    headers: { ...(error.key === 'authentication' ? { 'www-authenticate': 'Bearer' } : {}), ...headers },
  });
}

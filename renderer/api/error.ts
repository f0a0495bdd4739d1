// A failed request, with a message for the user. Expected: every caller shows `message` where the action was started.

export class ApiError extends Error {
  /** HTTP status; 0 if the app did not respond. */
  readonly status: number;
  /** `error.code` of the response, or `offline`, `unreadable`. */
  readonly code: string;
  /** The invalid field, if the app named one. */
  readonly param: string | undefined;

  constructor(status: number, code: string, message: string, param?: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

/** Whether the user or the page cancelled the request. */
export const isAbort = (error: unknown) =>
  error instanceof DOMException && error.name === "AbortError";

/** Whether the app refused the request, so that a retry is useless. */
export const isPermanentError = (error: unknown) =>
  error instanceof ApiError &&
  error.status >= 400 &&
  error.status < 500 &&
  error.status !== 408 &&
  error.status !== 429;

/** Message for the user, whatever was thrown. */
export const messageOf = (error: unknown) =>
  error instanceof Error ? error.message : String(error);

// A request that failed, told in words for the person. Expected: every caller shows `message` where it happened.

export class ApiError extends Error {
  /** HTTP status; 0: the app did not answer at all. */
  readonly status: number;
  /** `error.code` of the answer, or `offline`, `unreadable`. */
  readonly code: string;
  /** The field at fault, where there is one. */
  readonly param: string | undefined;

  constructor(status: number, code: string, message: string, param?: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

/** Whether it only says that the person (or the page) gave up waiting. */
export const isAbort = (error: unknown) =>
  error instanceof DOMException && error.name === "AbortError";

/** The app refused it: asking again changes nothing. */
export const isPermanentError = (error: unknown) =>
  error instanceof ApiError &&
  error.status >= 400 &&
  error.status < 500 &&
  error.status !== 408 &&
  error.status !== 429;

/** A sentence for the person, whatever was thrown. */
export const messageOf = (error: unknown) =>
  error instanceof Error ? error.message : String(error);

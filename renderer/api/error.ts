// A failed request, with a message for the user. Expected: every caller shows `message` where the action was started.

import type { SentMessage } from "../../main/contract/messages/messages.ts";
import { localize } from "../messages/localize.ts";

export class ApiError extends Error {
  /** HTTP status; 0 if the app did not respond. */
  readonly status: number;
  /** `error.code` of the response, or `offline`, `unreadable`. */
  readonly code: string;
  /** The invalid field, if the app named one. */
  readonly param: string | undefined;

  /** Shown in the language of the moment: a message may still be visible when that changes. */
  readonly #sent: SentMessage | (() => string);

  constructor(status: number, code: string, message: SentMessage | (() => string), param?: string) {
    super();
    this.name = "ApiError";
    this.#sent = message;
    this.status = status;
    this.code = code;
    this.param = param;
  }

  override get message(): string {
    return typeof this.#sent === "function" ? this.#sent() : localize(this.#sent);
  }

  /** As it can be stored and translated later. */
  get sent(): SentMessage {
    return typeof this.#sent === "function" ? { message: this.#sent() } : this.#sent;
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

/** The same in a form that can be stored, and translated where it is shown. */
export const sentMessageOf = (error: unknown): SentMessage =>
  error instanceof ApiError ? error.sent : { message: messageOf(error) };

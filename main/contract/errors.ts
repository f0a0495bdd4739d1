// AppError: every failure that a caller can see. error-table.ts has statuses and codes, messages/ the texts,
// server/http/error-response.ts the HTTP response.

import { errorTable } from "./error-table.ts";
import type { ErrorKey, ErrorRow } from "./error-table.ts";
import { createMessage, errorKeyOf } from "./messages/messages.ts";
import type {
  ErrorId,
  MessageParams,
  ParamNames,
  ParamsOf,
  SentMessage,
} from "./messages/messages.ts";

export const storageKeys = ["storage_full", "storage_busy", "storage_unavailable"] as const;
/** Why the data folder cannot be written at the moment. */
export type StorageKey = (typeof storageKeys)[number];

// https://sqlite.org/rescode.html: primary codes, and the one extended code for a full disk that has no room for the
// index of the write-ahead log.
const storageKeyBySqliteCode: Readonly<Record<number, StorageKey>> = {
  3: "storage_unavailable",
  5: "storage_busy",
  6: "storage_busy",
  8: "storage_unavailable",
  10: "storage_unavailable",
  13: "storage_full",
  14: "storage_unavailable",
};
const sqliteSharedMemorySizeCode = 4874;

const storageKeyBySystemCode: Readonly<Record<string, StorageKey>> = {
  ENOSPC: "storage_full",
  EDQUOT: "storage_full",
  // A file size limit.
  EFBIG: "storage_full",
  EROFS: "storage_unavailable",
  EMFILE: "storage_unavailable",
  ENFILE: "storage_unavailable",
  EIO: "storage_unavailable",
  // A lost network disk.
  ESTALE: "storage_unavailable",
  ENOTCONN: "storage_unavailable",
  // FFmpeg reports errors of files it writes as negative errno values.
  "-28": "storage_full",
  "-24": "storage_unavailable",
  "-30": "storage_unavailable",
};

const messageByKey = {
  storage_full: "storage.full",
  storage_busy: "storage.busy",
  storage_unavailable: "storage.unavailable",
} as const satisfies Record<StorageKey, ErrorId>;

const retrySecByKey: Readonly<Partial<Record<StorageKey, number>>> = {
  storage_busy: 1,
  storage_unavailable: 5,
};

/** For data whose size is known to be too large before writing. */
export const storageFullError = (): AppError => new AppError("storage.full");

/**
 * The caller's error for a file or SQLite failure that the request did not cause and that may pass; undefined for
 * others.
 */
export function toStorageError(
  error: unknown,
): (AppError & { readonly key: StorageKey }) | undefined {
  if (error instanceof AppError)
    return (storageKeys as readonly string[]).includes(error.key)
      ? (error as AppError & { readonly key: StorageKey })
      : undefined;
  if (!(error instanceof Error)) return undefined;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const key =
    typeof errcode === "number"
      ? errcode === sqliteSharedMemorySizeCode
        ? "storage_full"
        : storageKeyBySqliteCode[errcode & 0xff]
      : storageKeyBySystemCode[String(code)];
  return key === undefined ? undefined : createStorageError(key, error);
}

/**
 * The caller's error for missing permission on the app's own files, which somebody revoked and may restore. Use only
 * for those: for any other file, a person must see the original error.
 */
export function toPermissionError(error: unknown): AppError | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return code === "EACCES" || code === "EPERM"
    ? createStorageError("storage_unavailable", error as Error)
    : undefined;
}

function createStorageError(
  key: StorageKey,
  error: Error,
): AppError & { readonly key: StorageKey } {
  const { code } = error as { code?: unknown };
  const id = code === "EMFILE" || code === "ENFILE" ? "storage.tooManyFiles" : messageByKey[key];
  const retrySec = retrySecByKey[key];
  return new AppError(
    id,
    {},
    { cause: error, ...(retrySec === undefined ? {} : { retryAfterSec: retrySec }) },
  ) as AppError & { readonly key: StorageKey };
}

export type AppErrorOptions = {
  /** Replaces the message's own key, for a message that wraps another error or comes from a provider. */
  key?: ErrorKey;
  param?: string;
  cause?: unknown;
  row?: ErrorRow;
  retryAfterSec?: number;
  mayBeCharged?: boolean;
};

/**
 * A failure whose message callers may see: one sentence of the message table, no path of this machine, no secret. Text
 * from elsewhere (a provider's message, a system error) is a parameter.
 */
export class AppError<Id extends ErrorId = ErrorId> extends Error {
  readonly key: ErrorKey;
  /** Status, type and code, from the table or from another provider's response. */
  readonly row: ErrorRow;
  /** The message with its id and parameters, for who translates it. */
  readonly sent: SentMessage;
  /** The request field at fault, if there is one. */
  readonly param: string | undefined;
  /** Seconds until a retry may succeed. */
  readonly retryAfterSec: number | undefined;
  /** A provider accepted the request before it failed, and may charge for it. */
  readonly mayBeCharged: boolean;

  constructor(id: Id, ...[params, options = {}]: ErrorArguments<Id>) {
    const sent = createMessage(id, params as ParamsOf<Id>);
    super(sent.message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "AppError";
    this.key = options.key ?? errorKeyOf(id);
    this.row = options.row ?? errorTable[this.key];
    this.sent = sent;
    this.param = options.param;
    this.retryAfterSec = options.retryAfterSec;
    this.mayBeCharged = options.mayBeCharged ?? false;
  }
}

type ErrorArguments<Id extends ErrorId> =
  ParamNames<Id> extends never
    ? [params?: ParamsOf<Id>, options?: AppErrorOptions]
    : [params: ParamsOf<Id>, options?: AppErrorOptions];

/** An AppError on its way between processes. */
export type SerializedError = {
  key: ErrorKey;
  id: ErrorId;
  params: MessageParams;
  param?: string;
  retryAfterSec?: number;
};

/** Of an error that callers may not see, the stack as text. */
export function serializeError(error: unknown): SerializedError | string {
  const appError = error instanceof AppError ? error : toStorageError(error);
  if (appError === undefined) return String(error instanceof Error ? error.stack : error);
  const { key, sent, param, retryAfterSec } = appError;
  return {
    key,
    id: sent.id as ErrorId,
    params: sent.params ?? {},
    ...(param === undefined ? {} : { param }),
    ...(retryAfterSec === undefined ? {} : { retryAfterSec }),
  };
}

export function restoreError(error: SerializedError | string): Error {
  if (typeof error === "string") return new Error(error);
  const { id, params, ...options } = error;
  return new AppError(id, params as ParamsOf<ErrorId>, options);
}

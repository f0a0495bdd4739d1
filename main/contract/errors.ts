// The error table: every failure that a caller can see, with its HTTP status, `error.type` and `error.code`. See
// server/http/error-response.ts for the HTTP response.

export type ErrorRow = { readonly status: number; readonly type: string; readonly code?: string };

const invalidRequestType = "invalid_request_error";

/** Key → status, `error.type`, `error.code`. Clients retry 408, 409, 429 and 5xx; other statuses are final. */
export const errorTable = {
  invalid_request: { status: 400, type: invalidRequestType },
  missing_field: { status: 400, type: invalidRequestType, code: "missing_required_parameter" },
  invalid_value: { status: 400, type: invalidRequestType, code: "invalid_value" },
  unsupported_value: { status: 400, type: invalidRequestType, code: "unsupported_value" },
  unsupported_format: { status: 400, type: invalidRequestType },
  undecodable_audio: { status: 400, type: invalidRequestType, code: "invalid_audio" },
  audio_too_long: { status: 400, type: invalidRequestType, code: "audio_too_long" },
  audio_too_short: { status: 400, type: invalidRequestType, code: "audio_too_short" },
  string_too_long: { status: 400, type: invalidRequestType, code: "string_above_max_length" },
  nothing_to_say: { status: 400, type: invalidRequestType, code: "nothing_to_say" },
  unsupported_language: { status: 400, type: invalidRequestType, code: "unsupported_language" },
  unknown_model: { status: 404, type: invalidRequestType, code: "model_not_found" },
  authentication: { status: 401, type: "authentication_error" },
  forbidden_origin: { status: 403, type: "permission_error", code: "origin_not_allowed" },
  forbidden_host: { status: 403, type: "permission_error", code: "host_not_allowed" },
  misdirected: { status: 421, type: invalidRequestType, code: "misdirected_request" },
  scope_missing: { status: 403, type: "permission_error", code: "insufficient_scope" },
  owner_only: { status: 403, type: "permission_error", code: "owner_only" },
  unknown_route: { status: 404, type: invalidRequestType },
  wrong_method: { status: 405, type: invalidRequestType },
  request_timeout: { status: 408, type: invalidRequestType, code: "request_timeout" },
  expectation_failed: { status: 417, type: invalidRequestType },
  headers_too_large: { status: 431, type: invalidRequestType },
  file_too_large: { status: 413, type: invalidRequestType },
  body_too_large: { status: 413, type: invalidRequestType },
  not_found: { status: 404, type: invalidRequestType, code: "not_found" },
  conflict: { status: 409, type: invalidRequestType, code: "conflict" },
  name_taken: { status: 409, type: invalidRequestType, code: "name_taken" },
  price_unknown: { status: 400, type: invalidRequestType, code: "price_unknown" },
  budget_used_up: { status: 429, type: "insufficient_quota", code: "insufficient_quota" },
  overloaded: { status: 429, type: "rate_limit_error", code: "rate_limit_exceeded" },
  model_unusable: { status: 500, type: "server_error", code: "model_unusable" },
  engine_failed: { status: 500, type: "server_error", code: "engine_failed" },
  upstream_error: { status: 502, type: "upstream_error", code: "upstream_error" },
  upstream_unreachable: { status: 502, type: "upstream_error", code: "upstream_unreachable" },
  upstream_broken: { status: 502, type: "upstream_error", code: "upstream_broken" },
  upstream_timeout: { status: 504, type: "upstream_error", code: "upstream_timeout" },
  channel_resting: { status: 503, type: "upstream_error", code: "channel_resting" },
  channel_closed: { status: 503, type: "upstream_error", code: "channel_closed" },
  channel_loop: { status: 508, type: invalidRequestType, code: "channel_loop" },
  /** The library's file cannot be read. Features outside the library still work, such as the owner's key. */
  library_unavailable: { status: 503, type: "server_error", code: "library_unavailable" },
  storage_full: { status: 507, type: "server_error", code: "storage_full" },
  storage_busy: { status: 503, type: "server_error", code: "storage_busy" },
  storage_unavailable: { status: 503, type: "server_error", code: "storage_unavailable" },
  temp_space_used_up: { status: 507, type: invalidRequestType, code: "temp_space_used_up" },
  closing: { status: 503, type: "server_error", code: "shutting_down" },
  internal: { status: 500, type: "server_error", code: "internal_error" },
} as const satisfies Record<string, ErrorRow>;

export type ErrorKey = keyof typeof errorTable;

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

const tooManyFiles =
  "Too many files are open on this machine. Close other programs, or raise the limit on open files; then try again.";
const storageMessages: Readonly<Record<StorageKey, string>> = {
  storage_full: "There is no room left on the disk. Free some space, then try again.",
  storage_busy:
    "The library is in use by another program, such as a backup. Try again in a moment.",
  storage_unavailable:
    "The data folder cannot be written to at the moment. Check that its disk is connected and not read-only, then try again.",
};

const retryAfterSec: Readonly<Partial<Record<StorageKey, number>>> = {
  storage_busy: 1,
  storage_unavailable: 5,
};

/** For data whose size is known to be too large before writing. */
export const storageFullError = (): AppError =>
  new AppError("storage_full", storageMessages.storage_full);

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
  const message = code === "EMFILE" || code === "ENFILE" ? tooManyFiles : storageMessages[key];
  const retrySec = retryAfterSec[key];
  return new AppError(key, message, {
    cause: error,
    ...(retrySec === undefined ? {} : { retryAfterSec: retrySec }),
  }) as AppError & { readonly key: StorageKey };
}

export type AppErrorOptions = {
  param?: string;
  cause?: unknown;
  row?: ErrorRow;
  retryAfterSec?: number;
  mayBeCharged?: boolean;
};

/** A failure whose message callers may see: one sentence, no path of this machine, no secret. */
export class AppError extends Error {
  readonly key: ErrorKey;
  /** Status, type and code, from the table or from another provider's response. */
  readonly row: ErrorRow;
  /** The request field at fault, if there is one. */
  readonly param: string | undefined;
  /** Seconds until a retry may succeed. */
  readonly retryAfterSec: number | undefined;
  /** A provider accepted the request before it failed, and may charge for it. */
  readonly mayBeCharged: boolean;

  constructor(key: ErrorKey, message: string, options: AppErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "AppError";
    this.key = key;
    this.row = options.row ?? errorTable[key];
    this.param = options.param;
    this.retryAfterSec = options.retryAfterSec;
    this.mayBeCharged = options.mayBeCharged ?? false;
  }
}

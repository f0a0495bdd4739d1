// The error table: every failure a caller can be told of, with its HTTP status and its `error.type` and
// `error.code`. Rendering it as HTTP is gateway/error-response.ts's work.

export type ErrorRow = { readonly status: number; readonly type: string; readonly code?: string };

const invalid = 'invalid_request_error';

/** Key → status, `error.type`, `error.code`. Statuses below 500 are final: clients retry 408, 409, 429 and 5xx. */
export const errorTable = {
  invalid_request: { status: 400, type: invalid },
  missing_field: { status: 400, type: invalid, code: 'missing_required_parameter' },
  invalid_value: { status: 400, type: invalid, code: 'invalid_value' },
  unsupported_value: { status: 400, type: invalid, code: 'unsupported_value' },
  unsupported_format: { status: 400, type: invalid },
  undecodable_audio: { status: 400, type: invalid, code: 'invalid_audio' },
  audio_too_long: { status: 400, type: invalid, code: 'audio_too_long' },
  audio_too_short: { status: 400, type: invalid, code: 'audio_too_short' },
  string_too_long: { status: 400, type: invalid, code: 'string_above_max_length' },
  nothing_to_say: { status: 400, type: invalid, code: 'nothing_to_say' },
  unsupported_language: { status: 400, type: invalid, code: 'unsupported_language' },
  unknown_model: { status: 404, type: invalid, code: 'model_not_found' },
  authentication: { status: 401, type: 'authentication_error' },
  forbidden_origin: { status: 403, type: 'permission_error', code: 'origin_not_allowed' },
  forbidden_host: { status: 403, type: 'permission_error', code: 'host_not_allowed' },
  misdirected: { status: 421, type: invalid, code: 'misdirected_request' },
  scope_missing: { status: 403, type: 'permission_error', code: 'insufficient_scope' },
  owner_only: { status: 403, type: 'permission_error', code: 'owner_only' },
  unknown_route: { status: 404, type: invalid },
  wrong_method: { status: 405, type: invalid },
  request_timeout: { status: 408, type: invalid, code: 'request_timeout' },
  expectation_failed: { status: 417, type: invalid },
  headers_too_large: { status: 431, type: invalid },
  file_too_large: { status: 413, type: invalid },
  body_too_large: { status: 413, type: invalid },
  not_found: { status: 404, type: invalid, code: 'not_found' },
  conflict: { status: 409, type: invalid, code: 'conflict' },
  name_taken: { status: 409, type: invalid, code: 'name_taken' },
  price_unknown: { status: 400, type: invalid, code: 'price_unknown' },
  budget_used_up: { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  overloaded: { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  model_unusable: { status: 500, type: 'server_error', code: 'model_unusable' },
  engine_failed: { status: 500, type: 'server_error', code: 'engine_failed' },
  upstream_error: { status: 502, type: 'upstream_error', code: 'upstream_error' },
  upstream_unreachable: { status: 502, type: 'upstream_error', code: 'upstream_unreachable' },
  upstream_broken: { status: 502, type: 'upstream_error', code: 'upstream_broken' },
  upstream_timeout: { status: 504, type: 'upstream_error', code: 'upstream_timeout' },
  channel_resting: { status: 503, type: 'upstream_error', code: 'channel_resting' },
  channel_closed: { status: 503, type: 'upstream_error', code: 'channel_closed' },
  channel_loop: { status: 508, type: invalid, code: 'channel_loop' },
  /** Its file cannot be read: what is not in it, as the owner's key, works. */
  library_unavailable: { status: 503, type: 'server_error', code: 'library_unavailable' },
  storage_full: { status: 507, type: 'server_error', code: 'storage_full' },
  temp_space_used_up: { status: 507, type: invalid, code: 'temp_space_used_up' },
  closing: { status: 503, type: 'server_error', code: 'shutting_down' },
  internal: { status: 500, type: 'server_error', code: 'internal_error' },
} as const satisfies Record<string, ErrorRow>;

export type ErrorKey = keyof typeof errorTable;

/** The failure of a write for which the disk has no room, as a caller may be told; undefined for any other. */
export function storageFull(error: unknown): AppError | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return undefined;
  return new AppError('storage_full', 'There is no room left on the disk for this request.', { cause: error });
}

export type AppErrorOptions = { param?: string; cause?: unknown; row?: ErrorRow; retryAfterSec?: number; mayBeCharged?: boolean };

/** A failure that may be shown to the caller as it is: one sentence, no path of the machine, no secret. */
export class AppError extends Error {
  readonly key: ErrorKey;
  /** Status, type and code: the table's, or those another provider answered with. */
  readonly row: ErrorRow;
  /** The request field at fault, when there is one. */
  readonly param: string | undefined;
  /** When it may be worth another try. */
  readonly retryAfterSec: number | undefined;
  /** A provider accepted the request before it failed, and may charge for it. */
  readonly mayBeCharged: boolean;

  constructor(key: ErrorKey, message: string, options: AppErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'AppError';
    this.key = key;
    this.row = options.row ?? errorTable[key];
    this.param = options.param;
    this.retryAfterSec = options.retryAfterSec;
    this.mayBeCharged = options.mayBeCharged ?? false;
  }
}

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
  licence_not_accepted: { status: 409, type: invalidRequestType, code: "licence_not_accepted" },
  price_unknown: { status: 400, type: invalidRequestType, code: "price_unknown" },
  budget_used_up: { status: 429, type: "insufficient_quota", code: "insufficient_quota" },
  overloaded: { status: 429, type: "rate_limit_error", code: "rate_limit_exceeded" },
  model_unusable: { status: 500, type: "server_error", code: "model_unusable" },
  /** Not a fault of the model: other programs, or the limit for the engines, leave too little memory. */
  model_too_large: { status: 503, type: "server_error", code: "model_too_large" },
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
  offline: { status: 503, type: "server_error", code: "offline" },
  closing: { status: 503, type: "server_error", code: "shutting_down" },
  internal: { status: 500, type: "server_error", code: "internal_error" },
} as const satisfies Record<string, ErrorRow>;

export type ErrorKey = keyof typeof errorTable;

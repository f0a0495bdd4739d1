// Handler types of /app: one handler per name of contract/api.ts, and raw routes whose bodies are files or streams.

import type { ApiName, ApiRequest, ApiResponse } from "../../contract/api.ts";
import type { RouteContext } from "../route-context.ts";

/**
 * `id` comes from the path. A handler is called again if another program was writing to the library, so before that
 * error it must change nothing, or be idempotent.
 */
export type Handler<Name extends ApiName> = (
  fields: ApiRequest<Name>,
  id: string,
  signal: AbortSignal,
) => ApiResponse<Name> | Promise<ApiResponse<Name>>;
export type Handlers<Name extends ApiName> = { [Each in Name]: Handler<Each> };

/** A route whose request or response body is no JSON. In `path`, `:name` is one segment. */
export type RawRoute = {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  /** `params` are the named path segments, unescaped. */
  respond(
    request: Request,
    params: Readonly<Record<string, string>>,
    context: RouteContext,
  ): Response | Promise<Response>;
};

export type AppApiRoutes = {
  readonly handlers: Partial<Handlers<ApiName>>;
  readonly rawRoutes: readonly RawRoute[];
};

export const joinRoutes = (...parts: readonly AppApiRoutes[]): AppApiRoutes => ({
  handlers: Object.assign({}, ...parts.map(({ handlers }) => handlers)) as AppApiRoutes["handlers"],
  rawRoutes: parts.flatMap(({ rawRoutes }) => rawRoutes),
});

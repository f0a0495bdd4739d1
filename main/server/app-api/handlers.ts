// What serves an address of the window's API: a handler for each name of contract/api.ts, and raw routes whose bodies
// are files or streams.

import type { ApiName, ApiRequest, ApiResponse } from "../../contract/api.ts";
import type { RouteContext } from "../route-context.ts";

/**
 * `id` is that of the path. Called again where it failed since another program was writing to the library: until then it
 * has changed nothing, or is idempotent.
 */
export type Handler<Name extends ApiName> = (
  fields: ApiRequest<Name>,
  id: string,
  signal: AbortSignal,
) => ApiResponse<Name> | Promise<ApiResponse<Name>>;
export type Handlers<Name extends ApiName> = { [Each in Name]: Handler<Each> };

/** An address whose body, or whose answer's, is no JSON. In a path `:name` is one segment. */
export type RawRoute = {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  /** `params` are the named segments of the path, unescaped. */
  respond(
    request: Request,
    params: Readonly<Record<string, string>>,
    context: RouteContext,
  ): Response | Promise<Response>;
};

export type StudioRoutes = {
  readonly handlers: Partial<Handlers<ApiName>>;
  readonly rawRoutes: readonly RawRoute[];
};

export const joinRoutes = (...parts: readonly StudioRoutes[]): StudioRoutes => ({
  handlers: Object.assign({}, ...parts.map(({ handlers }) => handlers)) as StudioRoutes["handlers"],
  rawRoutes: parts.flatMap(({ rawRoutes }) => rawRoutes),
});

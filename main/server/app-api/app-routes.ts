// Routes of contract/api.ts, with validation and JSON responses, and the raw routes. The handlers are in the other
// files of this folder.

import { Hono } from "hono";
import { api, type ApiName } from "../../contract/api.ts";
import { AppError } from "../../contract/errors.ts";
import { errorResponse } from "../http/error-response.ts";
import { retryWhileBusy } from "../../storage/retry-while-busy.ts";
import { readJsonObject } from "../http/request-body.ts";
import type { GatewayDeps, RouteContext } from "../route-context.ts";
import { slicedJsonResponse } from "../http/sliced-json.ts";
import { parseFields } from "../../contract/validation.ts";
import type { Handler, Handlers, AppApiRoutes } from "./handlers.ts";
import { channelHandlers } from "./channels.ts";
import { keyHandlers } from "./keys.ts";
import { settingsHandlers } from "./settings.ts";
import { usageHandlers } from "./usage.ts";

/** Enough for the script of a book. */
export const maxBodyBytes = 32 * 2 ** 20;

export function createAppRoutes(
  deps: GatewayDeps,
  appApiRoutes?: AppApiRoutes,
): Hono<{ Bindings: RouteContext }> {
  const app = new Hono<{ Bindings: RouteContext }>({ strict: false });
  const handlers: Partial<Handlers<ApiName>> = {
    ...channelHandlers(deps),
    ...keyHandlers(deps),
    ...settingsHandlers(deps),
    ...usageHandlers(deps),
    ...appApiRoutes?.handlers,
  };
  app.onError((error) => {
    throw error;
  });
  const allowedMethods = new Map<string, string[]>();
  const allow = (path: string, method: string): void =>
    void allowedMethods.set(path, [...(allowedMethods.get(path) ?? []), method]);

  for (const { method, path, respond } of appApiRoutes?.rawRoutes ?? []) {
    allow(path, method);
    app.on(method, path, ({ req, env }) =>
      respond(req.raw, req.param() as Record<string, string>, env),
    );
  }
  for (const [name, { method, path, request: schema }] of Object.entries(api)) {
    const handle = handlers[name as ApiName] as Handler<ApiName> | undefined;
    if (handle === undefined) continue;
    allow(path, method);
    app.on(method, path, async ({ req, env }) => {
      const input =
        method === "GET" || method === "DELETE"
          ? req.query()
          : await readJsonObject(req.raw, maxBodyBytes, env.limits);
      const { signal } = req.raw;
      const response = await retryWhileBusy(
        () => handle(parseFields(schema, input) as never, req.param("id") ?? "", signal),
        { signal },
      );
      return slicedJsonResponse(response, { "cache-control": "no-store" });
    });
  }
  for (const [path, methods] of allowedMethods) {
    app.all(path, () =>
      errorResponse(new AppError("request.wrongMethod", { methods: methods.join(", ") }), {
        allow: methods.join(", "),
      }),
    );
  }
  return app;
}

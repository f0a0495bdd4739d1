// Serves contract/api.ts: every name of the table is an address, its request is checked, its answer is JSON. Beside
// them stand the addresses whose bodies are files or streams. What each does is in the other files of this folder.

import { Hono } from 'hono';
import { api, type ApiName, type ApiRequest, type ApiResponse } from '../../contract/api.ts';
import { AppError } from '../../contract/errors.ts';
import { errorResponse } from '../error-response.ts';
import { retryWhileBusy } from '../../storage/retry-while-busy.ts';
import { readJsonObject } from '../request-body.ts';
import type { GatewayDeps, RouteContext } from '../routes/route-context.ts';
import { slicedJsonResponse } from '../sliced-json.ts';
import { parseFields } from '../validation.ts';
import { channelHandlers } from './channels.ts';
import { keyHandlers } from './keys.ts';
import { settingHandlers } from './settings.ts';
import { usageHandlers } from './usage.ts';

/**
 * `id` is that of the path. Called again where it failed since another program was writing to the library: until then it
 * has changed nothing, or is idempotent.
 */
export type Handler<Name extends ApiName> = (fields: ApiRequest<Name>, id: string, signal: AbortSignal) => ApiResponse<Name> | Promise<ApiResponse<Name>>;
export type Handlers<Name extends ApiName> = { [Each in Name]: Handler<Each> };

/** An address whose body, or whose answer's, is no JSON. In a path `:name` is one segment. */
export type RawRoute = {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  /** `params` are the named segments of the path, unescaped. */
  respond(request: Request, params: Readonly<Record<string, string>>, context: RouteContext): Response | Promise<Response>;
};

/** Long enough for a script of a book. */
export const maxBodyBytes = 32 * 2 ** 20;

export function createAppRoutes(deps: GatewayDeps): Hono<{ Bindings: RouteContext }> {
  const app = new Hono<{ Bindings: RouteContext }>({ strict: false });
  const handlers: Partial<Handlers<ApiName>> = { ...channelHandlers(deps), ...keyHandlers(deps), ...settingHandlers(deps), ...usageHandlers(deps), ...deps.studio?.handlers };
  app.onError((error) => {
    throw error;
  });
  const allowed = new Map<string, string[]>();
  const allow = (path: string, method: string): void => void allowed.set(path, [...(allowed.get(path) ?? []), method]);

  for (const { method, path, respond } of deps.studio?.rawRoutes ?? []) {
    allow(path, method);
    app.on(method, path, ({ req, env }) => respond(req.raw, req.param() as Record<string, string>, env));
  }
  for (const [name, { method, path, request: schema }] of Object.entries(api)) {
    const handle = handlers[name as ApiName] as Handler<ApiName> | undefined;
    if (handle === undefined) continue;
    allow(path, method);
    app.on(method, path, async ({ req, env }) => {
      const given = method === 'GET' || method === 'DELETE' ? req.query() : await readJsonObject(req.raw, maxBodyBytes, env.limits);
      const { signal } = req.raw;
      const answer = await retryWhileBusy(() => handle(parseFields(schema, given) as never, req.param('id') ?? '', signal), { signal });
      return slicedJsonResponse(answer, { 'cache-control': 'no-store' });
    });
  }
  for (const [path, methods] of allowed) {
    app.all(path, () => errorResponse(new AppError('wrong_method', `This address answers to ${methods.join(' and ')} only.`), { allow: methods.join(', ') }));
  }
  return app;
}

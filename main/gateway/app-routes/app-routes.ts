// Serves contract/api.ts: every name of the table is an address, its request is checked, its answer is JSON. What
// each does is in the other files of this folder.

import { Hono } from 'hono';
import { api, type ApiName, type ApiRequest, type ApiResponse } from '../../contract/api.ts';
import { AppError } from '../../contract/errors.ts';
import { errorResponse } from '../error-response.ts';
import { readJsonObject } from '../request-body.ts';
import type { GatewayDeps, RouteContext } from '../routes/route-context.ts';
import { jsonResponse } from '../sized-response.ts';
import { parseFields } from '../validation.ts';
import { channelHandlers } from './channels.ts';
import { keyHandlers } from './keys.ts';
import { settingHandlers } from './settings.ts';
import { usageHandlers } from './usage.ts';

/** `id` is that of the path. */
export type Handler<Name extends ApiName> = (fields: ApiRequest<Name>, id: string, signal: AbortSignal) => ApiResponse<Name> | Promise<ApiResponse<Name>>;
export type Handlers<Name extends ApiName> = { [Each in Name]: Handler<Each> };

const maxBodyBytes = 2 ** 20;

export function createAppRoutes(deps: GatewayDeps): Hono<{ Bindings: RouteContext }> {
  const app = new Hono<{ Bindings: RouteContext }>({ strict: false });
  const handlers: Handlers<ApiName> = { ...channelHandlers(deps), ...keyHandlers(deps), ...settingHandlers(deps), ...usageHandlers(deps) };
  app.onError((error) => {
    throw error;
  });
  const allowed = new Map<string, string[]>();
  for (const [name, { method, path, request: schema }] of Object.entries(api)) {
    const handle = handlers[name as ApiName] as Handler<ApiName>;
    allowed.set(path, [...(allowed.get(path) ?? []), method]);
    app.on(method, path, async ({ req, env }) => {
      const given = method === 'GET' || method === 'DELETE' ? req.query() : await readJsonObject(req.raw, maxBodyBytes, env.limits);
      return jsonResponse(await handle(parseFields(schema, given) as never, req.param('id') ?? '', req.raw.signal), { 'cache-control': 'no-store' });
    });
  }
  for (const [path, methods] of allowed) {
    app.all(path, () => errorResponse(new AppError('wrong_method', `This address answers to ${methods.join(' and ')} only.`), { allow: methods.join(', ') }));
  }
  return app;
}

// Gateways of our kind that stand in a circle, each a channel of the next: every request tells which ones it came
// through, every list of models which ones stand behind it.

import { AppError } from '../contract/errors.ts';
import { behindHeader, viaHeader } from '../contract/openai.ts';
import type { GatewayDeps } from './routes/route-context.ts';

/** Names of the gateways of our kind a request came through. */
export const requestVia = (request: Request): string[] => (request.headers.get(viaHeader) ?? '').split(',').map((name) => name.trim()).filter(Boolean);

/** @throws AppError where a request of this gateway came back to it. */
export function checkCircle(request: Request, { configuration }: GatewayDeps): void {
  if (!request.headers.has(viaHeader) || !requestVia(request).includes(configuration.instanceId())) return;
  throw new AppError('channel_loop', 'This request came from this gateway itself: one of its channels leads back to it.');
}

/** Tells another gateway who stands behind this one's models. */
export function withBehind(request: Request, { configuration, channels }: GatewayDeps, response: Response): Response {
  if (request.headers.has(viaHeader)) response.headers.set(behindHeader, [configuration.instanceId(), ...channels.behind()].join(', '));
  return response;
}

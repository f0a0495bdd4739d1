// Gateways of our kind that stand in a circle, each a channel of the next: every request tells which ones it came
// through, every list of models which ones stand behind it.

import { AppError } from "../../contract/errors.ts";
import { upstreamGatewaysHeader, viaHeader } from "../../contract/openai.ts";
import type { GatewayDeps } from "../route-context.ts";

/** As gateways of our kind call themselves; nothing else is handed on. */
const gatewayNamePattern = /^[0-9a-f]{16}$/;
/** More in a row are a circle, whose names may be new at each turn. */
const maxGateways = 8;

/** Names of the gateways of our kind a request came through. */
export const parseViaHeader = (request: Request): string[] =>
  (request.headers.get(viaHeader) ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => gatewayNamePattern.test(name));

/** @throws AppError where a request of this gateway came back to it, or came through too many. */
export function checkLoop(request: Request, { configuration }: GatewayDeps): void {
  if (!request.headers.has(viaHeader)) return;
  const via = parseViaHeader(request);
  if (via.includes(configuration.instanceId()))
    throw new AppError(
      "channel_loop",
      "This request came from this gateway itself: one of its channels leads back to it.",
    );
  if (via.length > maxGateways)
    throw new AppError(
      "channel_loop",
      `This request came through more than ${maxGateways} gateways.`,
    );
}

/** Tells another gateway who stands behind this one's models. */
export function addUpstreamGatewaysHeader(
  request: Request,
  { configuration, channels }: GatewayDeps,
  response: Response,
): Response {
  if (request.headers.has(viaHeader))
    response.headers.set(
      upstreamGatewaysHeader,
      [configuration.instanceId(), ...channels.upstreamGateways()].join(", "),
    );
  return response;
}

// Detects loops of Hearsay gateways that are channels of each other: every request lists the gateways it passed, every
// model list those behind it.

import { AppError } from "../../contract/errors.ts";
import { upstreamGatewaysHeader, viaHeader } from "../../contract/openai.ts";
import type { GatewayDeps } from "../route-context.ts";

/** The format of Hearsay gateway names; other values are not forwarded. */
const gatewayNamePattern = /^[0-9a-f]{16}$/;
/** A longer chain counts as a loop, since names may be new at each turn. */
const maxGateways = 8;

/** Names of the Hearsay gateways that the request passed. */
export const parseViaHeader = (request: Request): string[] =>
  (request.headers.get(viaHeader) ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => gatewayNamePattern.test(name));

/** @throws AppError if a request of this gateway came back, or passed too many gateways */
export function checkLoop(request: Request, { configuration }: GatewayDeps): void {
  if (!request.headers.has(viaHeader)) return;
  const via = parseViaHeader(request);
  if (via.includes(configuration.instanceId())) throw new AppError("request.ownLoop");
  if (via.length > maxGateways) throw new AppError("request.longLoop", { max: maxGateways });
}

/** Tells another gateway which ones are behind this one's models. */
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

// What a route is given beside the request.

import type { Registry } from '../../channels/registry.ts';
import type { Log } from '../../log.ts';
import type { ApiKeys } from '../../settings/api-keys.ts';
import type { BodyLimits } from '../request-body.ts';

export type GatewayDeps = {
  registry: Registry;
  keys: ApiKeys;
  /** An existing folder for recordings in transit. */
  tempDir: string;
  /** Take flac, ogg and opus too. Read at each request. */
  moreFormats: boolean;
  /** Other names for voices, `marin` → `nova`. Read at each request. */
  voiceAliases: ReadonlyMap<string, string>;
  /** The address the server is bound to; decides which Host names it answers to. */
  host: string;
  /** Hearsay's own version, shown by the docs. */
  version: string;
  log: Log;
};

export type RouteContext = {
  deps: GatewayDeps;
  requestId: string;
  log: Log;
  limits: BodyLimits;
  /** How long an event stream may be quiet. */
  keepAliveMs: number;
};

// What a route is given beside the request.

import type { Channels } from "../channels/config/channels.ts";
import type { MeteredRequest, Metering } from "../usage/metering.ts";
import type { Registry } from "../channels/registry.ts";
import type { Router } from "../channels/router.ts";
import type { Usage } from "../usage/records.ts";
import type { Log } from "../log.ts";
import type { Readiness } from "./readiness.ts";
import type { ApiKeys } from "../storage/settings/api-keys.ts";
import type { Configuration } from "../storage/settings/configuration.ts";
import type { ModelKind } from "../channels/attempt-plan.ts";
import type { Admission } from "./http/admission.ts";
import type { BodyLimits } from "./http/request-body.ts";

export type GatewayDeps = {
  registry: Registry;
  router: Router;
  keys: ApiKeys;
  metering: Metering;
  usage: Usage;
  channels: Channels;
  configuration: Configuration;
  /** An existing folder for recordings in transit. */
  tempDir: () => string;
  /** Take flac, ogg and opus too. Read at each request. */
  moreFormats: boolean;
  /** The address the server is bound to; decides which Host names it answers to. */
  host: string;
  /** Hearsay's own version, shown by the docs. */
  version: string;
  log: Log;
  /** Bounds what this machine is asked for at once; optional; default no bounds. */
  admission?: Admission;
  /** Told of each channel that is given the sound of an item, where the window has /v1 hear one. */
  onItemSent?(itemId: string, channel: string): void;
  /** Told to probes; optional; default all is well. */
  readiness?: Readiness;
  /** The library cannot be opened: /app is refused but for what does without it. */
  isLibraryUnavailable?(): boolean;
  /** Awaited before an answer of /app leaves: what it acknowledges is safe from a power cut. */
  flushLibrary?(): Promise<void>;
};

export type RouteContext = {
  deps: GatewayDeps;
  requestId: string;
  log: Log;
  limits: BodyLimits;
  /** How long an event stream may be quiet. */
  keepAliveMs: number;
  /** How long a client may read nothing of an answer that is sent while it is made. */
  stallTimeoutMs: number;
};

/** What a route that hears or speaks is given. */
export type MeteredContext = RouteContext & {
  /** What the request uses; its record is kept when the answer has ended. */
  readonly metered: MeteredRequest;
  /** To be asked once the model is known, before anybody is asked to do it. @throws AppError `overloaded` where this machine is to do it and has enough to do */
  admit(model: string, kind: ModelKind): void;
};

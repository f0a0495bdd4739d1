// What a route receives besides the request.

import type { VocabularyTerm } from "../contract/vocabulary.ts";
import type { Channels } from "../channels/config/channels.ts";
import type { Meter, Metering } from "../usage/metering.ts";
import type { Registry } from "../channels/registry.ts";
import type { Router } from "../channels/router.ts";
import type { Usage } from "../usage/records.ts";
import type { LiveRecognizer } from "../jobs/transcription/live/live-recognizer.ts";
import type { ModelRecognizerOptions } from "../jobs/transcription/live/model-recognizer.ts";
import type { Log } from "../log.ts";
import type { Readiness } from "./readiness.ts";
import type { ApiKeys } from "../storage/settings/api-keys.ts";
import type { Configuration } from "../storage/settings/configuration.ts";
import type { ModelKind } from "../channels/attempt-plan.ts";
import type { Admission } from "./http/admission.ts";
import type { BodyLimits } from "./http/request-body.ts";

export type OpenLiveRecognizer = (options: ModelRecognizerOptions) => LiveRecognizer;

export type GatewayDeps = {
  registry: Registry;
  router: Router;
  keys: ApiKeys;
  metering: Metering;
  usage: Usage;
  channels: Channels;
  configuration: Configuration;
  /** An existing folder for uploads. */
  tempDir: () => string;
  /** Accept flac, ogg and opus too. Read for each request. */
  moreFormats: boolean;
  /** The address the server is bound to; determines which Host names are accepted. */
  host: string;
  /** Hearsay's own version, shown in the docs. */
  version: string;
  log: Log;
  /** Limits concurrent requests for this machine; default: no limit. */
  admission?: Admission;
  /** Called for each channel that receives the audio of an item, if the window uses /v1 for it. */
  onItemSent?(itemId: string, channel: string): void;
  /** Omitted if there are no realtime sessions. */
  openLiveRecognizer?: OpenLiveRecognizer;
  /** For requests that ask for it; default: empty. */
  vocabulary?(): readonly VocabularyTerm[];
  /** For probes; default: always ready. */
  readiness?: Readiness;
  /** The library cannot be opened: /app rejects everything that needs it. */
  isLibraryUnavailable?(): boolean;
  /**
   * The podcast feed; undefined for an unknown address, and omitted if other machines cannot reach the server.
   */
  respondToFeed?(request: Request): Promise<Response | undefined>;
  /** Awaited before a response of /app is sent, so that acknowledged changes survive a power failure. */
  flushLibrary?(): Promise<void>;
};

export type RouteContext = {
  deps: GatewayDeps;
  requestId: string;
  log: Log;
  limits: BodyLimits;
  /** Maximum silence of an event stream. */
  keepAliveMs: number;
  /** How long a client may read nothing of a streamed response. */
  stallTimeoutMs: number;
};

/** What a route for transcription or speech receives. */
export type MeteredContext = RouteContext & {
  /** Ends with the response. */
  readonly meter: Meter;
  /** For the router; the response names the channel. */
  onServing(channel: string): void;
  /**
   * Call it when the model is known, before any channel is tried.
   * @throws AppError `overloaded` if this machine would serve the request and is at its limit
   */
  admit(model: string, kind: ModelKind): void;
};

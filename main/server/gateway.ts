// The server as a Request → Response function: guard, routes, one error boundary, a request id on every response. See
// http/listen.ts for opening a port.

import { Hono } from "hono";
import { getPath } from "hono/utils/url";

import { commandLinePath } from "../contract/command-line-api.ts";
import { AppError } from "../contract/errors.ts";
import { feedPathPrefix, redactFeedPath } from "../contract/podcast-feed.ts";
import type { Scope, UsageRecord } from "../contract/usage.ts";
import type { Log } from "../log.ts";
import type { AppApiRoutes } from "./app-api/handlers.ts";
import { createAppRoutes } from "./app-api/app-routes.ts";
import { closesConnection } from "./http/listen.ts";
import { checkLoop, addUpstreamGatewaysHeader } from "./http/loop-guard.ts";
import { errorResponse, toAppError, windowErrorResponse } from "./http/error-response.ts";
import { addCorsHeaders, checkOwner, createGuard, preflightResponse } from "./http/guard.ts";
import {
  type Caller,
  checkScope,
  defaultStallTimeoutMs,
  serveMetered,
} from "./v1/metered-request.ts";
import { type BodyLimits, defaultBodyLimits } from "./http/request-body.ts";
import type { Readiness } from "./readiness.ts";
import { libraryUnavailableError } from "../library/recovery/placeholder-database.ts";
import { newRequestId } from "./http/request-id.ts";
import { realtimePath } from "../contract/realtime.ts";
import type { AcceptSocket } from "./http/web-socket.ts";
import { createClientSecrets } from "./v1/realtime/client-secrets.ts";
import { createRealtimeRoutes, type RealtimeRoutes } from "./v1/realtime/realtime-routes.ts";
import { createDocsRoutes } from "./v1/docs.ts";
import { createModelRoutes } from "./v1/models.ts";
import type { GatewayDeps, MeteredContext, RouteContext } from "./route-context.ts";
import { listVoices, handleSpeech } from "./v1/speech.ts";
import { handleTranscription } from "./v1/transcriptions.ts";
import { defaultKeepAliveMs } from "./http/stream-response.ts";
import { jsonResponse } from "./http/sized-response.ts";
import { unknownRouteError } from "./http/unknown-route.ts";
import { createWrongKeyDelay, type WrongKeyPolicy } from "./http/wrong-key-delay.ts";

/** What is already known of the sender. */
export type ConnectionInfo = {
  /** Its session was already checked: skip key and Host checks, and send no CORS headers. */
  isTrusted?: boolean;
  /** Sent by the command line on this data folder. Requires `isTrusted`. */
  isCommandLine?: boolean;
  /** Of the connection, for the delay of wrong keys. */
  remoteAddress?: string;
};

export interface Gateway {
  /** @returns `Response.error()` to close the connection without a response */
  handle(request: Request, connection?: ConnectionInfo): Promise<Response>;
  /** A request to open a WebSocket. @returns a response to refuse it */
  upgrade(request: Request, connection?: ConnectionInfo): Promise<Response | AcceptSocket>;
}

/** Limits that tests shorten. */
export type GatewayLimits = {
  wrongKeys?: Partial<WrongKeyPolicy>;
  body?: Partial<BodyLimits>;
  keepAliveMs?: number;
  stallTimeoutMs?: number;
};

/** Open to everyone who can reach the port, since they contain nothing of the owner's. */
const publicPaths: ReadonlySet<string> = new Set([
  "/",
  "/health",
  "/readyz",
  "/docs",
  "/openapi.json",
]);
/** Routes of /app that are useful without a library. */
const appPathsWithoutLibrary: ReadonlySet<string> = new Set([
  "/app/info",
  "/app/server",
  "/app/library",
  "/app/events",
  "/app/launch-url",
  "/app/dictation",
  "/app/models",
  `${commandLinePath}models`,
  `${commandLinePath}transcriptions`,
  `${commandLinePath}speech`,
  `${commandLinePath}phonemes`,
]);
/** How long probes wait for the disk. */
const healthTimeoutMs = 50;
const readinessTimeoutMs = 2000;

type CallerContext = RouteContext & { caller: Caller };
type Env = { Bindings: CallerContext };

/** @param appApiRoutes routes of /app beside those of channels, keys, settings and usage, which need no library */
export function createGateway(
  { appApiRoutes, ...deps }: GatewayDeps & { appApiRoutes?: AppApiRoutes },
  limits: GatewayLimits = {},
): Gateway {
  const guard = createGuard(deps);
  const realtime = createRealtimeRoutes(deps, createClientSecrets(deps.keys));
  const app = createRoutes(deps, realtime, appApiRoutes);
  const wrongKeys = createWrongKeyDelay(limits.wrongKeys);
  const body = { ...defaultBodyLimits, ...limits.body };
  const keepAliveMs = limits.keepAliveMs ?? defaultKeepAliveMs;
  const stallTimeoutMs = limits.stallTimeoutMs ?? defaultStallTimeoutMs;

  /** @throws the error, after a delay @returns `Response.error()` if too many wait already */
  async function refuseKey(
    error: AppError,
    { signal }: Request,
    remoteAddress: string,
  ): Promise<Response> {
    if (await wrongKeys.delay(remoteAddress, signal)) throw error;
    return Response.error();
  }

  async function respond(
    request: Request,
    { isTrusted = false, isCommandLine = false, remoteAddress = "" }: ConnectionInfo,
    requestId: string,
  ): Promise<Response> {
    let isAppPath = false;
    try {
      const path = getPath(request);
      isAppPath = path.startsWith("/app/");
      let caller: Caller = "window";
      if (!isTrusted) {
        // Must come first: a loop must be detected even if the key is wrong or the host name is unknown.
        checkLoop(request, deps);
        guard.checkHost(request.url);
        if (request.method === "OPTIONS") return preflightResponse(request);
        if (path.startsWith(feedPathPrefix)) return await respondToFeed(request, deps);
        if (!publicPaths.has(path)) {
          const holder = guard.checkKey(request.headers.get("authorization"));
          if (holder instanceof AppError) return await refuseKey(holder, request, remoteAddress);
          if (isAppPath) checkOwner(holder, request);
          caller = holder;
        }
      }
      if (path.startsWith(commandLinePath) && !isCommandLine)
        throw new AppError("request.commandLineOnly");
      checkLibrary(path, deps);
      const response = await app.fetch(request, {
        deps,
        requestId,
        log: deps.log,
        limits: body,
        keepAliveMs,
        stallTimeoutMs,
        caller,
      });
      if (isAppPath) await flushLibrary(deps);
      return response;
    } catch (error) {
      // The client disconnected: it gets no response, and errors caused by that are not logged.
      if (!(error instanceof AppError) && request.signal.aborted)
        return new Response(null, { status: 400 });
      // The command line prints what the log would say.
      if (isCommandLine && error instanceof AppError) return errorResponse(error);
      const createResponse = isTrusted || isAppPath ? windowErrorResponse : errorResponse;
      return createResponse(toAppError(error, requestId, deps.log));
    }
  }

  async function openSocket(
    request: Request,
    { isTrusted = false, remoteAddress = "" }: ConnectionInfo,
    requestId: string,
  ): Promise<Response | AcceptSocket> {
    if (!isTrusted) {
      checkLoop(request, deps);
      guard.checkHost(request.url);
    }
    if (getPath(request) !== realtimePath) throw unknownRouteError(request);
    if (isTrusted) return realtime.open(request, "window", requestId);
    const authorization = realtime.authorization(request);
    const secret = realtime.verifySecret(authorization);
    const holder = secret?.holder ?? guard.checkKey(authorization);
    if (holder instanceof AppError) return await refuseKey(holder, request, remoteAddress);
    return realtime.open(request, holder, requestId, secret?.session);
  }

  return {
    async upgrade(request, connection = {}) {
      const requestId = newRequestId();
      try {
        return await openSocket(request, connection, requestId);
      } catch (error) {
        return errorResponse(toAppError(error, requestId, deps.log), { "x-request-id": requestId });
      }
    },
    async handle(request, connection = {}) {
      const requestId = newRequestId();
      const response = await respond(request, connection, requestId);
      if (closesConnection(response)) return response;
      response.headers.set("x-request-id", requestId);
      if (connection.isTrusted !== true) addCorsHeaders(request, response.headers);
      logAnswer(deps.log, requestId, request, response);
      return response;
    },
  };
}

/** Failures leave through `fetch`, so that the error boundary above handles all of them. */
function createRoutes(
  deps: GatewayDeps,
  realtime: RealtimeRoutes,
  appApiRoutes?: AppApiRoutes,
): Hono<Env> {
  const app = new Hono<Env>({ strict: false });
  const models = createModelRoutes(deps.registry);
  const docs = createDocsRoutes(deps.version);
  app.onError((error) => {
    throw error;
  });
  app.notFound((c) => {
    throw unknownRouteError(c.req.raw);
  });

  const get = (
    path: string,
    requiredScopes: readonly Scope[],
    respond: (request: Request) => Response | Promise<Response>,
  ) =>
    app.all(path, async ({ req, env }) => {
      if (req.method !== "GET" && req.method !== "HEAD") return wrongMethodResponse("GET, HEAD");
      if (requiredScopes.length > 0) checkScope(env.caller, ...requiredScopes);
      const response = await respond(req.raw);
      return req.method === "HEAD" ? toHeadResponse(response) : response;
    });
  const post = (
    endpoint: UsageRecord["endpoint"],
    respond: (request: Request, context: MeteredContext) => Promise<Response>,
  ) =>
    app.all(`/v1/audio/${endpoint}`, ({ req: { method, raw }, env }) =>
      method === "POST"
        ? serveMetered(raw, env.caller, endpoint, env, (context) => respond(raw, context))
        : wrongMethodResponse("POST"),
    );

  post("transcriptions", (request, context) => handleTranscription(request, "transcribe", context));
  post("translations", (request, context) => handleTranscription(request, "translate", context));
  post("speech", handleSpeech);
  get(realtimePath, [], () => errorResponse(new AppError("realtime.upgrade")));
  app.all(`${realtimePath}/client_secrets`, ({ req: { method, raw }, env }) =>
    method === "POST"
      ? realtime.createSecret(raw, env.caller, env.limits)
      : wrongMethodResponse("POST"),
  );
  get("/v1/audio/voices", ["speech", "models"], (request) => listVoices(request, deps.registry));
  get("/v1/audio/models", ["speech", "models"], models.listSpeechModels);
  get("/v1/models", ["models"], (request) =>
    addUpstreamGatewaysHeader(request, deps, models.list()),
  );
  // A model id may contain slashes; the route unescapes it, once.
  get("/v1/models/:id{.+}", ["models"], (request) =>
    models.retrieve(new URL(request.url).pathname.slice("/v1/models/".length).replace(/\/$/, "")),
  );
  get("/openapi.json", [], docs.openApi);
  get("/docs", [], docs.page);
  get("/", [], () => new Response(null, { status: 302, headers: { location: "/docs" } }));
  // Liveness: always 200, since a restart by a supervisor would not repair a full disk.
  get("/health", [], async () => {
    const { isHealthy, checks } = (await deps.readiness?.check(healthTimeoutMs)) ?? healthyStatus;
    return jsonResponse(
      { status: isHealthy ? "ok" : "degraded", checks },
      { "cache-control": "no-store" },
    );
  });
  get("/readyz", [], async () => {
    const { isReady, checks } = (await deps.readiness?.check(readinessTimeoutMs)) ?? healthyStatus;
    return jsonResponse(
      { status: isReady ? "ready" : "not ready", checks },
      { "cache-control": "no-store" },
      isReady ? 200 : 503,
    );
  });
  app.route("/", createAppRoutes(deps, appApiRoutes));
  return app;
}

const healthyStatus: Awaited<ReturnType<Readiness["check"]>> = {
  isReady: true,
  isHealthy: true,
  checks: { storage: "ok", temporaryFiles: "ok", library: "ok" },
};

function logAnswer(
  log: Log,
  requestId: string,
  { method, url }: Request,
  { status }: Response,
): void {
  log.debug({ requestId, method, url: redactFeedPath(url), status }, "answered");
}

/** Its address is the secret: no key is needed, and every other address below the prefix is unknown. */
async function respondToFeed(request: Request, deps: GatewayDeps): Promise<Response> {
  const response = await deps.respondToFeed?.(request);
  if (response !== undefined) return response;
  const path = redactFeedPath(new URL(request.url).pathname);
  throw new AppError("request.unknownRoute", { method: request.method, path });
}

/** @throws AppError if the path needs a library and there is none */
function checkLibrary(path: string, { isLibraryUnavailable }: GatewayDeps): void {
  if (
    !path.startsWith("/app/") ||
    isLibraryUnavailable?.() !== true ||
    appPathsWithoutLibrary.has(path)
  )
    return;
  throw libraryUnavailableError();
}

/** The change is committed and survives a crash, so a slow disk is no reason to report failure. */
async function flushLibrary({ flushLibrary: flush, log }: GatewayDeps): Promise<void> {
  try {
    await flush?.();
  } catch (error) {
    log.warn({ err: error }, "a change is saved, but could not be flushed to the disk yet");
  }
}

/** With the Content-Length that GET would return. */
async function toHeadResponse(response: Response): Promise<Response> {
  const headers = new Headers(response.headers);
  headers.set("content-length", String((await response.arrayBuffer()).byteLength));
  return new Response(null, { status: response.status, headers });
}

const wrongMethodResponse = (allow: string) =>
  errorResponse(new AppError("request.wrongMethod", { methods: allow }), { allow });

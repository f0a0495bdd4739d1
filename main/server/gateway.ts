// The gateway in Request → Response form: guard, routes, one error boundary, a request id on every answer. Opening
// a port is listen.ts's work; what a request means is its route's.

import { Hono } from "hono";
import { getPath } from "hono/utils/url";

import { AppError } from "../contract/errors.ts";
import type { Scope, UsageRecord } from "../contract/usage.ts";
import type { StudioRoutes } from "./app-api/handlers.ts";
import { createAppRoutes } from "./app-api/app-routes.ts";
import { checkLoop, addUpstreamGatewaysHeader } from "./http/loop-guard.ts";
import { errorResponse, toAppError } from "./http/error-response.ts";
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
import { createDocsRoutes } from "./v1/docs.ts";
import { createModelRoutes } from "./v1/models.ts";
import type { GatewayDeps, MeteredContext, RouteContext } from "./route-context.ts";
import { listVoices, handleSpeech } from "./v1/speech.ts";
import { handleTranscription } from "./v1/transcriptions.ts";
import { defaultKeepAliveMs } from "./http/stream-response.ts";
import { jsonResponse } from "./http/sized-response.ts";
import { unknownRouteError } from "./http/unknown-route.ts";
import { createWrongKeyDelay, type WrongKeyPolicy } from "./http/wrong-key-delay.ts";

export type { GatewayDeps } from "./route-context.ts";

/** What is already known of whoever asks. */
export type ConnectionInfo = {
  /** Its session was checked elsewhere: neither key nor Host are asked for, and no other origin may read the answer. */
  isTrusted?: boolean;
  /** Of the connection: wrong keys are slowed down by it. */
  remoteAddress?: string;
};

export interface Gateway {
  /** @returns `Response.error()` where the connection is to end without an answer */
  handle(request: Request, connection?: ConnectionInfo): Promise<Response>;
}

/** Limits a test may want shorter. */
export type GatewayLimits = {
  wrongKeys?: Partial<WrongKeyPolicy>;
  body?: Partial<BodyLimits>;
  keepAliveMs?: number;
  stallTimeoutMs?: number;
};

/** Open to anyone who reaches the port: they hold nothing of the owner's. */
const publicPaths: ReadonlySet<string> = new Set([
  "/",
  "/health",
  "/readyz",
  "/docs",
  "/openapi.json",
]);
/** Of /app, what is of use where there is no library. */
const appPathsWithoutLibrary: ReadonlySet<string> = new Set([
  "/app/info",
  "/app/server",
  "/app/library",
  "/app/events",
  "/app/launch-url",
  "/app/dictation",
  "/app/models",
]);
/** How long probes wait for the disk. */
const healthTimeoutMs = 50;
const readinessTimeoutMs = 2000;

type CallerContext = RouteContext & { caller: Caller };
type Env = { Bindings: CallerContext };

/** @param studio what serves the window's pages; optional; without it only the API is served */
export function createGateway(
  { studio, ...deps }: GatewayDeps & { studio?: StudioRoutes },
  limits: GatewayLimits = {},
): Gateway {
  const guard = createGuard(deps);
  const app = createRoutes(deps, studio);
  const wrongKeys = createWrongKeyDelay(limits.wrongKeys);
  const body = { ...defaultBodyLimits, ...limits.body };
  const keepAliveMs = limits.keepAliveMs ?? defaultKeepAliveMs;
  const stallTimeoutMs = limits.stallTimeoutMs ?? defaultStallTimeoutMs;

  async function respond(
    request: Request,
    { isTrusted = false, remoteAddress = "" }: ConnectionInfo,
    requestId: string,
  ): Promise<Response> {
    try {
      let caller: Caller = "window";
      if (!isTrusted) {
        // First of all: a gateway need not know a key of its own, nor the name it is asked by, to know itself.
        checkLoop(request, deps);
        guard.checkHost(request.url);
        if (request.method === "OPTIONS") return preflightResponse(request);
        const path = getPath(request);
        if (!publicPaths.has(path)) {
          const holder = guard.checkKey(request.headers.get("authorization"));
          if (holder instanceof AppError) {
            if (!(await wrongKeys.delay(remoteAddress, request.signal))) return Response.error();
            throw holder;
          }
          if (path.startsWith("/app/")) checkOwner(holder, request);
          caller = holder;
        }
      }
      checkLibrary(getPath(request), deps);
      const response = await app.fetch(request, {
        deps,
        requestId,
        log: deps.log,
        limits: body,
        keepAliveMs,
        stallTimeoutMs,
        caller,
      });
      if (getPath(request).startsWith("/app/")) await deps.flushLibrary?.();
      return response;
    } catch (error) {
      // The client disconnected: it gets no answer, and errors caused by that are not ours.
      if (!(error instanceof AppError) && request.signal.aborted)
        return new Response(null, { status: 400 });
      return errorResponse(toAppError(error, requestId, deps.log));
    }
  }

  return {
    async handle(request, connection = {}) {
      const requestId = newRequestId();
      const response = await respond(request, connection, requestId);
      if (response.type === "error") return response;
      response.headers.set("x-request-id", requestId);
      if (connection.isTrusted !== true) addCorsHeaders(request, response.headers);
      deps.log.debug(
        { requestId, method: request.method, url: request.url, status: response.status },
        "answered",
      );
      return response;
    },
  };
}

/** Failures leave through `fetch`, so that the boundary above sees them all. */
function createRoutes(deps: GatewayDeps, studio?: StudioRoutes): Hono<Env> {
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
  get("/v1/audio/voices", ["speech", "models"], () => listVoices(deps.registry));
  get("/v1/audio/models", ["speech", "models"], models.listSpeechModels);
  get("/v1/models", ["models"], (request) =>
    addUpstreamGatewaysHeader(request, deps, models.list()),
  );
  // A model id may hold slashes, and is unescaped once, by the route.
  get("/v1/models/:id{.+}", ["models"], (request) =>
    models.retrieve(new URL(request.url).pathname.slice("/v1/models/".length).replace(/\/$/, "")),
  );
  get("/openapi.json", [], docs.openApi);
  get("/docs", [], docs.page);
  get("/", [], () => new Response(null, { status: 302, headers: { location: "/docs" } }));
  // That the process lives: 200, whatever is wrong. A supervisor that restarts it mends no full disk.
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
  app.route("/", createAppRoutes(deps, studio));
  return app;
}

const healthyStatus: Awaited<ReturnType<Readiness["check"]>> = {
  isReady: true,
  isHealthy: true,
  checks: { storage: "ok", temporaryFiles: "ok", library: "ok" },
};

/** @throws AppError for what needs a library where there is none */
function checkLibrary(path: string, { isLibraryUnavailable }: GatewayDeps): void {
  if (
    !path.startsWith("/app/") ||
    isLibraryUnavailable?.() !== true ||
    appPathsWithoutLibrary.has(path)
  )
    return;
  throw libraryUnavailableError();
}

/** As long as the answer to GET would be. */
async function toHeadResponse(response: Response): Promise<Response> {
  const headers = new Headers(response.headers);
  headers.set("content-length", String((await response.arrayBuffer()).byteLength));
  return new Response(null, { status: response.status, headers });
}

const wrongMethodResponse = (allow: string) =>
  errorResponse(
    new AppError("wrong_method", `This address answers to ${allow.replace(", ", " and ")} only.`),
    { allow },
  );

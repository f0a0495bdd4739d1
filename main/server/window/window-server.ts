// The window port: serves the page, and the whole API to the holder of a session. Listens on this machine only,
// independent of the API port.

import { randomBytes } from "node:crypto";
import { AppError } from "../../contract/errors.ts";
import { errorResponse, toAppError, windowErrorResponse } from "../http/error-response.ts";
import type { Gateway } from "../gateway.ts";
import { type Connection, listen } from "../http/listen.ts";
import { newRequestId } from "../http/request-id.ts";
import type { Log } from "../../log.ts";
import { createLaunch } from "./launch.ts";
import { readPageFiles } from "./page-files.ts";
import { lockedPage } from "./plain-pages.ts";
import { securityHeaders } from "./security-headers.ts";
import { createSessions } from "./sessions.ts";
import { checkWindowRequest, isGatewayPath, isPrefixedGatewayPath } from "./window-guard.ts";

export type WindowServer = {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** Address of the page, below a secret path that is new in every run. The cookie is sent only there. */
  readonly pageUrl: string;
  readonly port: number;
  /** A new address that opens the window, valid once and for ten minutes. */
  launchUrl(): string;
  close(): Promise<void>;
};

export type WindowServerOptions = {
  gateway: Gateway;
  /** Separates the cookies of two installs on one machine. */
  installId: string;
  /** The built page. */
  rendererDir: string;
  /** First choice; default: the system chooses. */
  port?: number | undefined;
  /** Path at which an earlier run may have left a cookie in the browser. */
  previousPath?: string | undefined;
  /** A browser received a cookie for this path. */
  onSession?(path: string): void;
  log: Log;
};

const host = "127.0.0.1";
const secretBytes = 24;

/** @throws AppError if the page was not built */
export async function createWindowServer({
  gateway,
  installId,
  rendererDir,
  port = 0,
  previousPath,
  onSession,
  log,
}: WindowServerOptions): Promise<WindowServer> {
  const files = await readPageFiles(rendererDir);
  // Servers on other ports of this machine cannot guess this path, so browsers do not send them the cookie.
  const secretPath = `/${randomBytes(secretBytes).toString("base64url")}`;
  const path = `${secretPath}/`;
  const sessions = createSessions({ installId, path });
  const launch = createLaunch({ sessions, path, previousPath, onSession, log });

  async function respond(
    request: Request,
    { hasSecretPath, remoteAddress }: Connection,
  ): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const hasSession = hasSecretPath && sessions.hasValidSession(request.headers.get("cookie"));
    if (isGatewayPath(pathname) || (!hasSecretPath && isPrefixedGatewayPath(pathname))) {
      if (!hasSession) throw new AppError("window.noSession");
      return await gateway.handle(request, { isTrusted: true });
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      const allow = "GET, HEAD";
      return errorResponse(new AppError("request.wrongMethod", { methods: allow }), { allow });
    }
    if (hasSecretPath && pathname === "/launch")
      return await launch(request, searchParams.get("code") ?? "", { hasSession, remoteAddress });
    // The files are public; the page that uses them needs a session.
    const file = pathname === "/index.html" ? undefined : files.respond(pathname, request);
    if (file !== undefined) return file;
    if (/\.\w+$/.test(pathname) && pathname !== "/index.html") throw new AppError("window.noFile");
    return hasSession ? files.index(request) : lockedPage();
  }

  const listener = await listen({
    secretPath,
    async handle(request, connection) {
      const requestId = newRequestId();
      let response: Response;
      try {
        checkWindowRequest(request, listener.port);
        response = await respond(request, connection);
      } catch (error) {
        response = windowErrorResponse(toAppError(error, requestId, log), {
          "cache-control": "no-store",
        });
      }
      for (const [name, value] of securityHeaders) response.headers.set(name, value);
      if (!response.headers.has("x-request-id")) response.headers.set("x-request-id", requestId);
      if (!response.headers.has("cache-control")) response.headers.set("cache-control", "no-store");
      return response;
    },
    async upgrade(request, { hasSecretPath }) {
      try {
        checkWindowRequest(request, listener.port);
        if (!hasSecretPath || !sessions.hasValidSession(request.headers.get("cookie")))
          throw new AppError("window.noSession");
        return await gateway.upgrade(request, { isTrusted: true });
      } catch (error) {
        return windowErrorResponse(toAppError(error, newRequestId(), log));
      }
    },
    host,
    port,
    log,
    // The upload of a film may take any time. A sender that stalls is stopped by the body's idle timeout.
    limits: { requestMs: 0 },
  });
  const origin = `http://${host}:${listener.port}`;
  const pageUrl = `${origin}${path}`;
  return {
    origin,
    pageUrl,
    port: listener.port,
    launchUrl: () => `${pageUrl}launch?code=${sessions.createCode()}`,
    close: () => listener.close(),
  };
}

// The window port: serves the page, and the whole API to the holder of a session. Listens on this machine only,
// independent of the API port.

import { randomBytes } from "node:crypto";
import { AppError } from "../../contract/errors.ts";
import { errorResponse, toAppError, windowErrorResponse } from "../http/error-response.ts";
import type { Gateway } from "../gateway.ts";
import { type Connection, listen } from "../http/listen.ts";
import { newRequestId } from "../http/request-id.ts";
import { textResponse } from "../http/sized-response.ts";
import { createWrongKeyDelay } from "../http/wrong-key-delay.ts";
import type { Log } from "../../log.ts";
import { readPageFiles } from "./page-files.ts";
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
  const wrongCodeDelay = createWrongKeyDelay();
  const sessions = createSessions({ installId, path: `${secretPath}/` });

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
    if (request.method !== "GET" && request.method !== "HEAD")
      return errorResponse(new AppError("request.wrongMethod", { methods: "GET and HEAD" }), {
        allow: "GET, HEAD",
      });
    if (hasSecretPath && pathname === "/launch")
      return await launch(searchParams.get("code") ?? "", request, hasSession, remoteAddress);
    // The files are public; the page that uses them needs a session.
    const file = pathname === "/index.html" ? undefined : files.respond(pathname, request);
    if (file !== undefined) return file;
    if (/\.\w+$/.test(pathname) && pathname !== "/index.html") throw new AppError("window.noFile");
    return hasSession ? files.index(request) : lockedPage();
  }

  async function launch(
    code: string,
    { method, headers: requestHeaders, signal }: Request,
    hasSession: boolean,
    remoteAddress: string,
  ): Promise<Response> {
    // A link preview (HEAD) must not use up the code.
    const cookie = method === "GET" ? sessions.redeem(code) : undefined;
    if (cookie === undefined && !hasSession) {
      if (method === "GET" && !(await wrongCodeDelay.delay(remoteAddress, signal)))
        return Response.error();
      return lockedPage();
    }
    const site = requestHeaders.get("sec-fetch-site");
    const isDirect = site === null || site === "none" || site === "same-origin";
    const response = isDirect
      ? new Response(null, { status: 303, headers: { location: `${secretPath}/` } })
      : redirectPage();
    response.headers.set("cache-control", "no-store");
    if (cookie !== undefined) {
      response.headers.append("set-cookie", cookie);
      if (previousPath !== undefined && previousPath !== `${secretPath}/`)
        response.headers.append("set-cookie", sessions.clearCookie(previousPath));
      try {
        onSession?.(`${secretPath}/`);
      } catch (error) {
        // If this fails, one stale cookie stays in the browser; access still works.
        log.warn({ err: error }, "the path of the session could not be kept");
      }
    }
    return response;
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
    host,
    port,
    log,
    // The upload of a film may take any time. A sender that stalls is stopped by the body's idle timeout.
    limits: { requestMs: 0 },
  });
  const origin = `http://${host}:${listener.port}`;
  const pageUrl = `${origin}${secretPath}/`;
  return {
    origin,
    pageUrl,
    port: listener.port,
    launchUrl: () => `${pageUrl}launch?code=${sessions.createCode()}`,
    close: () => listener.close(),
  };
}

/**
 * Used after a link from another page, such as the file that opens the browser: a redirect would still count as
 * cross-site, and the browser would omit the cookie.
 */
function redirectPage(): Response {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=./">
<title>Hearsay</title>
<p><a href="./">Open Hearsay</a></p>
</html>
`;
  return textResponse(html, "text/html; charset=utf-8");
}

/**
 * Shown without a session. Its link helps those that came by a link from another page: the browser withheld their
 * cookie then, and sends it from here.
 */
function lockedPage(): Response {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Hearsay</title>
<h1>This window is locked</h1>
<p>Open it by the link that Hearsay printed when it started. A link works once, for ten minutes;
<code>npx hearsay window</code> prints a new one.</p>
<p><a href="./">Try again</a></p>
</html>
`;
  return textResponse(html, "text/html; charset=utf-8", { "cache-control": "no-store" }, 401);
}

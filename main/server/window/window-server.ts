// The window port: serves the page, and to its session's holder all that the gateway does. On this machine alone,
// beside the API port and independent of it. Guard, sessions and files have files of their own here.

import { randomBytes } from "node:crypto";
import { AppError } from "../../contract/errors.ts";
import { errorResponse, toAppError } from "../http/error-response.ts";
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
  /** Of the page: below a path that is secret and new in every run. Its cookie goes nowhere else. */
  readonly pageUrl: string;
  readonly port: number;
  /** A new address that opens the window: for one use within ten minutes. */
  launchUrl(): string;
  close(): Promise<void>;
};

export type WindowServerOptions = {
  gateway: Gateway;
  /** Tells this install's cookie from that of another on the same machine. */
  installId: string;
  /** The built page. */
  rendererDir: string;
  /** The one that is tried first; default the system chooses. */
  port?: number | undefined;
  /** Path below which an earlier run may have left a cookie in the browser. */
  previousPath?: string | undefined;
  /** A browser got a cookie below this path. */
  onSession?(path: string): void;
  log: Log;
};

const host = "127.0.0.1";
const secretBytes = 24;

/** @throws AppError where the page was not built */
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
  // What this machine's other ports cannot know, and so cannot have a browser send them the cookie.
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
      if (!hasSession)
        throw new AppError(
          "authentication",
          "This window has no session, or the app was started anew since. Open it by the link that Hearsay printed.",
        );
      return await gateway.handle(request, { isTrusted: true });
    }
    if (request.method !== "GET" && request.method !== "HEAD")
      return errorResponse(
        new AppError("wrong_method", "This address answers to GET and HEAD only."),
        { allow: "GET, HEAD" },
      );
    if (hasSecretPath && pathname === "/launch")
      return await launch(searchParams.get("code") ?? "", request, hasSession, remoteAddress);
    // The files are the same for everybody; the page that uses them is for the session's holder.
    const file = pathname === "/index.html" ? undefined : files.respond(pathname, request);
    if (file !== undefined) return file;
    if (/\.\w+$/.test(pathname) && pathname !== "/index.html")
      throw new AppError("unknown_route", "There is no such file.");
    return hasSession ? files.index(request) : lockedPage();
  }

  async function launch(
    code: string,
    { method, headers: requestHeaders, signal }: Request,
    hasSession: boolean,
    remoteAddress: string,
  ): Promise<Response> {
    // Whoever only looks at a link must not use it up.
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
        // A disk that takes nothing leaves a cookie too many in the browser, and keeps nobody out.
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
        response = errorResponse(toAppError(error, requestId, log), {
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
    // A film may take longer than any time that could be named; a sender that gives nothing is told so by its reader.
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
 * After a link that another page led to, as the file does that opens the browser: what follows by a redirect would
 * still be that page's doing, and come without the cookie.
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
 * For whoever has no session. Its link is no use to them, but to those a link from another page brought: the browser
 * kept their cookie back on that way and sends it from here.
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

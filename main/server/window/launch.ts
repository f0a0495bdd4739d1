// Answers the launch URL: exchanges its one-time code for a session.

import type { Log } from "../../log.ts";
import { createWrongKeyDelay } from "../http/wrong-key-delay.ts";
import { lockedPage, redirectPage } from "./plain-pages.ts";
import type { Sessions } from "./sessions.ts";

export type LaunchDeps = {
  sessions: Pick<Sessions, "redeem" | "clearCookie">;
  /** Path of the page and its cookie. */
  path: string;
  /** Path at which an earlier run may have left a cookie in the browser. */
  previousPath: string | undefined;
  /** A browser received a cookie for this path. */
  onSession: ((path: string) => void) | undefined;
  log: Log;
};

export type Launch = (
  request: Request,
  code: string,
  browser: { hasSession: boolean; remoteAddress: string },
) => Promise<Response>;

export function createLaunch({ sessions, path, previousPath, onSession, log }: LaunchDeps): Launch {
  const wrongCodeDelay = createWrongKeyDelay();

  function setCookie(headers: Headers, cookie: string): void {
    headers.append("set-cookie", cookie);
    if (previousPath !== undefined && previousPath !== path)
      headers.append("set-cookie", sessions.clearCookie(previousPath));
    try {
      onSession?.(path);
    } catch (error) {
      // If this fails, one stale cookie stays in the browser; access still works.
      log.warn({ err: error }, "the path of the session could not be stored");
    }
  }

  return async ({ method, headers, signal }, code, { hasSession, remoteAddress }) => {
    // A link preview (HEAD) must not use up the code.
    const cookie = method === "GET" ? sessions.redeem(code) : undefined;
    if (cookie === undefined && !hasSession) {
      if (method === "GET" && !(await wrongCodeDelay.delay(remoteAddress, signal)))
        return Response.error();
      return lockedPage();
    }
    const site = headers.get("sec-fetch-site");
    const isDirect = site === null || site === "none" || site === "same-origin";
    const response = isDirect
      ? new Response(null, { status: 303, headers: { location: path } })
      : redirectPage();
    response.headers.set("cache-control", "no-store");
    if (cookie !== undefined) setCookie(response.headers, cookie);
    return response;
  };
}

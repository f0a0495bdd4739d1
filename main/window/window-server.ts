// The window port: serves the page, and to its session's holder all that the gateway does. On this machine alone,
// beside the API port and independent of it. Guard, sessions and files have files of their own here.

import { AppError } from '../contract/errors.ts';
import { errorResponse, presentable } from '../gateway/error-response.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { listen } from '../gateway/listen.ts';
import { newRequestId } from '../gateway/request-id.ts';
import { textResponse } from '../gateway/sized-response.ts';
import type { Log } from '../log.ts';
import { readPageFiles } from './page-files.ts';
import { securityHeaders } from './security-headers.ts';
import { createSessions } from './sessions.ts';
import { checkWindowRequest, isServed } from './window-guard.ts';

export type WindowServer = {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly port: number;
  /** A new address that opens the window: for one use within ten minutes. */
  launchUrl(): string;
  close(): Promise<void>;
};

export type WindowServerOptions = {
  gateway: Gateway;
  /** Tells this install's cookie from that of another on the same machine. */
  install: string;
  /** The built page. */
  rendererDir: string;
  /** The one that is tried first; absent: the system chooses. */
  port?: number | undefined;
  log: Log;
};

const host = '127.0.0.1';

/** @throws AppError where the page was not built */
export async function createWindowServer({ gateway, install, rendererDir, port = 0, log }: WindowServerOptions): Promise<WindowServer> {
  const files = await readPageFiles(rendererDir);
  const sessions = createSessions({ install });

  async function answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const hasSession = sessions.holds(request.headers.get('cookie'));
    if (isServed(pathname)) {
      if (!hasSession) throw new AppError('authentication', 'This window has no session, or the app was started anew since. Open it by the link that Hearsay printed.');
      return await gateway.handle(request, { trusted: true });
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') return errorResponse(new AppError('wrong_method', 'This address answers to GET and HEAD only.'), { allow: 'GET, HEAD' });
    if (pathname === '/launch') return launch(searchParams.get('code') ?? '', request, hasSession);
    // The files are the same for everybody; the page that uses them is for the session's holder.
    const file = pathname === '/index.html' ? undefined : files.answer(pathname, request);
    if (file !== undefined) return file;
    if (/\.\w+$/.test(pathname) && pathname !== '/index.html') throw new AppError('unknown_route', 'There is no such file.');
    return hasSession ? files.index(request) : lockedOut();
  }

  function launch(code: string, { method }: Request, hasSession: boolean): Response {
    // Whoever only looks at a link must not use it up.
    const cookie = method === 'GET' ? sessions.redeem(code) : undefined;
    if (cookie === undefined && !hasSession) return lockedOut();
    return new Response(null, { status: 303, headers: { location: '/', 'cache-control': 'no-store', ...(cookie === undefined ? {} : { 'set-cookie': cookie }) } });
  }

  const listener = await listen({
    async handle(request) {
      const requestId = newRequestId();
      let response: Response;
      try {
        checkWindowRequest(request, listener.port);
        response = await answer(request);
      } catch (error) {
        response = errorResponse(presentable(error, requestId, log), { 'cache-control': 'no-store' });
      }
      for (const [name, value] of securityHeaders) response.headers.set(name, value);
      if (!response.headers.has('x-request-id')) response.headers.set('x-request-id', requestId);
      if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store');
      return response;
    },
    host,
    port,
    log,
    // A film may take longer than any time that could be named; a sender that gives nothing is told so by its reader.
    limits: { requestMs: 0 },
  });
  const origin = `http://${host}:${listener.port}`;
  return { origin, port: listener.port, launchUrl: () => `${origin}/launch?code=${sessions.newCode()}`, close: () => listener.close() };
}

/**
 * For whoever has no session. Its link is no use to them, but to those a link from another page brought: the browser
 * kept their cookie back on that way and sends it from here.
 */
function lockedOut(): Response {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Hearsay</title>
<h1>This window is locked</h1>
<p>Open it by the link that Hearsay printed when it started. A link works once, for ten minutes;
<code>npx hearsay window</code> prints a new one.</p>
<p><a href="/">Try again</a></p>
</html>
`;
  return textResponse(html, 'text/html; charset=utf-8', { 'cache-control': 'no-store' }, 401);
}

// The only file that opens a port: Node's HTTP server in front of a Request → Response function. Handles connection
// limits (slow senders, unread bodies, failed streams, closing).

import { timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";

import { getRequestListener } from "@hono/node-server";

import { AppError } from "../../contract/errors.ts";
import type { Log } from "../../log.ts";
import { errorBody, errorResponse } from "./error-response.ts";
import { defaultBodyLimits } from "./request-body.ts";
import { newRequestId } from "./request-id.ts";
import { type AcceptSocket, serveSockets } from "./web-socket.ts";

/** What is known of a request besides the Request object. */
export type Connection = {
  /** Empty if the client has already disconnected. */
  remoteAddress: string;
  /** The request came below the secret path, which was removed from its URL. */
  hasSecretPath: boolean;
};

/**
 * Whether a response is `Response.error()`, the only one with the status 0. Reading `type` or `body` would make
 * @hono/node-server build a complete Response with a stream for every request.
 */
export const closesConnection = ({ status }: Response): boolean => status === 0;

export type ListenOptions = {
  /** `Response.error()` closes the connection without a response. */
  handle(request: Request, connection: Connection): Promise<Response>;
  /** A request to open a WebSocket; default: they are answered like other requests. @returns a response to refuse it */
  upgrade?(request: Request, connection: Connection): Promise<Response | AcceptSocket>;
  /** `/` and a secret. Requests below it are handled as if they were at the root. */
  secretPath?: string;
  host: string;
  /** 0: the system chooses. If a port is in use, the next free one is taken. */
  port: number;
  /** Fail if this port is in use. */
  isPortFixed?: boolean;
  log: Log;
  limits?: Partial<ConnectionLimits>;
};

export type ConnectionLimits = {
  /** From the connection to the end of the headers. */
  headersMs: number;
  /** To the end of the body; enough for 25 MB over a slow connection. */
  requestMs: number;
  /** Bytes of a body still accepted after the response was sent. */
  maxUnreadBytes: number;
  maxUnreadMs: number;
  /** How long close() waits for responses. */
  closeMs: number;
};

const defaultConnectionLimits: ConnectionLimits = {
  headersMs: 20_000,
  requestMs: 15 * 60_000,
  maxUnreadBytes: defaultBodyLimits.drainBytes,
  maxUnreadMs: defaultBodyLimits.drainMs,
  closeMs: 1000,
};

export interface Listener {
  readonly port: number;
  /** Accepts no more connections; resolves when the existing ones end by themselves, without a limit. */
  closeGracefully(): Promise<void>;
  /** Closes idle connections at once, active ones when they are done or after about one second. */
  close(): Promise<void>;
}

const maxPorts = 20;

/** @throws the system's error if the address cannot be bound or no port is free */
export async function listen({
  handle,
  upgrade,
  secretPath,
  host,
  port,
  isPortFixed = false,
  log,
  limits = {},
}: ListenOptions): Promise<Listener> {
  const connectionLimits = { ...defaultConnectionLimits, ...limits };
  const belowSecretPath = new WeakSet<object>();
  const connectionOf = (incoming: IncomingMessage): Connection => ({
    remoteAddress: incoming.socket.remoteAddress ?? "",
    hasSecretPath: belowSecretPath.has(incoming),
  });
  const removeSecret = (incoming: IncomingMessage): void => {
    if (secretPath === undefined || !startsWithSecret(incoming.url, `${secretPath}/`)) return;
    incoming.url = incoming.url?.slice(secretPath.length);
    belowSecretPath.add(incoming);
  };
  const respond = createNodeHandler(
    (request, incoming) => handle(request, connectionOf(incoming)),
    log,
  );
  let isClosing = false;
  const handleRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    let hasStartedReading = false;
    removeSecret(incoming);
    // Must run before Node's own listener, which starts to read an unread body when the response was sent.
    outgoing.prependOnceListener("finish", () => (hasStartedReading = incoming.readableDidRead));
    outgoing.once("close", () => {
      if (isClosing) setImmediate(() => server.closeIdleConnections());
      limitUnreadBody(incoming, hasStartedReading, connectionLimits);
    });
    Promise.resolve(respond(incoming, outgoing)).catch((error: unknown) => {
      log.error({ err: error }, "a request could not be answered");
      outgoing.destroy();
    });
  };
  const server = createServer(
    {
      headersTimeout: connectionLimits.headersMs,
      requestTimeout: connectionLimits.requestMs,
      connectionsCheckingInterval: Math.min(5000, connectionLimits.headersMs),
      keepAliveTimeout: 30_000,
      // The gateway's own error names the missing header.
      requireHostHeader: false,
      // Some clients offer HTTP/2 with every request.
      shouldUpgradeCallback: ({ headers }) =>
        upgrade !== undefined && headers.upgrade?.toLowerCase() === "websocket",
    },
    handleRequest,
  );
  server.on("checkContinue", (incoming, outgoing) => {
    sendContinueOnRead(incoming, outgoing);
    handleRequest(incoming, outgoing);
  });
  server.on("checkExpectation", handleRequest);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) =>
    rejectInvalidRequest(error, socket),
  );
  const closeSockets =
    upgrade &&
    serveSockets(server, {
      async upgrade(incoming) {
        removeSecret(incoming);
        const request = toUpgradeRequest(incoming);
        return request instanceof AppError
          ? errorResponse(request, { "x-request-id": newRequestId() })
          : upgrade(request, connectionOf(incoming));
      },
      log,
    });
  const boundPort = await bind(server, host, port, isPortFixed ? 1 : maxPorts);
  server.on("error", (error) => log.error({ err: error }, "the server failed"));

  const closed = Promise.withResolvers<void>();
  const closeGracefully = (): Promise<void> => {
    if (!isClosing) server.close(() => closed.resolve());
    isClosing = true;
    return closed.promise;
  };

  return {
    port: boundPort,
    closeGracefully,
    async close() {
      closeSockets?.();
      const timer = setTimeout(() => server.closeAllConnections(), connectionLimits.closeMs);
      await closeGracefully();
      clearTimeout(timer);
    },
  };
}

/** `handle` behind a server of Node. It sets no limits for connections. */
export const createNodeHandler = (
  handle: (request: Request, incoming: IncomingMessage) => Promise<Response>,
  log: Log,
): ((incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>) =>
  getRequestListener(
    async (request, { incoming }) => {
      const headerError = findHeaderError(incoming as IncomingMessage);
      if (headerError !== undefined)
        return errorResponse(headerError, { "x-request-id": newRequestId() });
      const response = await handle(request, incoming as IncomingMessage);
      if (closesConnection(response)) {
        incoming.socket.destroy();
        return new Response(null);
      }
      return closeOnStreamError(response, incoming.socket as Socket, log);
    },
    {
      autoCleanupIncoming: false,
      errorHandler: () =>
        errorResponse(new AppError("request.urlMalformed"), { "x-request-id": newRequestId() }),
    },
  );

/** The request that opens a WebSocket, or the reason why it is none. */
function toUpgradeRequest(incoming: IncomingMessage): Request | AppError {
  const headerError = findHeaderError(incoming);
  if (headerError !== undefined) return headerError;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers.set(name, [value].flat().join(", "));
  try {
    return new Request(`http://${incoming.headers.host ?? ""}${incoming.url ?? ""}`, { headers });
  } catch {
    return new AppError("request.urlMalformed");
  }
}

async function bind(
  server: Server,
  host: string,
  port: number,
  portsToTry: number,
): Promise<number> {
  for (let candidatePort = port; ; candidatePort += 1) {
    try {
      const ready = Promise.withResolvers<void>();
      server.once("error", ready.reject);
      server.listen(candidatePort, host, () => ready.resolve());
      await ready.promise.finally(() => server.off("error", ready.reject));
      return (server.address() as AddressInfo).port;
    } catch (error) {
      const isPortTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      if (
        !isPortTaken ||
        port === 0 ||
        candidatePort + 1 >= port + portsToTry ||
        candidatePort === 65_535
      )
        throw error;
    }
  }
}

/** Constant time, whatever part of the secret is right. */
function startsWithSecret(path: string | undefined, secret: string): boolean {
  const prefix = Buffer.from(path?.slice(0, secret.length) ?? "");
  const expected = Buffer.from(secret);
  return prefix.length === expected.length && timingSafeEqual(prefix, expected);
}

/**
 * Headers that Node accepts but a server behind a proxy must reject as ambiguous: several Hosts, unknown expectations.
 */
function findHeaderError({
  rawHeaders,
  headers,
}: Pick<IncomingMessage, "rawHeaders" | "headers">): AppError | undefined {
  const hosts = rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.length === 4 && name.toLowerCase() === "host",
  );
  if (hosts.length > 1) return new AppError("request.manyHosts");
  if (headers.expect === undefined || /\b100-continue\b/i.test(headers.expect)) return undefined;
  return new AppError("request.expectation");
}

/** If a stream fails, closes the connection without the last chunk, so that the client notices the truncation. */
function closeOnStreamError(response: Response, socket: Socket, log: Log): Response {
  const isStream =
    response.headers.get("transfer-encoding") === "chunked" ||
    response.headers.has("accept-ranges");
  if (!isStream || response.body === null) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          // Broken off on purpose.
          const isAborted = error instanceof Error && error.name === "AbortError";
          if (!socket.destroyed)
            log[isAborted ? "info" : "error"](
              { requestId: response.headers.get("x-request-id"), err: error },
              "an answer broke off",
            );
          // Sends what was generated but does not end the body, since that would mark the file as complete.
          socket.destroySoon();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}

/** Sends `100 Continue` only when the body is read: the guard may reject the request first. */
function sendContinueOnRead(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.shouldKeepAlive = false;
  incoming.once("resume", () => {
    if (outgoing.headersSent) return;
    outgoing.shouldKeepAlive = true;
    outgoing.writeContinue();
  });
}

/** Limits how much Node reads after the response: it keeps reading the body so that the client gets to the response. */
function limitUnreadBody(
  incoming: IncomingMessage,
  hasStartedReading: boolean,
  { maxUnreadBytes, maxUnreadMs }: ConnectionLimits,
): void {
  const { socket } = incoming;
  if (incoming.complete || socket.destroyed) return;
  // A body that was partly read has already been drained within the same limits.
  if (hasStartedReading) {
    socket.destroySoon();
    return;
  }
  const start = socket.bytesRead;
  const checkTimer = setInterval(
    () => {
      const isOver = incoming.complete || socket.destroyed;
      const isLate =
        !isOver && (performance.now() > deadline || socket.bytesRead - start > maxUnreadBytes);
      if (isLate) socket.destroySoon();
      if (isLate || isOver) clearInterval(checkTimer);
    },
    Math.min(500, maxUnreadMs),
  );
  const deadline = performance.now() + maxUnreadMs;
  checkTimer.unref();
}

const protocolErrorIds: Record<string, "request.tooLate" | "request.headersTooLarge"> = {
  ERR_HTTP_REQUEST_TIMEOUT: "request.tooLate",
  HPE_HEADER_OVERFLOW: "request.headersTooLarge",
};

/** Invalid HTTP and slow senders never reach the gateway, but get an error in the same format. */
function rejectInvalidRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = new AppError(protocolErrorIds[error.code ?? ""] ?? "request.notHttp");
  const body = JSON.stringify(errorBody(refusal));
  const headerLines = [
    `HTTP/1.1 ${refusal.row.status} Refused`,
    "content-type: application/json",
    `x-request-id: ${newRequestId()}`,
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${headerLines.join("\r\n")}\r\n\r\n${body}`);
}

// The only file that opens a port: Node's HTTP server in front of a Request → Response function. Here are the
// limits of the wire (slow senders, bodies nobody reads, broken answers, closing); what is said is the gateway's.

import { timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";

import { getRequestListener } from "@hono/node-server";

import { AppError, errorTable } from "../../contract/errors.ts";
import type { ErrorKey } from "../../contract/errors.ts";
import type { Log } from "../../log.ts";
import { errorBody, errorResponse } from "./error-response.ts";
import { defaultBodyLimits } from "./request-body.ts";
import { newRequestId } from "./request-id.ts";

/** What is known of a request beside the request itself. */
export type Connection = {
  /** Of the other end; empty where it is gone already. */
  remoteAddress: string;
  /** The request came below the secret path, which its URL no longer holds. */
  isBelowSecretPath: boolean;
};

export type ListenOptions = {
  /** `Response.error()` ends the connection without an answer. */
  handle(request: Request, connection: Connection): Promise<Response>;
  /** `/` and a secret: what is asked for below it is handled as if it were at the root. */
  secretPath?: string;
  host: string;
  /** 0: the system chooses. A port in use gives way to the next free one. */
  port: number;
  /** This port or none. */
  isPortFixed?: boolean;
  log: Log;
  limits?: Partial<WireLimits>;
};

export type WireLimits = {
  /** From the connection to the end of the headers. */
  headersMs: number;
  /** To the end of the body; long enough for 25 MB over a slow line. */
  requestMs: number;
  /** What is still taken of a body after its answer was sent. */
  leftoverBytes: number;
  leftoverMs: number;
  /** How long close() lets answers end. */
  closeMs: number;
};

const defaultWireLimits: WireLimits = {
  headersMs: 20_000,
  requestMs: 15 * 60_000,
  leftoverBytes: defaultBodyLimits.drainBytes,
  leftoverMs: defaultBodyLimits.drainMs,
  closeMs: 1000,
};

export interface Listener {
  readonly port: number;
  /** Takes no more connections; ends those there are when they are done, however long that takes. */
  retire(): Promise<void>;
  /** Idle connections end at once, active ones when they are done or after about a second. */
  close(): Promise<void>;
}

const maxPorts = 20;

/** @throws the system's error where the address cannot be bound or no port is free. */
export async function listen({
  handle,
  secretPath,
  host,
  port,
  isPortFixed = false,
  log,
  limits = {},
}: ListenOptions): Promise<Listener> {
  const wire = { ...defaultWireLimits, ...limits };
  const belowSecretPath = new WeakSet<object>();
  const respond = getRequestListener(
    async (request, { incoming }) => {
      const fault = faultOf(incoming);
      if (fault !== undefined) return errorResponse(fault, { "x-request-id": newRequestId() });
      const connection = {
        remoteAddress: incoming.socket.remoteAddress ?? "",
        isBelowSecretPath: belowSecretPath.has(incoming),
      };
      const response = await handle(request, connection);
      if (response.type === "error") {
        incoming.socket.destroy();
        return new Response(null);
      }
      return breakOff(response, incoming.socket, log);
    },
    {
      autoCleanupIncoming: false,
      errorHandler: () =>
        errorResponse(
          new AppError(
            "invalid_request",
            "The URL or the Host header of the request is malformed.",
          ),
          { "x-request-id": newRequestId() },
        ),
    },
  );
  let closing = false;
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    let isBodyBegun = false;
    if (secretPath !== undefined && startsWithSecret(incoming.url, `${secretPath}/`)) {
      incoming.url = incoming.url?.slice(secretPath.length);
      belowSecretPath.add(incoming);
    }
    // Ahead of Node, which begins to read what nobody wanted when the answer is out.
    outgoing.prependOnceListener("finish", () => (isBodyBegun = incoming.readableDidRead));
    outgoing.once("close", () => {
      if (closing) setImmediate(() => server.closeIdleConnections());
      limitLeftover(incoming, isBodyBegun, wire);
    });
    Promise.resolve(respond(incoming, outgoing)).catch((error: unknown) => {
      log.error({ err: error }, "a request could not be answered");
      outgoing.destroy();
    });
  };
  const server = createServer(
    {
      headersTimeout: wire.headersMs,
      requestTimeout: wire.requestMs,
      connectionsCheckingInterval: Math.min(5000, wire.headersMs),
      keepAliveTimeout: 30_000,
      // Our own answer says what is missing.
      requireHostHeader: false,
    },
    serve,
  );
  server.on("checkContinue", (incoming, outgoing) => {
    continueOnRead(incoming, outgoing);
    serve(incoming, outgoing);
  });
  server.on("checkExpectation", serve);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => refuse(error, socket));
  const bound = await bind(server, host, port, isPortFixed ? 1 : maxPorts);
  server.on("error", (error) => log.error({ err: error }, "the server failed"));

  const closed = Promise.withResolvers<void>();
  const retire = (): Promise<void> => {
    if (!closing) server.close(() => closed.resolve());
    closing = true;
    return closed.promise;
  };

  return {
    port: bound,
    retire,
    async close() {
      const timer = setTimeout(() => server.closeAllConnections(), wire.closeMs);
      await retire();
      clearTimeout(timer);
    },
  };
}

async function bind(
  server: Server,
  host: string,
  port: number,
  portsToTry: number,
): Promise<number> {
  for (let at = port; ; at += 1) {
    try {
      const ready = Promise.withResolvers<void>();
      server.once("error", ready.reject);
      server.listen(at, host, () => ready.resolve());
      await ready.promise.finally(() => server.off("error", ready.reject));
      return (server.address() as AddressInfo).port;
    } catch (error) {
      const taken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      if (!taken || port === 0 || at + 1 >= port + portsToTry || at === 65_535) throw error;
    }
  }
}

/** Takes the same time however much of the secret is right. */
function startsWithSecret(path: string | undefined, secret: string): boolean {
  const begin = Buffer.from(path?.slice(0, secret.length) ?? "");
  const expected = Buffer.from(secret);
  return begin.length === expected.length && timingSafeEqual(begin, expected);
}

/** What Node lets pass and a gateway must not: who is meant, or what is expected, nobody could tell. */
function faultOf({
  rawHeaders,
  headers,
}: Pick<IncomingMessage, "rawHeaders" | "headers">): AppError | undefined {
  const hosts = rawHeaders.filter(
    (name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === "host",
  );
  if (hosts.length > 1)
    return new AppError("invalid_request", "The request has more than one Host header.");
  if (headers.expect === undefined || /\b100-continue\b/i.test(headers.expect)) return undefined;
  return new AppError("expectation_failed", "The only 'Expect' that can be met is '100-continue'.");
}

/** A streamed answer that fails ends the connection without its last chunk: nobody takes it for whole. */
function breakOff(response: Response, socket: Socket, log: Log): Response {
  if (response.headers.get("transfer-encoding") !== "chunked" || response.body === null)
    return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          if (!socket.destroyed)
            log.error(
              { requestId: response.headers.get("x-request-id"), err: error },
              "an answer broke off",
            );
          // What was made goes out; the body is left open, as its end would be sent as the end of the file.
          socket.destroySoon();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}

/** A sender that asks before it sends is told to go on when its body is wanted: the guard may refuse it first. */
function continueOnRead(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.shouldKeepAlive = false;
  incoming.once("resume", () => {
    if (outgoing.headersSent) return;
    outgoing.shouldKeepAlive = true;
    outgoing.writeContinue();
  });
}

/** Node reads on what a sender still sends after its answer, so that it gets to reading it; here that ends. */
function limitLeftover(
  incoming: IncomingMessage,
  isBodyBegun: boolean,
  { leftoverBytes, leftoverMs }: WireLimits,
): void {
  const { socket } = incoming;
  if (incoming.complete || socket.destroyed) return;
  // A body read in part was refused after the same limits.
  if (isBodyBegun) {
    socket.destroySoon();
    return;
  }
  const start = socket.bytesRead;
  const look = setInterval(
    () => {
      const isOver = incoming.complete || socket.destroyed;
      const isLate =
        !isOver && (performance.now() > deadline || socket.bytesRead - start > leftoverBytes);
      if (isLate) socket.destroySoon();
      if (isLate || isOver) clearInterval(look);
    },
    Math.min(500, leftoverMs),
  );
  const deadline = performance.now() + leftoverMs;
  look.unref();
}

const wireErrors: Record<string, ErrorKey> = {
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
  HPE_HEADER_OVERFLOW: "headers_too_large",
};
const wireMessages: Partial<Record<ErrorKey, string>> = {
  request_timeout: "The request took too long to arrive.",
  headers_too_large: "The headers of the request are too large.",
};

/** What is no HTTP, or comes too slowly, never reaches the gateway; it gets the same kind of answer. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const key = wireErrors[error.code ?? ""] ?? "invalid_request";
  const body = JSON.stringify(
    errorBody(new AppError(key, wireMessages[key] ?? "The request is not valid HTTP.")),
  );
  const head = [
    `HTTP/1.1 ${errorTable[key].status} Refused`,
    "content-type: application/json",
    `x-request-id: ${newRequestId()}`,
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

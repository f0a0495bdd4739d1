// WebSockets on a port: who may open one is decided like a request; then messages are passed on, in order and within
// limits. Connections that are silent for long, or read nothing, are closed.

import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import type { Log } from "../../log.ts";

/** What serves a WebSocket. */
export type SocketSession = {
  /** Called with one message after the other. */
  receive(message: Uint8Array): Promise<void>;
  close(): Promise<void>;
};

/** Opens the session of an accepted WebSocket. `end` closes it after what was sent. */
export type AcceptSocket = (send: (text: string) => void, end: () => void) => SocketSession;

export type SocketLimits = {
  maxMessageBytes: number;
  /** Messages that wait until earlier ones are handled. */
  maxWaitingBytes: number;
  /** Bytes that the client has not read yet. */
  maxUnreadBytes: number;
  pingMs: number;
  /** Without a message of the client. */
  idleMs: number;
};

const defaultLimits: SocketLimits = {
  maxMessageBytes: 24 * 2 ** 20,
  maxWaitingBytes: 48 * 2 ** 20,
  maxUnreadBytes: 8 * 2 ** 20,
  pingMs: 30_000,
  idleMs: 10 * 60_000,
};

export type SocketsOptions = {
  /** @returns a response to refuse it */
  upgrade(incoming: IncomingMessage): Promise<Response | AcceptSocket>;
  limits?: Partial<SocketLimits>;
  log: Log;
};

/** Serves the server's WebSockets. @returns function that closes them */
export function serveSockets(
  server: Server,
  { upgrade, limits = {}, log }: SocketsOptions,
): () => void {
  const socketLimits = { ...defaultLimits, ...limits };
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: socketLimits.maxMessageBytes,
    perMessageDeflate: false,
    // Never the one that carries a key.
    handleProtocols: (protocols) => (protocols.has("realtime") ? "realtime" : false),
  });
  server.on("upgrade", (incoming, socket, head) => {
    socket.on("error", () => socket.destroy());
    upgrade(incoming).then(
      (answer) => {
        if (answer instanceof Response) return refuse(socket, answer);
        return sockets.handleUpgrade(incoming, socket, head, (webSocket) =>
          serveSocket(webSocket, answer, socketLimits, log),
        );
      },
      (error: unknown) => {
        log.error({ err: error }, "a WebSocket could not be opened");
        socket.destroy();
      },
    );
  });
  return () => {
    // Upgrades that are still being decided are refused from now on.
    sockets.close();
    for (const webSocket of sockets.clients) {
      webSocket.close(1001, "The server closes.");
      webSocket.terminate();
    }
  };
}

async function refuse(socket: Duplex, response: Response): Promise<void> {
  // `Response.error()`: no answer.
  if (response.status === 0) return void socket.destroy();
  const body = Buffer.from(await response.arrayBuffer());
  const headers = [...response.headers]
    .filter(([name]) => name !== "content-length" && name !== "connection")
    .map(([name, value]) => `${name}: ${value}`);
  // Otherwise the client would decide how long the socket stays.
  socket.once("finish", () => socket.destroy());
  socket.end(
    Buffer.concat([
      Buffer.from(
        [
          `HTTP/1.1 ${response.status} Refused`,
          ...headers,
          `content-length: ${body.length}`,
          "connection: close",
          "",
          "",
        ].join("\r\n"),
      ),
      body,
    ]),
  );
}

function serveSocket(
  webSocket: WebSocket,
  accept: AcceptSocket,
  { maxWaitingBytes, maxUnreadBytes, pingMs, idleMs }: SocketLimits,
  log: Log,
): void {
  let waitingBytes = 0;
  let isAlive = true;
  let lastMessageMs = performance.now();
  let handling = Promise.resolve();
  const session = accept(
    (text) => {
      if (webSocket.readyState !== webSocket.OPEN) return;
      webSocket.send(text);
      if (webSocket.bufferedAmount > maxUnreadBytes) webSocket.terminate();
    },
    () => webSocket.close(1000, "The session has ended."),
  );
  webSocket.on("message", (data) => {
    const message = toBytes(data);
    lastMessageMs = performance.now();
    waitingBytes += message.length;
    if (waitingBytes > maxWaitingBytes) return webSocket.close(1009, "Messages come too fast.");
    handling = handling
      .then(() => session.receive(message))
      .catch((error: unknown) => log.error({ err: error }, "a message could not be handled"))
      .finally(() => (waitingBytes -= message.length));
  });
  webSocket.on("pong", () => (isAlive = true));
  webSocket.on("error", () => webSocket.terminate());
  const timer = setInterval(() => {
    if (!isAlive) return webSocket.terminate();
    if (performance.now() - lastMessageMs > idleMs)
      return webSocket.close(1000, "Nothing was sent for a long time.");
    isAlive = false;
    webSocket.ping();
  }, pingMs);
  timer.unref();
  webSocket.on("close", () => {
    clearInterval(timer);
    session
      .close()
      .catch((error: unknown) => log.warn({ err: error }, "a session could not be closed"));
  });
}

const toBytes = (data: Buffer | ArrayBuffer | Buffer[]): Uint8Array =>
  Array.isArray(data) ? Buffer.concat(data) : new Uint8Array(data);

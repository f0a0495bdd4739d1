// A real HTTP server in place of a provider, with scripted behaviour: valid responses, nonsense, broken or endless
// ones. It records its requests.

import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";

export type ReceivedRequest = {
  method: string;
  /** Including `/v1` and the query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Whether the body was received completely. */
  isComplete: boolean;
  /** The body as a form. */
  form(): Promise<FormData>;
  /** The body as JSON. */
  json(): unknown;
};

export type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  received: ReceivedRequest;
};

/** How a request is answered. The body is read before, unless `respondsBeforeBody` is set. */
export type Behaviour = ((exchange: Exchange) => unknown) & { respondsBeforeBody?: true };

export type TestUpstream = {
  /** `http://127.0.0.1:port/v1` */
  baseUrl: string;
  origin: string;
  requests: ReceivedRequest[];
  /** Sets the behaviour from now on, for every path or for paths that end in `path`, such as `/models`. */
  setBehaviour(behaviour: Behaviour, path?: string): void;
  /** Number of requests whose response has neither ended nor been aborted. */
  activeCount(): number;
  /** Number of connections since the start. */
  connectionCount(): number;
  close(): Promise<void>;
};

/** Closed with the test. Responds 404 by default. */
export async function startUpstream(behaviour?: Behaviour, port = 0): Promise<TestUpstream> {
  const upstream = await openUpstream(behaviour, port);
  onTestFinished(upstream.close);
  return upstream;
}

/** The caller has to close it. */
export async function openUpstream(
  behaviour: Behaviour = json({ error: { message: "no such page" } }, 404),
  port = 0,
): Promise<TestUpstream> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  const byPath = new Map<string, Behaviour>();
  let connectionCount = 0;
  let activeCount = 0;
  let defaultBehaviour = behaviour;

  const server = createServer((request, response) => {
    const received: ReceivedRequest = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: Buffer.alloc(0),
      isComplete: false,
      form: () =>
        new Response(new Uint8Array(received.body), {
          headers: { "content-type": request.headers["content-type"] ?? "" },
        }).formData(),
      json: () => JSON.parse(received.body.toString()),
    };
    requests.push(received);
    const selectedBehaviour =
      Array.from(byPath).find(([end]) => received.path.endsWith(end))?.[1] ?? defaultBehaviour;
    activeCount += 1;
    response.on("close", () => (activeCount -= 1));
    response.on("error", () => {});
    if (selectedBehaviour.respondsBeforeBody === true) {
      selectedBehaviour({ request, response, received });
      return;
    }
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.body = Buffer.concat(chunks);
      received.isComplete = true;
      selectedBehaviour({ request, response, received });
    });
  });
  server.on("connection", (socket) => {
    connectionCount += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");

  let closing: Promise<void> | undefined;
  function close(): Promise<void> {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
    return closing;
  }

  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrl: `${origin}/v1`,
    origin,
    requests,
    setBehaviour(next, path) {
      if (path === undefined) defaultBehaviour = next;
      else byPath.set(path, next);
    },
    activeCount: () => activeCount,
    connectionCount: () => connectionCount,
    close,
  };
}

/** A base URL whose port refuses connections. */
export async function refusingBaseUrl(): Promise<string> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}/v1`;
}

/** A server that accepts connections and sends nothing, so that no TLS handshake takes place. */
export async function startSilentServer(): Promise<{ baseUrl: string; connectionCount(): number }> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    sockets.push(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    connectionCount: () => sockets.length,
  };
}

export function respondWith(
  status: number,
  contentType: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Behaviour {
  return ({ response }) =>
    response.writeHead(status, { "content-type": contentType, ...headers }).end(body);
}

export const json = (
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): Behaviour => respondWith(status, "application/json", JSON.stringify(body), headers);

export const html = (status = 200): Behaviour =>
  respondWith(
    status,
    "text/html; charset=utf-8",
    "<!DOCTYPE html><html><body><h1>Something went wrong</h1></body></html>",
  );

export const redirect =
  (location: string, status = 307): Behaviour =>
  ({ response }) =>
    response.writeHead(status, { location }).end();

/** Resets the connection before the response. */
export const resetConnection: Behaviour = ({ request }) => request.socket.resetAndDestroy();

/** Receives the request and never responds. */
export const noResponse: Behaviour = () => {};

/** Does not read the request's body. */
export const neverReadBody: Behaviour = Object.assign(() => {}, {
  respondsBeforeBody: true,
} as const);

/** Responds before it has read the request, like a server that refuses an upload by its size. */
export const respondBeforeBody = (behaviour: Behaviour): Behaviour =>
  Object.assign((exchange: Exchange) => behaviour(exchange), { respondsBeforeBody: true } as const);

/** Sends header lines without end. */
export const endlessHeaders: Behaviour = ({ request }) => {
  const { socket } = request;
  socket.on("error", () => {});
  socket.write("HTTP/1.1 200 OK\r\n");
  const writeMore = () => {
    while (!socket.destroyed && socket.write(`x-more: ${"a".repeat(1000)}\r\n`));
  };
  socket.on("drain", writeMore);
  writeMore();
};

/** Sends the start of a header, then nothing. */
export const stallInHeaders: Behaviour = ({ request }) =>
  request.socket.write("HTTP/1.1 200 OK\r\ncontent-ty");

/** Sends headers and this part of a body, then nothing. */
export const stallInBody =
  (contentType: string, begin: string | Uint8Array = ""): Behaviour =>
  ({ response }) => {
    response.writeHead(200, { "content-type": contentType });
    response.flushHeaders();
    if (begin.length > 0) response.write(begin);
  };

/** Ends the connection after this part of a body, with a content-length or chunked. */
export const breakOffBody =
  (contentType: string, begin: string | Uint8Array, { hasContentLength = false } = {}): Behaviour =>
  ({ response }) => {
    response.writeHead(200, {
      "content-type": contentType,
      ...(hasContentLength ? { "content-length": String(begin.length + 1000) } : {}),
    });
    response.write(begin, () => response.destroy());
  };

/** Sends `sizeBytes` of `x` after `begin`, as fast as they are read. `sentBytes()` returns how many were sent. */
export function largeBody(
  contentType: string,
  sizeBytes: number,
  { begin = "", hasContentLength = false } = {},
): Behaviour & { sentBytes(): number } {
  let sentBytes = 0;
  const chunk = Buffer.alloc(64 * 1024, "x");
  return Object.assign(
    ({ response }: Exchange) => {
      response.writeHead(200, {
        "content-type": contentType,
        ...(hasContentLength ? { "content-length": String(sizeBytes + begin.length) } : {}),
      });
      response.write(begin);
      const writeMore = () => {
        while (sentBytes < sizeBytes && !response.destroyed) {
          sentBytes += chunk.length;
          if (!response.write(chunk)) return;
        }
        if (!response.destroyed) response.end();
      };
      response.on("drain", writeMore);
      writeMore();
    },
    { sentBytes: () => sentBytes },
  );
}

/** Server-sent events; `cut` ends the connection after the last one. */
export const events =
  (data: readonly unknown[], { cut = false } = {}): Behaviour =>
  ({ response }) => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    const text = data
      .map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`)
      .join("");
    response.write(text, () => (cut ? response.destroy() : response.end()));
  };

/** A response whose chunks the test sends one by one. */
export type ControlledResponse = {
  behaviour: Behaviour;
  write(chunk: string | Uint8Array): Promise<void>;
  end(): Promise<void>;
  /** Resolves when the connection has closed. */
  closed: Promise<void>;
};

export function controlledResponse(contentType: string): ControlledResponse {
  const started = Promise.withResolvers<ServerResponse>();
  const closed = Promise.withResolvers<void>();
  return {
    behaviour({ response }) {
      response.writeHead(200, { "content-type": contentType });
      response.flushHeaders();
      response.on("close", () => closed.resolve());
      started.resolve(response);
    },
    async write(chunk) {
      (await started.promise).write(chunk);
    },
    async end() {
      (await started.promise).end();
    },
    closed: closed.promise,
  };
}

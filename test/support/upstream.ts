// A real HTTP server that stands for a provider and does as a test tells it: answers well, answers nonsense, breaks
// off, never ends. It keeps what it was asked.

import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";

export type Received = {
  method: string;
  /** With its query, `/v1` included. */
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Whether the body came to its end. */
  whole: boolean;
  /** The body as a form. */
  form(): Promise<FormData>;
  /** The body as JSON. */
  json(): unknown;
};

export type Exchange = { request: IncomingMessage; response: ServerResponse; received: Received };

/** How a request is answered. The body was read before, unless `early` says otherwise. */
export type Behaviour = ((exchange: Exchange) => unknown) & { early?: true };

export type TestUpstream = {
  /** `http://127.0.0.1:port/v1` */
  baseUrl: string;
  origin: string;
  requests: Received[];
  /** From now on, for every path, or for those that end as given: `/models`. */
  answers(behaviour: Behaviour, path?: string): void;
  /** Requests whose answer has neither ended nor been given up. */
  busy(): number;
  /** Connections that were ever made. */
  accepted(): number;
  close(): Promise<void>;
};

/** Closed with the test. Answers 404 until told otherwise. */
export async function startUpstream(behaviour?: Behaviour, port = 0): Promise<TestUpstream> {
  const upstream = await openUpstream(behaviour, port);
  onTestFinished(upstream.close);
  return upstream;
}

/** To be closed. */
export async function openUpstream(
  behaviour: Behaviour = json({ error: { message: "no such page" } }, 404),
  port = 0,
): Promise<TestUpstream> {
  const requests: Received[] = [];
  const sockets = new Set<Socket>();
  const byPath = new Map<string, Behaviour>();
  let accepted = 0;
  let busy = 0;
  let general = behaviour;

  const server = createServer((request, response) => {
    const received: Received = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: Buffer.alloc(0),
      whole: false,
      form: () =>
        new Response(new Uint8Array(received.body), {
          headers: { "content-type": request.headers["content-type"] ?? "" },
        }).formData(),
      json: () => JSON.parse(received.body.toString()),
    };
    requests.push(received);
    const chosen = Array.from(byPath).find(([end]) => received.path.endsWith(end))?.[1] ?? general;
    busy += 1;
    response.on("close", () => (busy -= 1));
    response.on("error", () => {});
    if (chosen.early === true) {
      chosen({ request, response, received });
      return;
    }
    const parts: Buffer[] = [];
    request.on("error", () => {});
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      received.body = Buffer.concat(parts);
      received.whole = true;
      chosen({ request, response, received });
    });
  });
  server.on("connection", (socket) => {
    accepted += 1;
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
    answers(next, path) {
      if (path === undefined) general = next;
      else byPath.set(path, next);
    },
    busy: () => busy,
    accepted: () => accepted,
    close,
  };
}

/** A base URL at which nobody listens. */
export async function refusingBaseUrl(): Promise<string> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}/v1`;
}

/** A server that takes connections and says nothing, so that TLS never begins. */
export async function mute(): Promise<{ baseUrl: string; accepted(): number }> {
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
    accepted: () => sockets.length,
  };
}

export function answer(
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
): Behaviour => answer(status, "application/json", JSON.stringify(body), headers);

export const html = (status = 200): Behaviour =>
  answer(
    status,
    "text/html; charset=utf-8",
    "<!DOCTYPE html><html><body><h1>Something went wrong</h1></body></html>",
  );

export const redirect =
  (location: string, status = 307): Behaviour =>
  ({ response }) =>
    response.writeHead(status, { location }).end();

/** Closes with a reset before a byte of an answer. */
export const reset: Behaviour = ({ request }) => request.socket.resetAndDestroy();

/** Takes the request and says nothing. */
export const silent: Behaviour = () => {};

/** Does not even read what is sent. */
export const deaf: Behaviour = Object.assign(() => {}, { early: true } as const);

/** Answers before it has read the request, as a server does that refuses an upload by its size. */
export const hasty = (behaviour: Behaviour): Behaviour =>
  Object.assign((exchange: Exchange) => behaviour(exchange), { early: true } as const);

/** Header lines without end. */
export const endlessHeaders: Behaviour = ({ request }) => {
  const { socket } = request;
  socket.on("error", () => {});
  socket.write("HTTP/1.1 200 OK\r\n");
  const more = () => {
    while (!socket.destroyed && socket.write(`x-more: ${"a".repeat(1000)}\r\n`));
  };
  socket.on("drain", more);
  more();
};

/** The beginning of a header, and no more. */
export const stuckHeaders: Behaviour = ({ request }) =>
  request.socket.write("HTTP/1.1 200 OK\r\ncontent-ty");

/** Headers and this much of a body, then nothing. */
export const stuckBody =
  (contentType: string, begin: string | Uint8Array = ""): Behaviour =>
  ({ response }) => {
    response.writeHead(200, { "content-type": contentType });
    response.flushHeaders();
    if (begin.length > 0) response.write(begin);
  };

/** Breaks off after this much: of a body whose length was told, or of one in chunks. */
export const cutOff =
  (contentType: string, begin: string | Uint8Array, { lengthTold = false } = {}): Behaviour =>
  ({ response }) => {
    response.writeHead(200, {
      "content-type": contentType,
      ...(lengthTold ? { "content-length": String(begin.length + 1000) } : {}),
    });
    response.write(begin, () => response.destroy());
  };

/** `sizeBytes` of `x` after `begin`, as fast as they are taken; `sent()` tells how many were. */
export function huge(
  contentType: string,
  sizeBytes: number,
  { begin = "", lengthTold = false } = {},
): Behaviour & { sent(): number } {
  let sent = 0;
  const piece = Buffer.alloc(64 * 1024, "x");
  return Object.assign(
    ({ response }: Exchange) => {
      response.writeHead(200, {
        "content-type": contentType,
        ...(lengthTold ? { "content-length": String(sizeBytes + begin.length) } : {}),
      });
      response.write(begin);
      const more = () => {
        while (sent < sizeBytes && !response.destroyed) {
          sent += piece.length;
          if (!response.write(piece)) return;
        }
        if (!response.destroyed) response.end();
      };
      response.on("drain", more);
      more();
    },
    { sent: () => sent },
  );
}

/** Server-sent events; `cut` breaks off behind the last. */
export const events =
  (data: readonly unknown[], { cut = false } = {}): Behaviour =>
  ({ response }) => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    const text = data
      .map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`)
      .join("");
    response.write(text, () => (cut ? response.destroy() : response.end()));
  };

/** An answer whose pieces the test sends one by one. */
export type Held = {
  behaviour: Behaviour;
  write(piece: string | Uint8Array): Promise<void>;
  end(): Promise<void>;
  /** Resolves when the connection is gone. */
  gone: Promise<void>;
};

export function held(contentType: string): Held {
  const began = Promise.withResolvers<ServerResponse>();
  const gone = Promise.withResolvers<void>();
  return {
    behaviour({ response }) {
      response.writeHead(200, { "content-type": contentType });
      response.flushHeaders();
      response.on("close", () => gone.resolve());
      began.resolve(response);
    },
    async write(piece) {
      (await began.promise).write(piece);
    },
    async end() {
      (await began.promise).end();
    },
    gone: gone.promise,
  };
}

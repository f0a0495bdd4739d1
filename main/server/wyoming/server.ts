// The port of the Wyoming protocol: connections with limits. Whatever a client sends, at most its own connection ends,
// with an `error` event that says why.

import { createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { AppError } from "../../contract/errors.ts";
import type { Log } from "../../log.ts";
import { toAppError } from "../http/error-response.ts";
import { newRequestId } from "../http/request-id.ts";
import { createSession, type WyomingServices } from "./session.ts";
import { createEventReader, encodeEvent, type Send } from "./wire-format.ts";

export type WyomingLimits = {
  maxConnections: number;
  /** Of one address, so that none keeps the others out. */
  maxPerAddress: number;
  /** How long a client may neither send nor read anything. */
  idleMs: number;
  /** How long the last event may take to reach a client. */
  lingerMs: number;
};

const defaultLimits: WyomingLimits = {
  maxConnections: 16,
  maxPerAddress: 12,
  idleMs: 120_000,
  lingerMs: 1_000,
};

export type WyomingServerOptions = {
  services: WyomingServices;
  host: string;
  /** 0: the system chooses. */
  port: number;
  log: Log;
  limits?: Partial<WyomingLimits>;
};

export type WyomingServer = {
  readonly port: number;
  close(): Promise<void>;
};

/** @throws the system's error if the port cannot be opened */
export async function openWyomingServer({
  services,
  host,
  port,
  log,
  limits,
}: WyomingServerOptions): Promise<WyomingServer> {
  const allLimits = { ...defaultLimits, ...limits };
  const sockets = new Set<Socket>();
  // A client that only closes its sending side still gets its answers.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", (error) => log.debug({ err: error }, "a connection broke"));
    const exceeded = exceededLimit(socket, sockets, allLimits);
    sockets.add(socket);
    void serveConnection(socket, services, allLimits, exceeded, log);
  });
  // Further ones get no reason either: each refusal takes a while.
  server.maxConnections = 4 * allLimits.maxConnections;
  server.listen(port, host);
  await once(server, "listening");
  server.on("error", (error) => log.error({ err: error }, "the Wyoming server failed"));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** The limit that one more connection would exceed. */
function exceededLimit(
  { remoteAddress }: Socket,
  open: ReadonlySet<Socket>,
  { maxConnections, maxPerAddress }: WyomingLimits,
): AppError | undefined {
  if (open.size >= maxConnections)
    return new AppError("wyoming.tooManyConnections", { max: maxConnections });
  const ofAddress = [...open].filter((socket) => socket.remoteAddress === remoteAddress);
  return ofAddress.length >= maxPerAddress
    ? new AppError("wyoming.tooManyOfAddress", { max: maxPerAddress })
    : undefined;
}

/** Never rejects. */
async function serveConnection(
  socket: Socket,
  services: WyomingServices,
  { idleMs, lingerMs }: WyomingLimits,
  refusal: AppError | undefined,
  log: Log,
): Promise<void> {
  const ended = new AbortController();
  let isFailed = false;
  socket.on("close", () => ended.abort());

  const send: Send = async (type, data, payload) => {
    ended.signal.throwIfAborted();
    if (!socket.write(encodeEvent(type, data, payload)))
      await once(socket, "drain", { signal: ended.signal });
  };

  /** Ends the connection after an event with the reason. */
  function fail(error: unknown): void {
    if (isFailed || ended.signal.aborted) return;
    isFailed = true;
    const { message, row } = refusalOf(error, log, socket.remoteAddress);
    socket.end(encodeEvent("error", { text: message, code: row.code ?? row.type }));
    ended.abort();
    setTimeout(() => socket.destroy(), lingerMs).unref();
  }

  if (refusal !== undefined) {
    fail(refusal);
    socket.resume();
    return;
  }
  const session = createSession(services, send, ended.signal, fail);
  socket.setTimeout(idleMs, () => {
    if (session.isWaiting() || socket.writableLength > 0)
      fail(new AppError("wyoming.idle", { sec: idleMs / 1000 }));
    // Work without output is going on: the time starts anew.
    else socket.setTimeout(idleMs);
  });
  try {
    const reader = createEventReader();
    for await (const bytes of socket.iterator({ destroyOnReturn: false })) {
      for (const event of reader.push(bytes as Uint8Array)) {
        if (ended.signal.aborted) return;
        await session.handle(event);
      }
    }
    if (!isFailed) socket.end();
  } catch (error) {
    fail(error);
  } finally {
    session.close();
    // What the client still sends is discarded: unread, it would reset the connection before the last event arrives.
    socket.resume();
  }
}

function refusalOf(error: unknown, log: Log, client: string | undefined): AppError {
  const requestId = newRequestId();
  const refusal = toAppError(error, requestId, log);
  log.warn({ requestId, client, err: refusal }, "a Wyoming client was refused");
  return refusal;
}

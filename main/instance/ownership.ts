// One app at a time owns a data folder: only it resumes work, ends recordings, repairs the library and makes backups.
// The owner holds a lock, which works across containers and ends with the process. It listens on a port for other
// starts and for the command line on the same folder, which find it by `running.json`.

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { acquireProcessLock } from "../storage/process-lock.ts";
import { renameSync, writeFileSync } from "../storage/disk.ts";
import {
  handoverRequest,
  type HandoverRequest,
  type HandoverResponse,
  identityPath,
  openPath,
  rendezvousName,
} from "./messages.ts";

export type Ownership = {
  /**
   * Accepts requests of other starts once `running.json` is written, which is retried if the disk rejects it.
   * @throws the system's error if no port can be opened
   */
  serve(
    onHandover: (request: HandoverRequest) => Promise<HandoverResponse>,
    warn?: (text: string) => void,
  ): Promise<void>;
  /** Handles requests to `/app` by the command line; earlier ones wait for this call. */
  serveApp(handle: NodeHandler): void;
  /**
   * Stops accepting requests: other starts wait for `release` and then take over. Resolves when the requests have
   * ended, which are given one second.
   */
  retire(): Promise<void>;
  /** Must be the last step of the app: another one may own the folder afterwards. */
  release(): void;
};

type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Name used by older versions, so that a running older Hearsay is detected. */
const lockName = "studio.lock";
const maxRequestBytes = 32 * 2 ** 20;
/** Delay between attempts to write to a disk that rejects writes. */
const retryMs = 1000;
const closeMs = 1000;

/** @param dataDir must exist @returns undefined if another process owns it */
export function claimDataFolder(dataDir: string): Ownership | undefined {
  const unlock = acquireProcessLock(join(dataDir, lockName));
  if (unlock === undefined) return undefined;
  const path = join(dataDir, rendezvousName);
  // Left by a killed owner: its address is no longer valid.
  rmSync(path, { force: true });
  let server: Server | undefined;
  let retryTimer: NodeJS.Timeout | undefined;
  const appHandler = Promise.withResolvers<NodeHandler>();

  function writeRendezvous(content: string): void {
    const draft = `${path}.draft`;
    rmSync(draft, { force: true });
    writeFileSync(draft, content, { mode: 0o600, flag: "wx" });
    renameSync(draft, path);
  }

  function writeRendezvousLater(content: string): void {
    retryTimer = setInterval(() => {
      try {
        writeRendezvous(content);
        clearInterval(retryTimer);
      } catch {
        // Retried at the next interval.
      }
    }, retryMs);
    retryTimer.unref();
  }

  function retire(): Promise<void> {
    clearInterval(retryTimer);
    if (server === undefined) return Promise.resolve();
    rmSync(path, { force: true });
    const closed = closeServer(server);
    server = undefined;
    return closed;
  }

  return {
    async serve(onHandover, warn = () => {}) {
      const secret = randomBytes(32).toString("base64url");
      server = await listen((request, response) =>
        handleRequest(request, response, { secret, onHandover, appHandler: appHandler.promise }),
      );
      const { port } = server.address() as AddressInfo;
      const content = JSON.stringify({ address: `http://127.0.0.1:${port}`, secret });
      try {
        writeRendezvous(content);
      } catch (error) {
        // The app also starts with a full disk.
        warn(
          `${(error as Error).message}. ` +
            "Until the data folder can be written to, another start on it cannot hand over its files " +
            "and commands cannot reach this app.",
        );
        writeRendezvousLater(content);
      }
    },
    serveApp: appHandler.resolve,
    retire,
    release() {
      void retire();
      unlock();
    },
  };
}

async function listen(
  respond: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Server> {
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      if (!response.headersSent)
        send(response, 500, { message: error instanceof Error ? error.message : "unknown reason" });
    });
  });
  const ready = Promise.withResolvers<void>();
  server.once("error", ready.reject);
  server.listen(0, "127.0.0.1", ready.resolve);
  await ready.promise;
  server.on("error", () => {});
  return server;
}

async function closeServer(server: Server): Promise<void> {
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), closeMs);
  await closed.promise;
  clearTimeout(timer);
}

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  {
    secret,
    onHandover,
    appHandler,
  }: {
    secret: string;
    onHandover(request: HandoverRequest): Promise<HandoverResponse>;
    appHandler: Promise<NodeHandler>;
  },
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
  if (request.method === "GET" && pathname === identityPath)
    return send(response, 200, { proof: identityProof(secret, searchParams.get("nonce") ?? "") });
  if (!isEqualConstantTime(request.headers.authorization ?? "", `Bearer ${secret}`))
    return send(response, 401, { message: "wrong secret" });
  if (pathname.startsWith("/app/")) return (await appHandler)(request, response);
  if (request.method !== "POST" || pathname !== openPath)
    return send(response, 404, { message: "unknown address" });
  const { data } = handoverRequest.safeParse(await jsonBody(request));
  if (data === undefined) return send(response, 400, { message: "not a request of this version" });
  send(response, 200, await onHandover(data));
}

/**
 * Proves that the process at the address is the owner. Only those who can read the secret from the file can compute it.
 */
export const identityProof = (secret: string, nonce: string): string =>
  createHmac("sha256", secret).update(nonce).digest("hex");

function isEqualConstantTime(actual: string, expected: string): boolean {
  const [a, b] = [actual, expected].map((text) =>
    createHmac("sha256", "compare").update(text).digest(),
  ) as [Buffer, Buffer];
  return timingSafeEqual(a, b);
}

async function jsonBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxRequestBytes) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response
    .writeHead(status, { "content-type": "application/json", connection: "close" })
    .end(JSON.stringify(value));
}

// A model hub on this machine that serves real weights as Hugging Face does (pinned commits, redirects of large files
// to another host, a listing with checksums), and misbehaves on demand.

import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile, readdir } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join, relative } from "node:path";

export type HubRepository = {
  /** Path → content. */
  files: Readonly<Record<string, Buffer>>;
  revision?: string;
  cardData?: Record<string, unknown>;
  /** Files are sent only to requests with this access token. */
  token?: string;
};

export type HubRequestLog = {
  /** `hub`, or the host that large files are redirected to. */
  server: "hub" | "cdn";
  path: string;
  range: string | undefined;
  authorization: string | undefined;
  sentBytes: number;
};

/** Answers instead of the hub. @returns false to leave the request to the hub */
export type HubFault = (exchange: {
  request: IncomingMessage;
  response: ServerResponse;
  /** Of the file, from the first byte that was asked for. */
  content: Buffer;
  fromByte: number;
}) => unknown;

export type FakeHub = {
  baseUrl: string;
  requests: HubRequestLog[];
  /** For paths that end in `suffix`; undefined removes it. Large files have their path on the second host too. */
  setFault(suffix: string, fault: HubFault | undefined): void;
  /** Bytes of this file that were sent. */
  sentBytes(suffix: string): number;
  close(): Promise<void>;
};

export const testRevision = "0123456789abcdef0123456789abcdef01234567";
/** Larger files are in large file storage, on another host. */
const maxGitBytes = 10_000;

export const sha256 = (bytes: Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");
const gitBlob = (bytes: Uint8Array): string =>
  createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");

/** All files of a folder, such as main/engines/weights/whisper-base. */
export async function readFiles(folder: string): Promise<Record<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(
      paths.map(
        async (path) =>
          [relative(folder, path).replaceAll("\\", "/"), await readFile(path)] as const,
      ),
    ),
  );
}

/** Name → sha256 of all files of a folder, since comparing large buffers takes seconds. */
export const hashesOf = async (folder: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(await readFiles(folder)).map(([name, bytes]) => [name, sha256(bytes)]),
  );

export async function startHub(
  repositories: Readonly<Record<string, HubRepository>>,
  host = "127.0.0.1",
): Promise<FakeHub> {
  const requests: HubRequestLog[] = [];
  const faults = new Map<string, HubFault>();
  const sockets = new Set<Socket>();

  /** Sends content, or the requested rest of it. */
  function sendContent(
    request: IncomingMessage,
    response: ServerResponse,
    content: Buffer,
    log: HubRequestLog,
    headers: Record<string, string>,
  ): unknown {
    const fromByte = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    const path = (request.url ?? "").replace(/\?.*$/, "");
    const fault = [...faults].find(([suffix]) => path.endsWith(suffix))?.[1];
    const rest = content.subarray(fromByte);
    countBytes(response, log);
    if (fault !== undefined && fault({ request, response, content: rest, fromByte }) !== false)
      return undefined;
    const isPartial = request.headers.range !== undefined;
    response.writeHead(isPartial ? 206 : 200, {
      "content-length": String(rest.length),
      "content-type": "application/octet-stream",
      ...(isPartial
        ? { "content-range": `bytes ${fromByte}-${content.length - 1}/${content.length}` }
        : {}),
      ...headers,
    });
    return response.end(rest);
  }

  function handleApi(path: string, response: ServerResponse): unknown {
    const [, repository = "", kind, revision = ""] =
      /^\/api\/models\/([^/]+\/[^/]+)\/(revision|tree)\/(.+)$/.exec(path) ?? [];
    const found = repositories[repository];
    if (found === undefined) return refuse(response, 401, "RepoNotFound");
    const commit = found.revision ?? testRevision;
    if (revision !== "main" && revision !== commit)
      return refuse(response, 404, "RevisionNotFound");
    response.setHeader("content-type", "application/json");
    if (kind === "revision")
      return response.end(
        JSON.stringify({
          id: repository,
          sha: commit,
          createdAt: "2024-05-01T10:00:00.000Z",
          cardData: found.cardData ?? { license: "mit", language: ["en"] },
        }),
      );
    return response.end(
      JSON.stringify(
        Object.entries(found.files).map(([name, content]) => ({
          type: "file",
          path: name,
          size: content.length,
          oid: gitBlob(content),
          ...(content.length > maxGitBytes
            ? { lfs: { oid: sha256(content), size: content.length, pointerSize: 130 } }
            : {}),
        })),
      ),
    );
  }

  /** Undefined if the request was refused. */
  function findContent(
    { server, path, authorization }: HubRequestLog,
    response: ServerResponse,
  ): Buffer | undefined {
    const [, repository = "", revision = "", file = ""] =
      /^\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(decodeURIComponent(path)) ?? [];
    const found = repositories[repository];
    const content = found?.files[file];
    // An address of the second host is signed.
    const needsToken = server === "hub" && found?.token !== undefined;
    if (found === undefined) refuse(response, 401, "RepoNotFound");
    else if (needsToken && authorization !== `Bearer ${found.token}`)
      refuse(response, 401, authorization === undefined ? "GatedRepo" : undefined);
    else if (revision !== (found.revision ?? testRevision))
      refuse(response, 404, "RevisionNotFound");
    else if (content === undefined) refuse(response, 404, "EntryNotFound");
    else return content;
    return undefined;
  }

  const listen = async (
    server: "hub" | "cdn",
  ): Promise<{ port: number; close(): Promise<void> }> => {
    const http = createServer((request, response) => {
      const path = (request.url ?? "").replace(/\?.*$/, "");
      const log: HubRequestLog = {
        server,
        path,
        range: request.headers.range,
        authorization: request.headers.authorization,
        sentBytes: 0,
      };
      requests.push(log);
      if (path.startsWith("/api/")) {
        const fault = [...faults].find(([suffix]) => path.endsWith(suffix))?.[1];
        const content = Buffer.alloc(0);
        if (fault !== undefined && fault({ request, response, content, fromByte: 0 }) !== false)
          return;
        handleApi(path, response);
        return;
      }
      const content = findContent(log, response);
      if (content === undefined) return;
      if (server === "hub" && content.length > maxGitBytes) {
        // By the host name in the request.
        const { hostname } = new URL(`http://${request.headers.host}`);
        response.writeHead(302, {
          location: `http://${hostname}:${cdn.port}${request.url}?signature=x`,
          "x-repo-commit": testRevision,
          "x-linked-etag": `"${sha256(content)}"`,
          "x-linked-size": String(content.length),
        });
        response.end();
        return;
      }
      sendContent(
        request,
        response,
        content,
        log,
        server === "hub" ? { "x-repo-commit": testRevision } : {},
      );
    });
    http.on("connection", (socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    });
    http.listen(0, host);
    await once(http, "listening");
    return {
      port: (http.address() as AddressInfo).port,
      async close() {
        http.close();
        for (const socket of sockets) socket.destroy();
        await once(http, "close");
      },
    };
  };
  const cdn = await listen("cdn");
  const hub = await listen("hub");

  return {
    baseUrl: `http://${host}:${hub.port}`,
    requests,
    setFault(suffix, fault) {
      faults.delete(suffix);
      if (fault !== undefined) faults.set(suffix, fault);
    },
    sentBytes: (suffix) =>
      requests
        .filter(({ path }) => path.endsWith(suffix))
        .reduce((sum, { sentBytes }) => sum + sentBytes, 0),
    async close() {
      await hub.close();
      await cdn.close();
    },
  };
}

function countBytes(response: ServerResponse, log: HubRequestLog): void {
  const write = response.write.bind(response) as (chunk: Buffer, onSent?: () => void) => boolean;
  const end = response.end.bind(response) as (chunk?: Buffer) => ServerResponse;
  Object.assign(response, {
    write(chunk: Buffer, onSent?: () => void) {
      log.sentBytes += chunk.length;
      return write(chunk, onSent);
    },
    end(chunk?: Buffer) {
      log.sentBytes += chunk?.length ?? 0;
      return end(chunk);
    },
  });
}

function refuse(response: ServerResponse, status: number, errorCode?: string): ServerResponse {
  response.writeHead(status, {
    "content-type": "text/plain",
    ...(errorCode === undefined ? {} : { "x-error-code": errorCode }),
  });
  return response.end(errorCode ?? "refused");
}

export const respondStatus =
  (status: number, errorCode?: string): HubFault =>
  ({ response }) =>
    refuse(response, status, errorCode);

export const respondTooManyRequests =
  (retryAfterSec: number): HubFault =>
  ({ response }) => {
    response.setHeader("retry-after", String(retryAfterSec));
    return refuse(response, 429);
  };

export const redirectInCircles: HubFault = ({ request, response }) => {
  response.writeHead(302, { location: request.url ?? "" });
  return response.end();
};

/** Like a network with a sign-in page. */
export const respondWebPage: HubFault = ({ response }) => {
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  return response.end(Buffer.from("<!doctype html><title>Sign in</title>"));
};

export const sendWrongBytes: HubFault = ({ response, content }) => {
  response.writeHead(200, { "content-length": String(content.length) });
  return response.end(Buffer.alloc(content.length, 1));
};

/** Without a Content-Length. */
export const sendTooMuch: HubFault = ({ response, content }) => {
  response.write(content);
  return response.end(Buffer.from("more"));
};

export const sendOtherRevision: HubFault = ({ response, content }) => {
  response.writeHead(200, { "x-repo-commit": "f".repeat(40) });
  return response.end(content);
};

/** Answers a range with the whole file. */
export const ignoreRanges =
  (whole: Buffer): HubFault =>
  ({ response }) =>
    response.end(whole);

/**
 * Ends the connection after so many bytes: as soon as they are sent, so that some may be lost, or once they have
 * arrived.
 */
export const breakAfter =
  (bytes: number, haveArrived: () => Promise<void> = async () => {}): HubFault =>
  (exchange) => {
    writeHead(exchange);
    exchange.response.write(exchange.content.subarray(0, bytes), () => {
      void haveArrived().then(() => exchange.response.destroy());
    });
  };

/** Sends so many bytes, and then nothing anymore. */
export const stallAfter =
  (bytes: number): HubFault =>
  (exchange) => {
    writeHead(exchange);
    exchange.response.write(exchange.content.subarray(0, bytes));
  };

/** Sends so many bytes at once, and the rest at 200 kB/s. */
export const sendSlowly =
  (bytes: number): HubFault =>
  (exchange) => {
    const { content, response } = exchange;
    writeHead(exchange);
    response.write(content.subarray(0, bytes));
    let at = bytes;
    const timer = setInterval(() => {
      response.write(content.subarray(at, (at += 2e4)));
      if (at < content.length) return;
      clearInterval(timer);
      response.end();
    }, 100);
    response.on("close", () => clearInterval(timer));
  };

/** The first `times` requests only. */
export function first(times: number, fault: HubFault): HubFault {
  let count = 0;
  return (exchange) => (++count <= times ? fault(exchange) : false);
}

function writeHead({ response, content, fromByte }: Parameters<HubFault>[0]): void {
  const totalBytes = fromByte + content.length;
  response.writeHead(fromByte === 0 ? 200 : 206, {
    "content-length": String(content.length),
    ...(fromByte === 0
      ? {}
      : { "content-range": `bytes ${fromByte}-${totalBytes - 1}/${totalBytes}` }),
  });
}

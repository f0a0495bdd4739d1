// `hearsay serve` in its own process with a new data folder, used over HTTP.

import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type TimedResponse = {
  status: number;
  body: Buffer;
  /** Since the start of the request. */
  firstByteMs: number;
  lastByteMs: number;
};

export type ServedApp = {
  readonly baseUrl: string;
  readonly pid: number;
  readonly headers: Record<string, string>;
  /** Uses a single keep-alive connection. @throws Error for a status other than 200 */
  post(path: string, contentType: string, body: Buffer): Promise<TimedResponse>;
  close(): Promise<void>;
};

const mainModule = join(import.meta.dirname, "..", "..", "main", "cli", "main.ts");

export async function serveApp(): Promise<ServedApp> {
  const dataDir = mkdtempSync(join(tmpdir(), "hearsay-bench-"));
  const apiKey = "hs-bench";
  const args = [
    "serve",
    "--headless",
    "--port",
    "0",
    "--data-dir",
    dataDir,
    "--api-key",
    apiKey,
    "--more-formats",
    "1",
  ];
  const server = fork(mainModule, args, {
    execArgv: [],
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const baseUrl = await readBaseUrl(server.stdout);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${apiKey}` };
  return {
    baseUrl,
    pid: server.pid ?? 0,
    headers,
    post: (path, contentType, body) =>
      post(
        agent,
        `${baseUrl}${path}`,
        { ...headers, "content-type": contentType, "content-length": String(body.length) },
        body,
      ),
    async close() {
      agent.destroy();
      const exited = once(server, "exit");
      server.disconnect();
      await exited;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The base URL that `serve` prints once it listens. */
async function readBaseUrl(stdout: NodeJS.ReadableStream | null): Promise<string> {
  let output = "";
  if (stdout !== null) {
    for await (const text of stdout.setEncoding("utf8")) {
      output += text;
      const baseUrl = /Base URL\s+(\S+)/.exec(output)?.[1];
      if (baseUrl !== undefined) return baseUrl;
    }
  }
  throw new Error(`the server did not start: ${output}`);
}

function post(
  agent: Agent,
  url: string,
  headers: Record<string, string>,
  body: Buffer,
): Promise<TimedResponse> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const outgoing = request(url, { agent, method: "POST", headers }, (response) => {
      const chunks: Buffer[] = [];
      let firstByteMs = Number.NaN;
      response.on("data", (chunk: Buffer) => {
        if (chunks.length === 0) firstByteMs = performance.now() - start;
        chunks.push(chunk);
      });
      response.on("error", reject);
      response.on("end", () => {
        const result = {
          status: response.statusCode ?? 0,
          body: Buffer.concat(chunks),
          firstByteMs,
          lastByteMs: performance.now() - start,
        };
        if (result.status === 200) resolve(result);
        else
          reject(
            new Error(
              `${url} answered ${result.status}: ${result.body.toString("utf8").slice(0, 500)}`,
            ),
          );
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** Builds the form in advance, so that this is not part of a measurement. */
export function uploadForm(
  fields: Record<string, string>,
  file: Buffer,
  fileName: string,
): { contentType: string; body: Buffer } {
  const boundary = "hearsay-bench-4f1d";
  const text = Object.entries(fields).map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const fileHeader = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(text.join("") + fileHeader),
    file,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}

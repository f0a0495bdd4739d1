// An app in its own process, as used by an endurance part: requests are retried as a patient client would, and
// unexpected responses are recorded.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

export type AppResponse = { status: number; body: unknown };

export type AppProcess = {
  readonly child: ChildProcess;
  readonly origin: string;
  /** Sends one request; the status is 0 if there is no response. */
  request(
    method: string,
    path: string,
    body?: object | Uint8Array | FormData,
  ): Promise<AppResponse>;
  /** Repeats a request while the status is 503 or 507. */
  requestWithRetry(
    method: string,
    path: string,
    body?: object | Uint8Array | FormData,
  ): Promise<AppResponse>;
  /** Statuses other than success, 503 and 507, with their requests. */
  readonly unexpectedResponses: string[];
  isAlive(): boolean;
  stderr(): string;
  close(): Promise<void>;
};

const retryIntervalMs = 250;
const retryTimeoutMs = 120_000;
const closeTimeoutMs = 20_000;

/** @param command program to run; it sends `{ baseUrl }` by IPC */
export async function startAppProcess(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  key: string,
): Promise<AppProcess> {
  const child = spawn(command, args, { env, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  const exited = once(child, "exit");
  let stderr = "";
  child.stderr
    ?.setEncoding("utf8")
    .on("data", (text: string) => (stderr = (stderr + text).slice(-200_000)));
  const baseUrl = await Promise.race([
    once(child, "message").then(([message]) => (message as { baseUrl: string }).baseUrl),
    exited.then(([code, signal]) =>
      Promise.reject(
        new Error(`the app ended (${String(code ?? signal)}): ${stderr.slice(-2000)}`),
      ),
    ),
  ]);
  const { origin } = new URL(baseUrl);
  const unexpectedResponses: string[] = [];

  async function request(
    method: string,
    path: string,
    body?: object | Uint8Array | FormData,
  ): Promise<AppResponse> {
    const isRaw = body instanceof Uint8Array || body instanceof FormData;
    try {
      const response = await fetch(`${origin}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined || isRaw ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined
          ? {}
          : { body: isRaw ? (body as Uint8Array<ArrayBuffer> | FormData) : JSON.stringify(body) }),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      const isJson = response.headers.get("content-type")?.includes("json") === true;
      return { status: response.status, body: isJson ? JSON.parse(bytes.toString()) : bytes };
    } catch {
      return { status: 0, body: undefined };
    }
  }

  return {
    child,
    origin,
    unexpectedResponses,
    request,
    async requestWithRetry(method, path, body) {
      for (const deadlineMs = performance.now() + retryTimeoutMs; ; await pause(retryIntervalMs)) {
        const response = await request(method, path, body);
        if (response.status >= 200 && response.status < 300) return response;
        // No response: a process that cannot open more files cannot accept the connection.
        const isConnectionRefused =
          response.status === 0 && child.exitCode === null && child.signalCode === null;
        const isExpected =
          response.status === 503 || response.status === 507 || isConnectionRefused;
        if (!isExpected)
          unexpectedResponses.push(
            `${method} ${path}: ${response.status} ${(JSON.stringify(response.body) ?? "no answer").slice(0, 300)}`,
          );
        if (!isExpected || performance.now() > deadlineMs)
          throw new Error(
            unexpectedResponses.at(-1) ?? `${method} ${path} was refused for too long`,
          );
      }
    },
    isAlive: () => child.exitCode === null && child.signalCode === null,
    stderr: () => stderr,
    async close() {
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill("SIGKILL"), closeTimeoutMs);
      if (child.exitCode === null && child.signalCode === null) await exited;
      clearTimeout(timer);
    },
  };
}

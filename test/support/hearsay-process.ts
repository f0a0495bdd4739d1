// A whole Hearsay in its own process with a new data folder: an upstream for another one, or the target of stress
// tests. Its log is recorded.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import OpenAI from "openai";
import { api, type ApiName, type ApiResponse } from "../../main/contract/api.ts";
import type { ChannelHealth, ChannelInput, ChannelView } from "../../main/contract/channels.ts";
import { shellEnv } from "./command-line.ts";
import { openFolder } from "./test-data.ts";

const mainModule = resolve(import.meta.dirname, "..", "..", "main", "cli", "main.ts");

export type HearsayProcess = {
  readonly baseUrl: string;
  readonly key: string;
  readonly dataDir: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** The official client, without retries. */
  readonly client: OpenAI;
  /** A request to /v1 with the right key. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** A request to /app. @throws Error for an error status */
  app<Name extends ApiName>(name: Name, fields?: object, id?: string): Promise<ApiResponse<Name>>;
  addChannel(
    input: Partial<ChannelInput> & { name: string; baseUrl: string; key?: string },
  ): Promise<ChannelView>;
  health(channel: string): Promise<ChannelHealth>;
  models(): Promise<string[]>;
  /** Longest block of the event loop since the previous call. */
  loopDelay(): Promise<LoopDelay>;
  /** The complete log. */
  log(): string;
  close(): Promise<void>;
};

export type LoopDelay = {
  /** Elapsed time. */
  longestMs: number;
  /** Elapsed time without the waits for a processor that other threads used; on Linux, elsewhere all of it. */
  longestOwnMs: number;
  /** CPU time of the main thread. */
  longestCpuMs: number;
};

const loopDelayModule = new URL("loop-delay.mjs", import.meta.url).href;

let processCount = 0;

/** `args` for `serve`, `execArgv` for Node. */
export type HearsayOptions = {
  workers?: number;
  args?: readonly string[];
  execArgv?: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** Required for `loopDelay`. */
  measuresLoopDelay?: boolean;
  /** Fills the data folder before the app starts. */
  prepareDataDir?(dataDir: string): Promise<unknown>;
};

/** Starts `serve` with this number of engine processes. */
export async function startHearsay({
  workers = 1,
  args = [],
  execArgv = [],
  env: extraEnv = {},
  measuresLoopDelay = false,
  prepareDataDir,
}: HearsayOptions = {}): Promise<HearsayProcess> {
  processCount += 1;
  const key = `hs-own-key-number-${processCount}`;
  const folder = await openFolder();
  const dataDir = join(folder.path, "data");
  await prepareDataDir?.(dataDir);
  const env = shellEnv(dataDir, {
    HEARSAY_PORT: "0",
    HEARSAY_WORKERS: String(workers),
    HEARSAY_API_KEY: key,
    HEARSAY_LOG: "debug",
    ...extraEnv,
  });
  const child = fork(mainModule, ["serve", ...args], {
    env,
    execArgv: [...execArgv, ...(measuresLoopDelay ? ["--import", loopDelayModule] : [])],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const exited = once(child, "exit");
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (log += text));
  const baseUrl = await readBaseUrl(child.stdout, () => log);
  const origin = new URL(baseUrl).origin;
  const authorization = `Bearer ${key}`;

  const hearsay: HearsayProcess = {
    baseUrl,
    key,
    dataDir,
    pid: child.pid ?? 0,
    child,
    client: new OpenAI({ baseURL: baseUrl, apiKey: key, maxRetries: 0 }),
    request: (path, init = {}) =>
      fetch(`${baseUrl}${path}`, { ...init, headers: { ...init.headers, authorization } }),
    async app(name, fields, id = "") {
      const { method, path: pattern, response: schema } = api[name];
      const body = fields === undefined ? {} : { body: JSON.stringify(fields) };
      const response = await fetch(`${origin}${pattern.replace(":id", id)}`, {
        method,
        headers: { authorization, "content-type": "application/json" },
        ...body,
      });
      const answer: unknown = await response.json();
      if (!response.ok)
        throw Object.assign(
          new Error(`${name} was answered ${response.status}: ${JSON.stringify(answer)}`),
          { status: response.status, answer },
        );
      return schema.parse(answer) as ApiResponse<typeof name>;
    },
    addChannel: (input) => hearsay.app("addChannel", { prefix: input.name, ...input }),
    async health(channel) {
      const { channels } = await hearsay.app("listChannels");
      const match = channels.find(({ name }) => name === channel);
      if (match === undefined) throw new Error(`there is no channel ${channel}`);
      return match.health;
    },
    models: async () => (await hearsay.client.models.list()).data.map(({ id }) => id),
    async loopDelay() {
      const delayMessage = once(child, "message");
      child.send("loop-delay");
      const [delay] = (await delayMessage) as [LoopDelay];
      return delay;
    },
    log: () => log,
    async close() {
      if (child.connected) child.disconnect();
      await exited;
      await folder.remove();
    },
  };
  return hearsay;
}

/** The base URL that `serve` prints once it listens. */
async function readBaseUrl(
  stdout: NodeJS.ReadableStream | null,
  log: () => string,
): Promise<string> {
  let output = "";
  const baseUrlFound = Promise.withResolvers<string>();
  stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    const match = /Base URL\s+(\S+)[\s\S]*stops it\./.exec(output)?.[1];
    if (match !== undefined) baseUrlFound.resolve(match);
  });
  stdout?.on("end", () =>
    baseUrlFound.reject(new Error(`the server did not start: ${output}${log()}`)),
  );
  return baseUrlFound.promise;
}

/** Only Linux reports (and can reset) a process's peak memory. */
export const canMeasurePeaks = process.platform === "linux";

/** Growth in bytes of the process's peak memory during the work. */
export async function measurePeakGrowth(
  pid: number,
  work: () => Promise<unknown>,
): Promise<number> {
  const status = (field: string): number =>
    1024 *
    Number(
      new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(
        readFileSync(`/proc/${pid}/status`, "utf8"),
      )?.[1],
    );
  // Resets the peak, see proc(5), clear_refs.
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = status("VmRSS");
  await work();
  return status("VmHWM") - before;
}

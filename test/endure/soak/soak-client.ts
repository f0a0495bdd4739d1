// The client of the soak: uses a Hearsay over HTTP and counts unexpected responses.

import { setTimeout as pause } from "node:timers/promises";
import { Agent, fetch, type RequestInit, type Response } from "undici";
import type { Item } from "../../../main/contract/library-item.ts";

export type SoakClient = {
  random(): number;
  /** @param expected acceptable statuses other than 2xx; all others are counted */
  request(path: string, init?: RequestInit, expected?: readonly number[]): Promise<Response>;
  json<T>(path: string, init?: RequestInit, expected?: readonly number[]): Promise<T>;
  post(path: string, fields: object, method?: string): Promise<unknown>;
  /** Resolves once the work on an item has ended. */
  waitUntilFinished(id: string): Promise<Item>;
  /** Aborts after a moment, whatever has arrived. */
  sendAndAbort(path: string, init: RequestInit): Promise<void>;
  /** Closes all connections. */
  closeConnections(): Promise<void>;
  readonly counts: { requests: number; serverErrors: number; otherFaults: number };
  /** Counts a failure other than an unexpected response. */
  countFault(fault: string): void;
  /** Only the first few. */
  readonly faults: readonly string[];
};

const maxAbortDelayMs = 400;
const maxStoredFaults = 10;
const pollMs = 150;

export function createSoakClient({
  origin,
  key,
  random,
}: {
  origin: string;
  key: string;
  random(): number;
}): SoakClient {
  const counts = { requests: 0, serverErrors: 0, otherFaults: 0 };
  const faults: string[] = [];
  let agent = newAgent();

  function storeFault(fault: string): void {
    if (faults.length < maxStoredFaults) faults.push(fault);
  }

  function send(path: string, { headers, ...init }: RequestInit): Promise<Response> {
    counts.requests += 1;
    return fetch(`${origin}${path}`, {
      ...init,
      dispatcher: agent,
      headers: {
        authorization: `Bearer ${key}`,
        ...(headers as Record<string, string> | undefined),
      },
    });
  }

  const client: SoakClient = {
    random,
    counts,
    faults,
    countFault(fault) {
      counts.otherFaults += 1;
      storeFault(fault);
    },
    async request(path, init = {}, expected = []) {
      const response = await send(path, init);
      if (response.ok || expected.includes(response.status)) return response;
      counts[response.status >= 500 ? "serverErrors" : "otherFaults"] += 1;
      storeFault(
        `${init.method ?? "GET"} ${path}: ${response.status} ${(await response.text()).slice(0, 200)}`,
      );
      throw new UnexpectedResponse();
    },
    json: async <T>(path: string, init?: RequestInit, expected?: readonly number[]) =>
      (await (await client.request(path, init, expected)).json()) as T,
    post: (path, fields, method = "POST") =>
      client.json(path, {
        method,
        body: JSON.stringify(fields),
        headers: { "content-type": "application/json" },
      }),
    async waitUntilFinished(id) {
      for (;;) {
        const item = await client.json<Item>(`/app/items/${id}`);
        if (!["recording", "waiting", "running"].includes(item.state)) return item;
        await pause(pollMs);
      }
    },
    async sendAndAbort(path, init) {
      const abort = new AbortController();
      const timer = setTimeout(() => abort.abort(), random() * maxAbortDelayMs);
      try {
        const response = await send(path, { ...init, signal: abort.signal });
        if (response.status >= 500) {
          counts.serverErrors += 1;
          storeFault(`${path}, to be aborted: ${response.status}`);
        }
        await response.arrayBuffer();
      } catch (error) {
        if (!abort.signal.aborted) throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    async closeConnections() {
      await agent.destroy();
      agent = newAgent();
    },
  };
  return client;
}

const newAgent = (): Agent =>
  new Agent({ connections: 16, headersTimeout: 120_000, bodyTimeout: 120_000 });

/** Thrown after it was counted. */
export class UnexpectedResponse extends Error {}

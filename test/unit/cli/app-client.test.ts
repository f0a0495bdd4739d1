import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  type AppClient,
  createAppClient,
  toApp,
  toRunningApp,
} from "../../../main/cli/app-client.ts";
import { openClient } from "../../../main/cli/open-client.ts";
import type { App } from "../../../main/app.ts";
import { claimOrFind } from "../../../main/instance/claim-or-hand-over.ts";
import {
  claimDataFolder,
  identityProof,
  type Ownership,
} from "../../../main/instance/ownership.ts";
import { createNodeHandler } from "../../../main/server/http/listen.ts";
import { jsonResponse } from "../../../main/server/http/sized-response.ts";
import { streamResponse } from "../../../main/server/http/stream-response.ts";
import { neverAborted, quietLog } from "../../support/app.ts";
import { openTestFolder } from "../../support/test-data.ts";

type Handle = (request: Request) => Promise<Response>;

/** Owns the folder and serves its running app, whose requests `handle` answers. */
async function runApp(dataDir: string, handle: Handle): Promise<Ownership> {
  const ownership = claimDataFolder(dataDir);
  if (ownership === undefined) throw new Error("the folder is not free");
  onTestFinished(ownership.release);
  ownership.serveApp(createNodeHandler(handle, quietLog));
  await ownership.serve(async () => ({ refused: [] }));
  return ownership;
}

async function clientOf(dataDir: string, signal = neverAborted()): Promise<AppClient> {
  const claim = await claimOrFind(dataDir, signal);
  if (claim.type !== "answered") throw new Error(`no app was found: ${claim.type}`);
  return createAppClient(toRunningApp(claim.answer, signal));
}

const refusal = (message: string) =>
  jsonResponse({ error: { message, type: "x", param: null } }, {}, 404);
const eventStream = (events: readonly string[], end: () => Promise<undefined>): Response => {
  const rest = [...events];
  return streamResponse(
    {
      async next() {
        const event = rest.shift();
        return event === undefined ? end() : new TextEncoder().encode(event);
      },
      close: async () => {},
    },
    new AbortController(),
    { "content-type": "text/event-stream" },
  );
};
const job = {
  path: "/a.mp3",
  task: "transcribe",
  model: "whisper-1",
  temperature: 0,
  wordTimes: false,
  format: "text",
} as const;

async function collected<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

it.each(["in another process", "in this process"])(
  "sends requests to the app %s, and returns its answers and errors",
  async (where) => {
    const requests: string[] = [];
    const handle: Handle = async (request) => {
      const { pathname, search } = new URL(request.url);
      requests.push(`${request.method} ${pathname}${search} ${await request.text()}`);
      if (pathname === "/app/usage") return jsonResponse({ by: "key", sums: [], total: {} });
      if (pathname === "/app/prices") return jsonResponse({ prices: {} });
      if (pathname.endsWith("/transcriptions"))
        return eventStream(
          [
            'data: {"type":"progress","processedSec":1}\n\n: still at it\n',
            '\ndata: {"type":"done","text":"A\\n\\nB","isPartial":false}\n\n',
          ],
          async () => undefined,
        );
      return refusal("There is no channel 'a/b 100%'.");
    };
    const dataDir = await openTestFolder();
    if (where === "in another process") await runApp(dataDir, handle);
    const client =
      where === "in another process"
        ? await clientOf(dataDir)
        : createAppClient(toApp(handle, neverAborted()));
    expect(await client.call("changePrices", { prices: {} })).toEqual({ prices: {} });
    await expect(client.call("removeChannel", {}, "a/b 100%")).rejects.toThrow(
      "There is no channel 'a/b 100%'.",
    );
    // Not the response of the contract.
    await expect(client.call("readUsage", { by: "key" })).rejects.toThrow("of another version");
    expect(await collected(client.stream("transcribe", job))).toEqual([
      { type: "progress", processedSec: 1 },
      { type: "done", text: "A\n\nB", isPartial: false },
    ]);
    expect(requests).toEqual([
      'PUT /app/prices {"prices":{}}',
      "DELETE /app/channels/a%2Fb%20100%25 ",
      "GET /app/usage?by=key ",
      `POST /app/command-line/transcriptions ${JSON.stringify(job)}`,
    ]);
  },
);

it("throws an error that a stream ends with", async () => {
  const client = createAppClient(
    toApp(
      async () =>
        eventStream(['data: {"error":{"message":"Too long."}}\n\n'], async () => undefined),
      neverAborted(),
    ),
  );
  await expect(client.stream("transcribe", job).next()).rejects.toThrow("Too long.");
});

it("never sends the secret or a request to another program that listens at the recorded address", async () => {
  const dataDir = await openTestFolder();
  const ownership = await runApp(dataDir, async () => jsonResponse({ keys: [] }));
  const claim = await claimOrFind(dataDir, neverAborted());
  if (claim.type !== "answered") throw new Error("no app was found");
  const { secret, address } = claim.answer;
  const client = createAppClient(toRunningApp(claim.answer, neverAborted()));
  expect(await client.call("listKeys")).toEqual({ keys: [] });
  // The app ends, and another program gets its port.
  await ownership.retire();
  const seen: string[] = [];
  const stranger = createServer(({ method, url = "", headers }, response) => {
    seen.push(`${method} ${url} ${JSON.stringify(headers)}`);
    response.end('{"proof":"none"}');
  }).listen(Number(new URL(address).port), "127.0.0.1");
  onTestFinished(() => void stranger.close());
  await once(stranger, "listening");
  await expect(client.call("listKeys")).rejects.toThrow("ended before it answered");
  // The same for a command that starts now.
  writeFileSync(join(dataDir, "running.json"), JSON.stringify({ address, secret }));
  const found = await claimOrFind(dataDir, neverAborted(), {
    silenceTimeoutMs: 0,
    unreachableTimeoutMs: 0,
  });
  expect(found).toEqual({ type: "unreachable" });
  // The command asked twice who it is.
  expect(seen).toHaveLength(3);
  for (const line of seen) {
    expect(line).toMatch(/^GET \/identity\?nonce=/);
    expect(line).not.toContain(secret);
  }
});

it("asks the app once more who it is, if it did not answer in time", async () => {
  const secret = "very-secret";
  let times = 0;
  const busy = createServer(({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://127.0.0.1");
    if (pathname !== "/identity") return void response.end('{"keys":[]}');
    times += 1;
    // Without an answer.
    if (times === 1) return void response.destroy();
    response.end(JSON.stringify({ proof: identityProof(secret, searchParams.get("nonce") ?? "") }));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void busy.close());
  await once(busy, "listening");
  const address = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
  const client = createAppClient(toRunningApp({ address, secret }, neverAborted()));
  expect(await client.call("listKeys")).toEqual({ keys: [] });
  expect(times).toBe(2);
});

it("says so when the app ends while it answers", async () => {
  const dataDir = await openTestFolder();
  await runApp(dataDir, async () =>
    eventStream(['data: {"type":"progress","processedSec":1}\n\n'], () =>
      Promise.reject(new Error("killed")),
    ),
  );
  const events = (await clientOf(dataDir)).stream("transcribe", job);
  expect((await events.next()).value).toMatchObject({ type: "progress" });
  await expect(events.next()).rejects.toThrow("ended before it answered");
});

it("refuses requests without the secret, and waits for an app that is starting", async () => {
  const dataDir = await openTestFolder();
  const ownership = claimDataFolder(dataDir);
  onTestFinished(() => ownership?.release());
  await ownership?.serve(async () => ({ refused: [] }));
  const claim = await claimOrFind(dataDir, neverAborted());
  const address = claim.type === "answered" ? claim.answer.address : "";
  expect((await fetch(new URL("/app/keys", address))).status).toBe(401);
  const keys = (await clientOf(dataDir)).call("listKeys");
  ownership?.serveApp(createNodeHandler(async () => jsonResponse({ keys: [] }), quietLog));
  expect(await keys).toEqual({ keys: [] });
});

const closed: string[] = [];
const inProcessApp = (name: string): (() => Promise<App>) => {
  const app: Partial<App> = {
    handle: async () => jsonResponse({ prices: { [name]: {} } }),
    close: async () => void closed.push(name),
  };
  return async () => app as App;
};
const open = (dataDir: string, changesNothing: boolean, name = "here") =>
  openClient({ dataDir, changesNothing, openApp: inProcessApp(name), signal: neverAborted() });

it("opens an app in this process only if none runs, and holds the folder until it is closed", async () => {
  const dataDir = await openTestFolder();
  const first = await open(dataDir, false);
  expect(first.isRunning).toBe(false);
  expect(await first.client.call("readPrices")).toEqual({ prices: { here: {} } });
  expect(claimDataFolder(dataDir)).toBeUndefined();
  // Another command waits for it.
  const second = open(dataDir, false, "next");
  await first.close();
  const next = await second;
  expect(await next.client.call("readPrices")).toEqual({ prices: { next: {} } });
  await next.close();
  expect(closed).toEqual(["here", "next"]);

  await runApp(dataDir, async () => jsonResponse({ prices: { there: {} } }));
  const running = await open(dataDir, false);
  expect(running.isRunning).toBe(true);
  expect(await running.client.call("readPrices")).toEqual({ prices: { there: {} } });
});

it("holds no folder for a command that changes nothing, and waits for none", async () => {
  const dataDir = await openTestFolder();
  const alone = await open(dataDir, true);
  expect(alone.isRunning).toBe(false);
  const ownership = claimDataFolder(dataDir);
  expect(ownership).toBeDefined();
  onTestFinished(() => ownership?.release());
  const beside = await open(dataDir, true);
  expect(beside.isRunning).toBe(false);
  await Promise.all([alone.close(), beside.close()]);
});

it("releases the folder once nothing more is changed, and keeps its app", async () => {
  const dataDir = await openTestFolder();
  const opened = await open(dataDir, false);
  opened.release();
  const ownership = claimDataFolder(dataDir);
  expect(ownership).toBeDefined();
  expect(await opened.client.call("readPrices")).toEqual({ prices: { here: {} } });
  await opened.close();
  // Not released for the one who holds it now.
  expect(claimDataFolder(dataDir)).toBeUndefined();
  ownership?.release();
});

it("releases the folder if the app cannot be opened", async () => {
  const dataDir = await openTestFolder();
  await expect(
    openClient({
      dataDir,
      changesNothing: false,
      openApp: () => Promise.reject(new Error("the library is lost")),
      signal: neverAborted(),
    }),
  ).rejects.toThrow("the library is lost");
  const ownership = claimDataFolder(dataDir);
  expect(ownership).toBeDefined();
  ownership?.release();
});

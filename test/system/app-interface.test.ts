// The app's own HTTP interface (/app), served by a whole app: every route exists, the API port opens and closes, and
// settings persist.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type App, createApp } from "../../main/app.ts";
import { sniffContainer } from "../../main/audio/codec/formats.ts";
import { api } from "../../main/contract/api.ts";
import type { VoiceList } from "../../main/contract/openai.ts";
import type { AppInfo } from "../../main/contract/window-api.ts";
import { createNodePlatform } from "../../main/cli/platform.ts";
import { isPageBuilt } from "../../build/page-folder.ts";
import { readSettings } from "../../main/storage/settings/settings.ts";
import { quietLog } from "../support/app.ts";
import { waitForExit, run, start, waitUntil } from "../support/command-line.ts";
import { openRawConnection } from "../support/raw-connection.ts";
import { openFolder } from "../support/test-data.ts";

const folder = await openFolder();
const dataDir = join(folder.path, "data");
const pageDir = join(folder.path, "page");
let app: App;
let baseUrl: string;
let key: string;

let inWindow: (path: string, init?: RequestInit) => Promise<Response>;

async function openApp(flags: Record<string, string> = {}): Promise<void> {
  app = await createApp(
    createNodePlatform(dataDir),
    readSettings({ port: "0", workers: "1", ...flags }, {}, { dataDir }),
    quietLog,
  );
  ({ baseUrl, apiKey: key } = await app.start());
  const { pageUrl, launchUrl } = await app.startWindow(pageDir);
  const cookie =
    (await fetch(launchUrl(), { redirect: "manual" })).headers.get("set-cookie")?.split(";")[0] ??
    "";
  inWindow = (path, init = {}) =>
    fetch(new URL(`.${path}`, pageUrl), { ...init, headers: { cookie } });
}

beforeAll(async () => {
  await mkdir(pageDir);
  await writeFile(join(pageDir, "index.html"), "<!doctype html><title>page</title>");
  await openApp();
});
afterAll(async () => {
  await app.close();
  await folder.remove();
});

const ask = (path: string, init: RequestInit = {}) =>
  fetch(new URL(path, baseUrl), { ...init, headers: { authorization: `Bearer ${key}` } });
const info = async (): Promise<AppInfo> => (await (await ask("/app/info")).json()) as AppInfo;

/** Sent to the window's port: a request to the API port would have its own connection closed. */
async function changed(fields: {
  isRunning: boolean;
  isNetworkOpen: boolean;
  port?: number;
}): Promise<AppInfo> {
  const response = await inWindow("/app/server", { method: "PUT", body: JSON.stringify(fields) });
  expect(response.status).toBe(200);
  return (await response.json()) as AppInfo;
}

/** Routes that are not in the tables of contract/window-api.ts, as that file lists them. */
const rawAddresses = [
  "POST /app/uploads",
  "POST /app/recordings",
  "POST /app/recordings/x/sound",
  "POST /app/recordings/x/end",
  "POST /app/scripts",
  "GET /app/items/x/media",
  "GET /app/items/x/peaks",
  "GET /app/items/x/export",
  "GET /app/items/x/takes/y",
  "POST /app/items/x/narration-file",
  "GET /app/voices/nova/sample",
  "GET /app/library.zip",
  "POST /app/library/import",
];

it.each([
  ["/app/scripts?name=book.txt", 413, "larger than"],
  ["/app/uploads?name=talk.mp3", 507, "no room left on the disk"],
  ["/app/library/import", 507, "no room left on the disk"],
])(
  "%s with a content-length above the limit and no body gets status %i",
  async (path, status, message) => {
    const raw = await openRawConnection(Number(new URL(baseUrl).port));
    await raw.send(
      `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\ncontent-length: ${2 ** 52}\r\n\r\n`,
    );
    expect(await raw.waitFor(/\}\}$/)).toMatch(
      new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*${message}`),
    );
  },
);

it.each([
  ...Object.values(api).map(({ method, path }) => `${method} ${path.replace(":id", "x")}`),
  ...rawAddresses,
])("%s is served", async (line) => {
  const [method = "", path = ""] = line.split(" ");
  // "[]" is not a valid body of any route, so this changes nothing.
  const response = await ask(path, { method, ...(method === "GET" ? {} : { body: "[]" }) });
  const answer = await response.text();
  expect(answer).not.toContain("Invalid URL");
  expect(response.status).not.toBe(405);
  expect(response.status).toBeLessThan(500);
});

it("/app/events reports work while it is in progress", async () => {
  const { body } = await ask("/app/events");
  if (body === null) throw new Error("there is no stream");
  const made = ask("/app/narrations", {
    method: "POST",
    body: JSON.stringify({ title: "A tale", script: "It was late." }),
  });
  let text = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes('"title":"A tale"')) break;
  }
  expect((await made).status).toBe(200);
});

describe("what the app reports about itself", () => {
  it("its address, its key and the licences of all bundled components", async () => {
    const { licences, ...otherInfo } = await info();
    expect(otherInfo).toMatchObject({ baseUrl, apiKey: key, isNetworkOpen: false, dataDir });
    const byName = new Map(licences.map(({ name, licence }) => [name, licence]));
    expect(Object.fromEntries(byName)).toMatchObject({
      react: "MIT",
      FFmpeg: "GPL-3.0-or-later",
      "Whisper base": "MIT",
      "@fontsource-variable/inter": "OFL-1.1",
    });
    expect(byName).not.toContain("vitest");
  });

  it("every model with its known properties", async () => {
    const { models } = (await (await ask("/app/models")).json()) as { models: { id: string }[] };
    expect(models.find(({ id }) => id === "whisper-base")).toMatchObject({
      kind: "speech-to-text",
      channel: "local",
      licence: "MIT",
      sizeBytes: 81_446_255,
      ownedBy: "openai",
    });
    expect(models.find(({ id }) => id === "hibari")).toMatchObject({
      kind: "text-to-speech",
      languages: ["en"],
    });
  });
});

it.each([
  ["hibari", 6],
  ["kokoro", 41],
  ["tts-1", 47],
  ["tts-1-hd", 47],
  ["whisper-1", 0],
])("the voices of %s are %i", async (model, count) => {
  const { voices } = (await (await ask(`/v1/audio/voices?model=${model}`)).json()) as VoiceList;
  expect(voices).toHaveLength(count);
});

it("a voice sample is synthesized once and then served from the cache", async () => {
  const sample = async () =>
    Buffer.from(await (await ask("/app/voices/onyx/sample")).arrayBuffer());
  const first = await sample();
  expect(sniffContainer(first)).toBe("mp3");
  expect(first.equals(await sample())).toBe(true);
  expect((await ask("/app/voices/nobody/sample")).status).toBe(404);
});

describe("the API port", () => {
  it("can be closed and reopened from the window, with the same number", async () => {
    const { port } = await info();
    const closed = await changed({ isRunning: false, isNetworkOpen: false });
    expect(closed).not.toHaveProperty("baseUrl");
    await expect(ask("/v1/models")).rejects.toThrow("fetch failed");
    expect((await inWindow("/v1/models")).status).toBe(200);
    expect(await changed({ isRunning: true, isNetworkOpen: false })).toMatchObject({
      port,
      baseUrl,
    });
    expect((await ask("/v1/models")).status).toBe(200);
  });

  it("can be opened to the network, also for the next start unless a flag overrides it", async () => {
    const { port } = await info();
    expect(await changed({ isRunning: true, isNetworkOpen: true })).toMatchObject({
      port,
      isNetworkOpen: true,
      baseUrl,
    });
    for (const address of (await info()).addresses)
      expect((await fetch(`http://${address}:${port}/health`)).status).toBe(200);
    await app.close();
    await openApp();
    expect(await info()).toMatchObject({ isNetworkOpen: true });
    await app.close();
    await openApp({ host: "127.0.0.1" });
    expect(await info()).toMatchObject({ isNetworkOpen: false });
    await changed({ isRunning: true, isNetworkOpen: false });
    await app.close();
    await openApp();
    expect(await info()).toMatchObject({ isNetworkOpen: false });
  });

  it("can be changed, also for the next start unless a flag overrides it", async () => {
    const { port: first } = await info();
    await app.close();
    await openApp();
    const { port: second } = await info();
    expect(second).not.toBe(first);
    expect(await changed({ isRunning: true, isNetworkOpen: false, port: first })).toMatchObject({
      port: first,
    });
    await app.close();
    await openApp({ port: "" });
    expect(await info()).toMatchObject({ port: first });
    await app.close();
    await openApp();
    expect((await info()).port).not.toBe(first);
  });
});

it("/app/dictation presses the dictation key where the host has one, and says so where it has none", async () => {
  const refused = await ask("/app/dictation", { method: "POST", body: "{}" });
  expect([refused.status, await refused.json()]).toMatchObject([
    404,
    { error: { message: expect.stringContaining("desktop app") } },
  ]);
  const own = await openFolder();
  let presses = 0;
  const host = { ...createNodePlatform(own.path), dictate: () => void (presses += 1) };
  const desktop = await createApp(
    host,
    readSettings({ port: "0", workers: "1" }, {}, { dataDir: own.path }),
    quietLog,
  );
  onTestFinished(async () => {
    await desktop.close();
    await own.remove();
  });
  const { baseUrl: origin, apiKey } = await desktop.start();
  const pressed = await fetch(new URL("/app/dictation", origin), {
    method: "POST",
    body: "{}",
    headers: { authorization: `Bearer ${apiKey}` },
  });
  expect([pressed.status, presses]).toEqual([200, 1]);
});

it.skipIf(!(await isPageBuilt()))(
  '"hearsay window" prints a new link to the running app\'s window, "hearsay dictate" says it needs the desktop app (needs a built page)',
  async () => {
    // Only one app can own a data folder, so this one gets its own.
    const own = await openFolder();
    const served = start(["serve"], { dataDir: own.path, env: { HEARSAY_PORT: "0" } });
    onTestFinished(async () => {
      served.kill("SIGTERM");
      await waitForExit(served);
      await own.remove();
    });
    let printed = "";
    served.stdout?.setEncoding("utf8").on("data", (text: string) => (printed += text));
    await waitUntil(() => printed.includes("/launch?code="));
    const port = new URL(/Base URL\s+(\S+)/.exec(printed)?.[1] ?? "").port;
    const first = /http\S+launch\S+/.exec(printed)?.[0] ?? "";
    const { code, stdout } = await run(["window", "--port", port], { dataDir: own.path });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/launch\?code=[\w-]{43}\n$/);
    expect(stdout.trim()).not.toBe(first);
    for (const link of [first, stdout.trim()])
      expect((await fetch(link, { redirect: "manual" })).status).toBe(303);
    const { code: elsewhere, stderr } = await run(["window", "--port", "1"], { dataDir: own.path });
    expect([elsewhere, stderr]).toEqual([1, expect.stringContaining("no Hearsay is running")]);
    const windowless = await run(["dictate", "--port", port], { dataDir: own.path });
    expect([windowless.code, windowless.stderr]).toEqual([
      1,
      expect.stringContaining("needs the desktop app"),
    ]);
  },
);

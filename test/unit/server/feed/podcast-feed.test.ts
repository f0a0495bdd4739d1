import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { redactFeedPath } from "../../../../main/contract/podcast-feed.ts";
import type { NarrationEpisodes } from "../../../../main/jobs/narration/narration-episodes.ts";
import { createLog } from "../../../../main/log.ts";
import { createFeedServing } from "../../../../main/server/feed/podcast-feed.ts";
import { listen } from "../../../../main/server/http/listen.ts";
import { openDatabase } from "../../../../main/storage/database.ts";
import { createConfiguration } from "../../../../main/storage/settings/configuration.ts";
import { appError } from "../../../support/app-error.ts";
import { createTestGateway, testKey } from "../../../support/gateway-server.ts";

const itemId = "0123456789abcdef";
const audio = Buffer.alloc(1_000_000, "audio");

/** A feed with one episode, behind a gateway that other machines can reach. */
async function openFeed() {
  const folder = await mkdtemp(join(tmpdir(), "hearsay-feed-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "episode.mp3");
  await writeFile(path, audio);
  const database = openDatabase(join(folder, "hearsay.sqlite"));
  onTestFinished(() => database.close());
  const quietLog = createLog("silent");
  const logLines: string[] = [];
  const statuses: number[] = [];
  let clearedCount = 0;
  const episodes: NarrationEpisodes = {
    list: async () => [
      {
        itemId,
        title: "Rain",
        author: "",
        excerpt: "",
        durationSec: 10,
        sizeBytes: audio.length,
        publishedAtMs: 0,
      },
    ],
    count: async () => ({ ready: 1, total: 1 }),
    audioPath: async (id) => {
      if (id !== itemId) throw appError("not_found", "No.");
      return path;
    },
    remove: async () => {},
    clear: async () => void (clearedCount += 1),
    close: async () => {},
  };
  const createServing = () =>
    createFeedServing({
      configuration: createConfiguration(database, quietLog),
      episodes,
      readDetails: async () => ({ title: "", author: "" }),
      onChange: () => {},
      onAnswered: ({ status }) => void statuses.push(status),
    });
  const serving = createServing();
  const { gateway } = await createTestGateway({
    deps: {
      host: "0.0.0.0",
      respondToFeed: serving.respond,
      log: createLog("debug", { write: (line) => void logLines.push(line) }),
    },
  });
  return {
    serving,
    createServing,
    gateway,
    growAudio: (sizeBytes: number) => truncate(path, sizeBytes),
    logLines,
    statuses,
    clearedCount: () => clearedCount,
    fetch: (address: string, init?: RequestInit) =>
      gateway.handle(new Request(`http://192.168.1.5:4343${address}`, init)),
    async feedPath() {
      return (await serving.view()).path ?? "";
    },
    async audioPath() {
      return ((await serving.view()).path ?? "").replace("podcast.xml", `${itemId}.mp3`);
    },
  };
}

it("is off, without an address, until it is switched on", async () => {
  const { serving, fetch, feedPath, clearedCount } = await openFeed();
  expect(await serving.view()).toEqual({ isOn: false, episodes: { ready: 0, total: 0 } });
  for (const path of ["/feed//podcast.xml", "/feed/podcast.xml", "/feed/x/podcast.xml", "/feed/"])
    expect((await fetch(path)).status).toBe(404);
  await serving.setOn(true);
  expect(await feedPath()).toMatch(/^\/feed\/[\w-]{32}\/podcast\.xml$/);
  expect((await fetch(await feedPath())).status).toBe(200);
  await serving.setOn(false);
  expect((await fetch(await feedPath())).status).toBe(404);
  expect(clearedCount()).toBe(1);
});

it("lists episodes under the host that the player asked, and sends them whole or in ranges", async () => {
  const { serving, fetch, feedPath, audioPath } = await openFeed();
  await serving.setOn(true);
  const feed = await fetch(await feedPath());
  expect(feed.headers.get("content-type")).toBe("application/rss+xml; charset=utf-8");
  const xml = await feed.text();
  expect(xml).toContain(`url="http://192.168.1.5:4343${await audioPath()}" length="1000000"`);

  const whole = await fetch(await audioPath());
  expect([whole.headers.get("content-length"), whole.headers.get("content-type")]).toEqual([
    "1000000",
    "audio/mpeg",
  ]);
  expect(audio.equals(Buffer.from(await whole.arrayBuffer()))).toBe(true);
  const part = await fetch(await audioPath(), { headers: { range: "bytes=5-9" } });
  expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
    206,
    "bytes 5-9/1000000",
    "audio",
  ]);
  const head = await fetch(await audioPath(), { method: "HEAD" });
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
    200,
    "1000000",
    "",
  ]);
});

it("answers 404 to everything else under the address, and opens no other route", async () => {
  const { serving, fetch, feedPath } = await openFeed();
  await serving.setOn(true);
  const folder = (await feedPath()).replace("podcast.xml", "");
  for (const name of [
    "",
    "podcast.xml/",
    "other.xml",
    "fedcba9876543210.mp3",
    `${itemId}.png`,
    `${itemId}.wav`,
    "../../v1/models",
    "..%2f..%2fv1%2fmodels",
    "v1/models",
  ])
    expect([name, (await fetch(`${folder}${name}`)).status]).toEqual([
      name,
      // The URL is resolved before it is sent: this is the API itself, which needs a key.
      name.startsWith("../..") ? 401 : 404,
    ]);
  expect((await fetch(await feedPath(), { method: "POST" })).status).toBe(404);
  const headers = { authorization: `Bearer ${testKey}` };
  expect((await fetch("/feed/wrong/podcast.xml", { headers })).status).toBe(404);
});

it("is unknown where other machines cannot reach the server", async () => {
  const { serving, feedPath } = await openFeed();
  await serving.setOn(true);
  const { request } = await createTestGateway();
  expect((await request(await feedPath())).status).toBe(404);
});

it("keeps its address through a restart", async () => {
  const { serving, createServing, feedPath } = await openFeed();
  await serving.setOn(true);
  expect(await createServing().view()).toMatchObject({ isOn: true, path: await feedPath() });
});

it("ends the former address at once, also for a file that is being sent", async () => {
  const { serving, gateway, growAudio, fetch: fetchFeed, feedPath, audioPath } = await openFeed();
  await growAudio(64_000_000);
  await serving.setOn(true);
  const former = await feedPath();
  const listener = await listen({
    handle: (request) => gateway.handle(request),
    host: "127.0.0.1",
    port: 0,
    log: createLog("silent"),
  });
  onTestFinished(() => listener.close());
  const response = await fetch(`http://127.0.0.1:${listener.port}${await audioPath()}`);
  const body = response.body?.getReader();
  await body?.read();
  serving.renew();
  const readToEnd = async (): Promise<void> => {
    while ((await body?.read())?.done === false);
  };
  await expect(readToEnd()).rejects.toThrow("terminated");
  expect((await fetchFeed(former)).status).toBe(404);
  expect(await feedPath()).not.toBe(former);
  expect((await fetchFeed(await feedPath())).status).toBe(200);
});

it("logs and reports requests without the secret", async () => {
  const { serving, fetch, feedPath, logLines, statuses } = await openFeed();
  await serving.setOn(true);
  const path = await feedPath();
  await fetch(`${path}?from=phone`);
  expect(await (await fetch(`${path}.old`)).text()).toContain("/feed/[secret]/podcast.xml.old");
  expect(logLines.join("")).toContain("/feed/[secret]/podcast.xml?from=phone");
  expect(logLines.join("")).not.toContain(path.split("/")[2]);
  expect(statuses).toEqual([200, 404]);
  expect(redactFeedPath("http://h/v1/models?x=/feed/y")).toContain("/v1/models");
});

import { existsSync } from "node:fs";
import { mkdir, readdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Agent } from "undici";
import { expect, it, onTestFinished } from "vitest";
import { createMessage } from "../../../../main/contract/messages/messages.ts";
import type {
  CatalogEntry,
  InstalledModel,
  ModelSource,
} from "../../../../main/contract/models.ts";
import { createLog } from "../../../../main/log.ts";
import { createHubClient } from "../../../../main/models/download/hub-client.ts";
import { hookWrites } from "../../../../main/storage/disk.ts";
import {
  breakAfter,
  first,
  ignoreRanges,
  hashesOf,
  redirectInCircles,
  respondStatus,
  respondTooManyRequests,
  respondWebPage,
  sendOtherRevision,
  sendTooMuch,
  sendWrongBytes,
  stallAfter,
} from "../../../support/fake-hub.ts";
import {
  contentOf,
  graph,
  hasArrived,
  openDownloads,
  openHub,
  silero,
  sileroHashes,
  type TestDownloads,
} from "../../../support/model-downloads.ts";

const unaccepted = { acceptLicence: false };

async function pull(downloads: TestDownloads): Promise<void> {
  const done = downloads.reached("done");
  await downloads.start("silero", unaccepted);
  await done;
}

async function failure(downloads: TestDownloads): Promise<string | undefined> {
  const failed = downloads.reached("failed");
  await downloads.start("silero", unaccepted);
  return (await failed).error?.id;
}

it("downloads all files of a model, puts them in place together and leaves nothing else", async () => {
  const hub = await openHub();
  const downloads = await openDownloads([hub]);
  await pull(downloads);
  expect(await hashesOf(join(downloads.folder, "silero"))).toEqual(sileroHashes);
  expect(downloads.installed.get("silero")?.files).toEqual(silero().files);
  expect(downloads.list()).toEqual([]);
  expect(await readdir(join(downloads.folder, ".incoming"))).toEqual([]);
  const [started] = downloads.events;
  expect(started).toMatchObject({ state: "running", doneBytes: 0 });
  expect(downloads.events.at(-1)?.doneBytes).toBe(downloads.events.at(-1)?.totalBytes);
  await expect(downloads.start("silero", unaccepted)).rejects.toThrow(/installed already/);
});

it.each([
  ["download.gated", respondStatus(403, "GatedRepo")],
  ["download.repositoryMissing", respondStatus(401, "RepoNotFound")],
  ["download.revisionMissing", respondStatus(404, "RevisionNotFound")],
  ["download.fileMissing", respondStatus(404, "EntryNotFound")],
  ["download.refused", respondStatus(403)],
  ["download.proxy", respondStatus(407)],
  ["download.portal", respondStatus(511)],
  ["download.portal", respondWebPage],
  ["download.serverFailed", respondStatus(503)],
  ["download.tooManyRequests", respondTooManyRequests(3600)],
  ["download.wrongChecksum", sendWrongBytes],
  ["download.wrongSize", sendTooMuch],
  ["download.changed", sendOtherRevision],
  ["download.redirects", redirectInCircles],
  ["download.broken", breakAfter(0)],
] as const)("reports %s, and resumes once the cause is gone", async (id, fault) => {
  const hub = await openHub();
  const downloads = await openDownloads([hub]);
  hub.setFault(graph, fault);
  expect(await failure(downloads)).toBe(id);
  expect(downloads.list()).toMatchObject([{ state: "failed", error: { id } }]);
  expect(existsSync(join(downloads.folder, "silero"))).toBe(false);
  hub.setFault(graph, undefined);
  const done = downloads.reached("done");
  await downloads.resume("silero");
  await done;
  expect(await hashesOf(join(downloads.folder, "silero"))).toEqual(sileroHashes);
});

it("says what to do about an access token, and goes on with the right one", async () => {
  const files = Object.fromEntries([graph, "LICENSE"].map((name) => [name, contentOf(name)]));
  const hub = await openHub({ "silero/vad": { files, token: "hf_right" } });
  let token: string | undefined;
  const logged: string[] = [];
  const log = createLog("info", { write: (line) => void logged.push(line) });
  const downloads = await openDownloads([hub], { token: () => token, log });
  expect(await failure(downloads)).toBe("download.gated");
  token = "hf_expired";
  expect(await failure(downloads)).toBe("download.tokenRefused");
  token = "hf_right";
  hub.setFault("LICENSE", respondStatus(403, "GatedRepo"));
  expect(await failure(downloads)).toBe("download.termsNotAccepted");
  hub.setFault("LICENSE", undefined);
  await pull(downloads);
  expect(logged).toHaveLength(3);
  expect(JSON.stringify([logged, downloads.events])).not.toMatch(/hf_(right|expired)/);
});

it("goes on after a connection that broke off, without asking for what it has", async () => {
  const hub = await openHub();
  hub.setFault(graph, first(2, breakAfter(300_000)));
  const downloads = await openDownloads([hub]);
  await pull(downloads);
  const starts = hub.requests
    .filter(({ path, server }) => path.endsWith(graph) && server === "cdn")
    .map(({ range = "bytes=0-" }) => Number(/\d+/.exec(range)?.[0]));
  // What was on its way when the connection broke off may be lost.
  expect(starts.map((start, index) => start >= index * 100_000)).toEqual([true, true, true]);
  expect(downloads.events.some(({ note }) => note?.id === "download.retrying")).toBe(true);
});

it("goes on after the network was away for a moment", async () => {
  const hub = await openHub();
  hub.setFault(graph, first(1, breakAfter(300_000)));
  let failures = 0;
  const away = Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  const dispatcher = agent.compose((dispatch) => (options, handler) => {
    const isResumed = JSON.stringify(options.headers).toLowerCase().includes("range");
    if (!isResumed || failures === 2) return dispatch(options, handler);
    failures += 1;
    throw away;
  });
  const client = createHubClient({ dispatcher, stallMs: 60_000 });
  await pull(await openDownloads([hub], { client }));
  expect(failures).toBe(2);
});

it("reports a server that sends nothing anymore", async () => {
  const hub = await openHub();
  hub.setFault(graph, stallAfter(0));
  const downloads = await openDownloads([hub], { stallMs: 50 });
  expect(await failure(downloads)).toBe("download.stalled");
});

it("waits as long as a busy hub asks for", async () => {
  const hub = await openHub();
  hub.setFault(graph, first(1, respondTooManyRequests(1)));
  const downloads = await openDownloads([hub]);
  await pull(downloads);
  expect(downloads.events.find(({ note }) => note !== undefined)?.note).toMatchObject({
    id: "download.waiting",
    params: { seconds: 1 },
  });
});

it.each([
  ["download.unreachable", "http://127.0.0.1:1"],
  ["download.noName", "http://hub.invalid"],
] as const)("reports %s", async (id, baseUrl) => {
  const downloads = await openDownloads([{ baseUrl }]);
  expect(await failure(downloads)).toBe(id);
});

it("reports a refused connection of an untrusted server", async () => {
  const hub = await openHub();
  // A server without TLS.
  const downloads = await openDownloads([{ baseUrl: hub.baseUrl.replace("http:", "https:") }]);
  expect(await failure(downloads)).toBe("download.untrusted");
});

it("uses the next mirror where one fails, and reports the first one's error if all fail", async () => {
  const [hub, mirror] = [await openHub(), await openHub()];
  hub.setFault(graph, respondStatus(403));
  const downloads = await openDownloads([{ baseUrl: "http://127.0.0.1:1" }, hub, mirror]);
  await pull(downloads);
  expect(mirror.sentBytes(graph)).toBe(contentOf(graph).length);

  mirror.setFault(graph, sendWrongBytes);
  const others = await openDownloads([hub, mirror]);
  expect(await failure(others)).toBe("download.refused");
});

it("pauses, keeps what has arrived, and resumes behind it", async () => {
  const hub = await openHub();
  hub.setFault(graph, first(1, stallAfter(500_000)));
  const downloads = await openDownloads([hub]);
  await downloads.start("silero", unaccepted);
  await hasArrived(downloads, 500_000);
  const paused = await downloads.pause("silero");
  expect(paused).toMatchObject({ state: "paused" });
  expect(paused.doneBytes).toBeGreaterThanOrEqual(500_000);
  const done = downloads.reached("done");
  await downloads.start("silero", unaccepted);
  await done;
  expect(hub.requests.at(-1)?.range).toBe("bytes=500000-");
});

it("cancels and removes what has arrived", async () => {
  const hub = await openHub();
  hub.setFault(graph, stallAfter(500_000));
  const downloads = await openDownloads([hub]);
  await downloads.start("silero", unaccepted);
  await hasArrived(downloads, 500_000);
  await downloads.cancel("silero");
  expect(downloads.events.at(-1)?.state).toBe("cancelled");
  expect(downloads.list()).toEqual([]);
  expect(await readdir(join(downloads.folder, ".incoming"))).toEqual([]);
  await expect(downloads.pause("silero")).rejects.toThrow(/No download/);
});

it("fetches a model anew that is asked for while it is cancelled", async () => {
  const hub = await openHub();
  hub.setFault(graph, first(1, stallAfter(500_000)));
  const downloads = await openDownloads([hub]);
  await downloads.start("silero", unaccepted);
  await hasArrived(downloads, 500_000);
  hub.requests.length = 0;
  const done = downloads.reached("done");
  const cancelled = downloads.cancel("silero");
  expect(await downloads.start("silero", unaccepted)).toMatchObject({ state: "running" });
  await cancelled;
  await done;
  const states = downloads.events.map(({ state }) => state);
  expect(states.indexOf("cancelled")).toBeLessThan(states.lastIndexOf("running"));
  expect(hub.requests.map(({ range }) => range)).not.toContain("bytes=500000-");
  expect(await hashesOf(join(downloads.folder, "silero"))).toEqual(sileroHashes);
});

it("goes on with a download that is resumed while it is paused", async () => {
  const hub = await openHub();
  hub.setFault(graph, first(1, stallAfter(500_000)));
  const downloads = await openDownloads([hub]);
  await downloads.start("silero", unaccepted);
  await hasArrived(downloads, 500_000);
  const done = downloads.reached("done");
  const paused = downloads.pause("silero");
  expect(await downloads.resume("silero")).toMatchObject({ state: "running" });
  expect(await paused).toMatchObject({ state: "paused" });
  await done;
  expect(hub.requests.at(-1)?.range).toBe("bytes=500000-");
});

it("takes each file of a model from the repository that has it", async () => {
  const [{ revision }] = silero().sources as [ModelSource];
  const repositories = { "someone/graphs": [graph], "someone/licences": ["LICENSE"] };
  const hub = await openHub(
    Object.fromEntries(
      Object.entries(repositories).map(([repository, names]) => [
        repository,
        { files: Object.fromEntries(names.map((name) => [`weights/${name}`, contentOf(name)])) },
      ]),
    ),
  );
  const sources = Object.entries(repositories).map(([repository, names]) => ({
    repository,
    revision,
    paths: Object.fromEntries(names.map((name) => [name, `weights/${name}`])),
  }));
  const downloads = await openDownloads([hub], { catalog: [{ ...silero(), sources }] });
  await pull(downloads);
  expect(await hashesOf(join(downloads.folder, "silero"))).toEqual(sileroHashes);
});

it("pauses a download whose files wait for those of another one", async () => {
  const hub = await openHub();
  hub.setFault(graph, stallAfter(0));
  const names = ["one", "two", "three"];
  const [file] = silero().files.filter(({ name }) => name === graph);
  const large = (id: string): CatalogEntry => ({
    ...silero(),
    id,
    sources: silero().sources.map((source) => ({
      ...source,
      paths: Object.fromEntries(names.map((name) => [name, graph])),
    })),
    files: names.flatMap((name) => (file === undefined ? [] : [{ ...file, name }])),
  });
  const isWaiting = Promise.withResolvers<void>();
  const downloads = await openDownloads([hub], {
    catalog: [large("first"), large("second")],
    // Asked right before the files wait for their turn.
    async freeBytes(folder) {
      if (folder.endsWith("second")) setImmediate(isWaiting.resolve);
      return Infinity;
    },
  });
  await downloads.start("first", unaccepted);
  while (hub.requests.filter(({ server }) => server === "cdn").length < names.length)
    await downloads.reached("running");
  await downloads.start("second", unaccepted);
  await isWaiting.promise;
  expect(await downloads.pause("second")).toMatchObject({ state: "paused" });
  await downloads.cancel("second");
  expect(downloads.list()).toMatchObject([{ id: "first", state: "running" }]);
});

it("starts once, however often it is asked for", async () => {
  const hub = await openHub();
  const downloads = await openDownloads([hub]);
  const done = downloads.reached("done");
  for (let times = 0; times < 3; times += 1) downloads.start("silero", unaccepted);
  await done;
  expect(hub.sentBytes(graph)).toBe(contentOf(graph).length);
});

it("starts from the beginning where a server ignores ranges", async () => {
  const hub = await openHub();
  const downloads = await openDownloads([hub]);
  hub.setFault(graph, stallAfter(500_000));
  await downloads.start("silero", unaccepted);
  await hasArrived(downloads, 500_000);
  await downloads.pause("silero");
  hub.setFault(graph, ignoreRanges(contentOf(graph)));
  const done = downloads.reached("done");
  await downloads.resume("silero");
  expect((await done).doneBytes).toBe((await done).totalBytes);
});

it("keeps nothing of the bytes that it discards", async () => {
  const [hub, mirror] = [await openHub(), await openHub()];
  hub.setFault(graph, sendWrongBytes);
  const downloads = await openDownloads([hub, mirror]);
  await pull(downloads);
  expect(await hashesOf(join(downloads.folder, "silero"))).toEqual(sileroHashes);
});

it("discards a part that was damaged on this machine, and needs no mirror for it", async () => {
  const hub = await openHub();
  const downloads = await openDownloads([hub]);
  hub.setFault(graph, stallAfter(500_000));
  await downloads.start("silero", unaccepted);
  await hasArrived(downloads, 500_000);
  await downloads.pause("silero");
  hub.setFault(graph, undefined);
  const part = join(downloads.folder, ".incoming", "silero", "parts", graph);
  await truncate(part, 400_000);
  await truncate(part, 500_000);
  const done = downloads.reached("done");
  await downloads.resume("silero");
  await done;
  expect(await hashesOf(join(downloads.folder, "silero"))).toEqual(sileroHashes);
});

it("checks the disk first, and keeps what has arrived when it becomes full", async () => {
  const hub = await openHub();
  // The model would fit, but leave nothing to other programs.
  const tooSmall = await openDownloads([hub], { freeBytes: async () => 200e6 });
  expect(await failure(tooSmall)).toBe("download.noSpace");
  expect(hub.requests).toEqual([]);

  const downloads = await openDownloads([hub]);
  hub.setFault(
    graph,
    first(
      1,
      breakAfter(500_000, () => hasArrived(downloads, 500_000)),
    ),
  );
  const removeHook = hookWrites((operation) => {
    if (operation === "appendFile" && hub.requests.some(({ range }) => range !== undefined))
      throw Object.assign(new Error("no space"), { code: "ENOSPC" });
  });
  try {
    expect(await failure(downloads)).toBe("download.diskFull");
  } finally {
    removeHook();
  }
  const done = downloads.reached("done");
  await downloads.resume("silero");
  await done;
  expect(hub.requests.at(-1)?.range).toBe("bytes=500000-");
});

it("lists the downloads of the last run, and goes on with those that were running", async () => {
  const hub = await openHub();
  hub.setFault(graph, stallAfter(500_000));
  const before = await openDownloads([hub]);
  await before.start("silero", unaccepted);
  await hasArrived(before, 500_000);
  await before.close();
  hub.setFault(graph, undefined);
  const running = await openDownloads([hub], { folder: before.folder });
  const done = running.reached("done");
  await running.restore();
  await done;
  expect(hub.requests.at(-1)?.range).toBe("bytes=500000-");
});

it("starts nothing once it is closed", async () => {
  const hub = await openHub();
  hub.setFault(graph, stallAfter(500_000));
  const interrupted = await openDownloads([hub]);
  await interrupted.start("silero", unaccepted);
  await hasArrived(interrupted, 500_000);
  await interrupted.close();
  await expect(interrupted.resume("silero")).rejects.toMatchObject({ sent: { id: "closing" } });
  hub.requests.length = 0;
  const closed = await openDownloads([hub], { folder: interrupted.folder });
  const restoring = closed.restore();
  await closed.close();
  await restoring;
  expect(closed.events).toEqual([]);
  expect(hub.requests).toEqual([]);
});

it("lists a paused or failed download after a restart, without going on by itself", async () => {
  const hub = await openHub();
  hub.setFault(graph, respondStatus(403));
  const before = await openDownloads([hub]);
  await failure(before);
  await before.close();
  // A folder that is no download.
  await mkdir(join(before.folder, ".incoming", "import-1"));
  await writeFile(join(before.folder, ".incoming", "import-1", "file"), "");
  const requests = hub.requests.length;
  const after = await openDownloads([hub], { folder: before.folder });
  await after.restore();
  expect(after.list()).toMatchObject([
    { id: "silero", state: "failed", error: { id: "download.refused" } },
  ]);
  expect(hub.requests.length).toBe(requests);
  expect(await readdir(join(before.folder, ".incoming"))).toEqual(["silero"]);
});

it("goes on with the revision of the catalog, not with that of a former catalog", async () => {
  const hub = await openHub();
  const former = { ...silero(), sources: [{ repository: "silero/vad", revision: "f".repeat(40) }] };
  const before = await openDownloads([hub], { catalog: [former] });
  expect(await failure(before)).toBe("download.revisionMissing");
  await before.close();
  const after = await openDownloads([hub], { folder: before.folder });
  await after.restore();
  const ended = Promise.race([after.reached("done"), after.reached("failed")]);
  after.resume("silero");
  expect(await ended).toMatchObject({ state: "done" });
  expect(after.installed.get("silero")?.sources).toEqual(silero().sources);
});

it("asks for a licence that is not free to be accepted, and names it", async () => {
  const hub = await openHub();
  const licence = {
    name: "CC-BY-NC-4.0",
    url: "https://example.org/licence",
    mustBeAccepted: true,
  };
  const downloads = await openDownloads([hub], { catalog: [{ ...silero(), licence }] });
  await expect(downloads.start("silero", unaccepted)).rejects.toMatchObject({
    key: "licence_not_accepted",
    message: expect.stringContaining(licence.url),
  });
  expect(hub.requests).toEqual([]);
  const done = downloads.reached("done");
  await downloads.start("silero", { acceptLicence: true });
  await done;
});

it("fetches a damaged model again that is not of the catalog, from where it came", async () => {
  const hub = await openHub();
  const downloads = await openDownloads([hub], { catalog: [] });
  const damaged = createMessage("model.incomplete", { file: graph, model: "silero" });
  const put = (entry: Partial<InstalledModel>) =>
    downloads.installed.set("silero", { ...silero(), ...entry } as InstalledModel);
  put({ damaged });
  await pull(downloads);
  expect(await hashesOf(join(downloads.folder, "silero"))).toEqual(sileroHashes);
  put({ damaged, origin: "imported", sources: [] });
  await expect(downloads.start("silero", unaccepted)).rejects.toMatchObject({
    sent: { id: "download.imported" },
  });
});

it("reports at most ten times a second", async () => {
  const hub = await openHub();
  const downloads = await openDownloads([hub]);
  const startedAtMs = performance.now();
  await pull(downloads);
  const seconds = (performance.now() - startedAtMs) / 1000;
  // The start, the end, and notes in between.
  expect(downloads.events.length).toBeLessThanOrEqual(3 + 10 * seconds);
});

it("opens no connection where the dispatcher refuses", async () => {
  const hub = await openHub();
  const dispatcher = new Agent().compose(() => () => {
    throw new Error("offline");
  });
  const downloads = await openDownloads([hub], {
    client: createHubClient({ dispatcher, stallMs: 1000 }),
  });
  expect(await failure(downloads)).toBe("download.unreachable");
  expect(hub.requests).toEqual([]);
});

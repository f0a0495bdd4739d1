// The app starts while its library cannot be opened and uses it as soon as it can be opened; the app starts with
// unfinished work that cannot be read.

import { closeSync, mkdirSync, openSync, renameSync, rmdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../../main/app.ts";
import { channelFields } from "../../main/contract/channels.ts";
import { createAppClient, toApp } from "../../main/cli/app-client.ts";
import { createNodePlatform } from "../../main/cli/platform.ts";
import { claimDataFolder } from "../../main/instance/ownership.ts";
import { createItems } from "../../main/library/items.ts";
import { libraryPath, openLibrary } from "../../main/library/recovery/open-library.ts";
import { createApiKeys } from "../../main/storage/settings/api-keys.ts";
import { createConfiguration } from "../../main/storage/settings/configuration.ts";
import { readSettings } from "../../main/storage/settings/settings.ts";
import { neverAborted, quietLog } from "../support/app.ts";
import { waitUntil } from "../support/command-line.ts";
import { openTestFolder } from "../support/test-data.ts";

const clip = join(import.meta.dirname, "..", "..", "main", "channels", "config", "test-clip.mp3");

it("starts without a library, refuses work that needs it, and opens it once it is available", async () => {
  const dataDir = await openTestFolder();
  const before = openLibrary({
    dataDir,
    isOwner: true,
    launchChild: createNodePlatform(dataDir).launchChild,
    log: quietLog,
  });
  const { secret } = (await createApiKeys({ dataDir, database: before.database })).create({
    name: "phone",
    budgetCountsLocal: false,
  });
  const { id } = createItems(before.database, { dataDir }).create({
    kind: "transcript",
    title: "kept",
    source: "file",
    state: "running",
  });
  createConfiguration(before.database, quietLog).saveChannel({
    ...channelFields.parse({
      name: "cloud",
      type: "openai",
      baseUrl: "http://127.0.0.1:9/v1",
      enabled: false,
      prefix: "cloud",
    }),
    id: "cloud",
  });
  before.close();
  const path = libraryPath(dataDir);
  // SQLite cannot open a folder: the same effect as missing permissions or file descriptors.
  renameSync(path, `${path}-away`);
  mkdirSync(path);

  const events: string[] = [];
  const platform = createNodePlatform(dataDir);
  const started: string[] = [];
  const launchChild: typeof platform.launchChild = (module, options) => {
    started.push(module.split(/[\\/]/).slice(-3, -1).join("/"));
    return platform.launchChild(module, options);
  };
  const app = await createApp(
    { ...platform, launchChild },
    readSettings({ port: "0", workers: "1" }, {}, { dataDir }),
    quietLog,
    { ownership: claimDataFolder(dataDir) },
  );
  onTestFinished(app.close);
  app.onEvent(({ type }) => events.push(type));
  const { baseUrl, apiKey } = await app.start();
  const ask = (address: string, key = apiKey): Promise<Response> =>
    fetch(new URL(address, baseUrl), { headers: { authorization: `Bearer ${key}` } });
  const health = async (): Promise<unknown> =>
    ((await (await ask("/health")).json()) as { checks: { library: string } }).checks.library;

  expect(await health()).toBe("unavailable");
  expect((await ask("/readyz")).status).toBe(503);
  expect((await ask("/v1/models")).status).toBe(200);
  expect((await ask("/v1/models", secret)).status).toBe(503);
  expect((await ask("/app/items")).status).toBe(503);
  const unavailable = expect.objectContaining({ key: "library_unavailable" });
  await expect(app.importFile(clip)).rejects.toThrow(unavailable);
  const client = createAppClient(toApp(app.handle, neverAborted()));
  const refused = expect.objectContaining({ message: expect.stringContaining("cannot be opened") });
  await expect(client.call("importArchive", { path: clip })).rejects.toThrow(refused);
  await expect(client.download("/app/library.zip").next()).rejects.toThrow(refused);
  await expect(client.call("createKey", { name: "lost" })).rejects.toThrow(refused);

  rmdirSync(path);
  renameSync(`${path}-away`, path);
  await waitUntil(async () => (await health()) === "ok");
  expect(events).toContain("library");
  expect((await ask("/readyz")).status).toBe(200);
  expect((await ask("/v1/models", secret)).status).toBe(200);
  const { channels } = await client.call("listChannels");
  expect(channels.map((channel) => channel.id)).toContain("cloud");
  // The interrupted item is reported as at a start.
  await waitUntil(
    async () =>
      ((await (await ask(`/app/items/${id}`)).json()) as { state: string }).state !== "running",
  );
  expect((await client.call("listKeys")).keys.map(({ name }) => name)).toEqual(["phone"]);
  expect(
    ((await (await ask("/app/search?q=kept")).json()) as { hits: unknown[] }).hits,
  ).toHaveLength(1);
  expect(started).toContain("library/process");
  await app.close();
  const after = openLibrary({
    dataDir,
    isOwner: true,
    launchChild: createNodePlatform(dataDir).launchChild,
    log: quietLog,
  });
  onTestFinished(after.close);
  expect(
    Number(after.database.sqlite.prepare("SELECT count(*) AS count FROM usage").get()?.["count"]),
  ).toBe(0);
});

it("starts although its unfinished work is in a damaged part of the database that the check at the start skips", async () => {
  const dataDir = await openTestFolder();
  const { database, path, close } = openLibrary({
    dataDir,
    isOwner: true,
    launchChild: createNodePlatform(dataDir).launchChild,
    log: quietLog,
  });
  const { id } = createItems(database, { dataDir }).create({
    kind: "narration",
    title: "left",
    source: "text",
    state: "running",
  });
  const { sqlite } = database;
  sqlite
    .prepare(
      "INSERT INTO narrations (item_id, revision, options, script) VALUES (?, 1, '{}', 'A sentence.')",
    )
    .run(id);
  sqlite
    .prepare("INSERT INTO narration_work (item_id, sentence_id, task) VALUES (?, 'a', 'make')")
    .run(id);
  // Makes the file too large to be checked at each start: the freed pages stay in the file.
  sqlite.exec("INSERT INTO usage (at_ms, model) VALUES (1, zeroblob(70000000)); DELETE FROM usage");
  const page = Number(
    sqlite.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'narrations'").get()?.[
      "rootpage"
    ],
  );
  close();
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, (page - 1) * 4096);
  closeSync(file);

  const app = await createApp(
    createNodePlatform(dataDir),
    readSettings({ port: "0", workers: "1" }, {}, { dataDir }),
    quietLog,
    { ownership: claimDataFolder(dataDir) },
  );
  onTestFinished(app.close);
  const { baseUrl } = await app.start();
  expect(await (await fetch(new URL("/health", baseUrl))).json()).toMatchObject({
    checks: { library: "damaged" },
  });
});

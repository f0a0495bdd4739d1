// Kills the real app at random moments: during writes, uploads, recordings and migrations. After a restart, which must
// be fast, everything it had acknowledged must exist.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { floatToPcm } from "../../../main/audio/codec/pcm.ts";
import { migrations } from "../../../main/storage/migrations.ts";
import { shellEnv } from "../../support/command-line.ts";
import type { Row } from "../../support/report.ts";
import { hum, wavFile } from "../../support/test-audio.ts";
import type { EndureContext, EndurePart } from "../part.ts";

const mainModule = resolve(import.meta.dirname, "..", "..", "..", "main", "cli", "main.ts");
const key = "hs-endurance-killing";
const runs = { full: 300, short: 4 };
const maxStartSec = 5;
const startLimitMs = 60_000;
/** One run in this many opens a library of an older version. */
const migrationEvery = 6;
const maxAliveMs = 1_200;
/** Number of rows, so that the migration takes a while. */
const oldRows = 2_000;

export const part: EndurePart = {
  defaultMinutes: 10,
  async run(context) {
    const provider = await startProvider();
    const dataDir = join(context.scratchDir, "data");
    await mkdir(dataDir);
    const metrics: KillMetrics = {
      runs: 0,
      acknowledged: 0,
      lost: [],
      damaged: 0,
      slowestStartSec: 0,
      migrated: 0,
    };
    const acknowledgedData: Acknowledged = {
      titles: new Map(),
      keys: new Set(),
      samples: new Map(),
      uploads: new Set(),
      values: new Map(),
    };
    try {
      await prepare(dataDir, acknowledgedData, provider, metrics);
      const count = context.isShort ? runs.short : runs.full;
      for (
        const endMs = performance.now() + context.minutes * 60_000;
        metrics.runs < count && (context.isShort || performance.now() < endMs);
        metrics.runs += 1
      ) {
        if (
          metrics.runs % migrationEvery === migrationEvery - 1 ||
          (context.isShort && metrics.runs === 1)
        )
          await killMigration(context, metrics);
        else await killWrites(dataDir, acknowledgedData, context, metrics);
      }
    } finally {
      provider.server.closeAllConnections();
      provider.server.close();
    }
    for (const what of metrics.lost) context.log(`lost: ${what}`);
    return [
      row("times killed", metrics.runs, { min: context.isShort ? runs.short : runs.full }),
      row("of them in a migration", metrics.migrated),
      row("changes acknowledged", metrics.acknowledged, { min: 1 }),
      row("acknowledged and lost", metrics.lost.length, { max: 0 }),
      row("libraries damaged", metrics.damaged, { max: 0 }),
      // In the short form, other tests run on the machine.
      row(
        "longest start after it",
        metrics.slowestStartSec,
        { max: context.isShort ? 12 * maxStartSec : maxStartSec },
        "s",
      ),
    ];
  },
};

const row = (what: string, value: number, goal?: Row["goal"], unit: Row["unit"] = ""): Row => ({
  area: "kill -9",
  what,
  value,
  unit,
  ...(goal === undefined ? {} : { goal }),
});

type KillMetrics = {
  runs: number;
  acknowledged: number;
  lost: string[];
  damaged: number;
  slowestStartSec: number;
  migrated: number;
};
/** Acknowledged writes: item → title; key ids; recording → samples; uploads; setting → value. */
type Acknowledged = {
  titles: Map<string, string>;
  keys: Set<string>;
  samples: Map<string, number>;
  uploads: Set<string>;
  values: Map<string, string>;
};

type RunningApp = {
  request<T>(method: string, path: string, body?: object | Uint8Array): Promise<T>;
  kill(): Promise<void>;
  startSec: number;
};

/** Starts the app on the existing library; resolves when it responds. */
async function start(
  dataDir: string,
): Promise<{ child: ReturnType<typeof spawn>; ready: Promise<RunningApp> }> {
  const startMs = performance.now();
  const env = shellEnv(dataDir, { HEARSAY_PORT: "0", HEARSAY_WORKERS: "1", HEARSAY_API_KEY: key });
  const child = spawn(process.execPath, [mainModule, "serve", "--headless"], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  let errors = "";
  child.stderr
    .setEncoding("utf8")
    .on("data", (text: string) => (errors = (errors + text).slice(-4000)));
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  const ready = (async (): Promise<RunningApp> => {
    const origin = new URL(await readBaseUrl(child, () => errors)).origin;
    if (!(await fetch(`${origin}/health`)).ok) throw new Error("the app is not well");
    return {
      startSec: (performance.now() - startMs) / 1000,
      kill,
      async request<T>(method: string, path: string, body?: object | Uint8Array) {
        const isRaw = body instanceof Uint8Array;
        const headers = {
          authorization: `Bearer ${key}`,
          ...(body === undefined || isRaw ? {} : { "content-type": "application/json" }),
        };
        const response = await fetch(`${origin}${path}`, {
          method,
          headers,
          ...(body === undefined
            ? {}
            : { body: isRaw ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
        });
        if (!response.ok)
          throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
        return (await response.json()) as T;
      },
    };
  })();
  ready.catch(() => {});
  return { child, ready };
}

async function readBaseUrl(child: ReturnType<typeof spawn>, errors: () => string): Promise<string> {
  const baseUrlFound = Promise.withResolvers<string>();
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    const url = /Base URL\s+(\S+)/.exec(output)?.[1];
    if (url !== undefined) baseUrlFound.resolve(url);
  });
  child.once("exit", (code, signal) =>
    baseUrlFound.reject(new Error(`the app ended (${String(code ?? signal)}): ${errors()}`)),
  );
  const timer = setTimeout(
    () => baseUrlFound.reject(new Error(`the app did not start: ${errors()}`)),
    startLimitMs,
  );
  return baseUrlFound.promise.finally(() => clearTimeout(timer));
}

/** A provider that transcribes at once, since this part does not test the engines. */
async function startProvider(): Promise<{ server: Server; baseUrl: string }> {
  const server = createServer((request, response) => {
    request.resume();
    const responseBody =
      request.url?.endsWith("/models") === true
        ? { data: [{ id: "whisper-test", object: "model", created: 1, owned_by: "test" }] }
        : { task: "transcribe", language: "english", duration: 1, text: "Heard.", segments: [] };
    request.on("end", () =>
      response.setHeader("content-type", "application/json").end(JSON.stringify(responseBody)),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    server,
    baseUrl: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/v1`,
  };
}

const options = encodeURIComponent(JSON.stringify({ model: "test/whisper-test" }));

async function prepare(
  dataDir: string,
  acknowledgedData: Acknowledged,
  { baseUrl }: { baseUrl: string },
  metrics: KillMetrics,
): Promise<void> {
  const { ready } = await start(dataDir);
  const { request, kill } = await ready;
  await request("POST", "/app/channels", { name: "Test", baseUrl, prefix: "test" });
  for (let n = 0; n < 3; n += 1) {
    const { id } = await request<{ id: string }>("POST", "/app/narrations", {
      title: `Text ${n}`,
      script: "Some words.",
    });
    acknowledgedData.titles.set(id, `Text ${n}`);
    metrics.acknowledged += 1;
  }
  await kill();
}

async function killWrites(
  dataDir: string,
  acknowledgedData: Acknowledged,
  { random }: EndureContext,
  metrics: KillMetrics,
): Promise<void> {
  const running = await (await start(dataDir)).ready;
  metrics.slowestStartSec = Math.max(metrics.slowestStartSec, running.startSec);
  await checkAcknowledged(running, acknowledgedData, metrics);
  const stopWriters = new AbortController();
  // Requests in progress at the kill end without a response.
  const writers = [writeChanges, writeRecording, writeUploads].map((write, index) =>
    write(running, acknowledgedData, metrics, stopWriters.signal, `${metrics.runs}-${index}`).catch(
      () => {},
    ),
  );
  await pause(random() * maxAliveMs);
  stopWriters.abort();
  await running.kill();
  await Promise.all(writers);
  if (!isIntact(join(dataDir, "hearsay.sqlite"))) metrics.damaged += 1;
}

/** A change in progress at the kill may have the old or the new value, because it was not acknowledged. */
async function writeChanges(
  { request }: RunningApp,
  acknowledgedData: Acknowledged,
  metrics: KillMetrics,
  signal: AbortSignal,
  name: string,
): Promise<void> {
  for (let n = 0; !signal.aborted; n += 1) {
    for (const id of [...acknowledgedData.titles.keys()].slice(0, 3)) {
      const title = `${name} ${n}`;
      const previousTitle = acknowledgedData.titles.get(id) ?? "";
      acknowledgedData.titles.set(id, `${previousTitle}|${title}`);
      await request("PATCH", `/app/items/${id}`, { title });
      acknowledgedData.titles.set(id, title);
      metrics.acknowledged += 1;
    }
    if (n > 2) continue;
    const made = await request<{ id: string }>("POST", "/app/keys", { name: `key ${name} ${n}` });
    acknowledgedData.keys.add(made.id);
    const says = `/${name}-${n}/`;
    acknowledgedData.values.delete("pronunciation");
    await request("PUT", "/app/vocabulary", { entries: [{ word: "word", says }] });
    acknowledgedData.values.set("pronunciation", says);
    metrics.acknowledged += 2;
  }
}

const chunkSamples = 4_000;
const chunk = floatToPcm(hum(chunkSamples / 16_000, 16_000));

async function writeRecording(
  { request }: RunningApp,
  acknowledgedData: Acknowledged,
  metrics: KillMetrics,
  signal: AbortSignal,
  name: string,
): Promise<void> {
  const { id } = await request<{ id: string }>(
    "POST",
    `/app/recordings?title=${name}&options=${options}`,
  );
  acknowledgedData.samples.set(id, 0);
  for (let samples = 0; !signal.aborted; samples += chunkSamples) {
    await request("POST", `/app/recordings/${id}/sound?from=${samples}`, chunk);
    acknowledgedData.samples.set(id, samples + chunkSamples);
    metrics.acknowledged += 1;
  }
}

const wav = wavFile([hum(1, 16_000)], 16_000);

async function writeUploads(
  { request }: RunningApp,
  acknowledgedData: Acknowledged,
  metrics: KillMetrics,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { id } = await request<{ id: string }>(
      "POST",
      `/app/uploads?name=x.wav&options=${options}`,
      wav,
    );
    acknowledgedData.uploads.add(id);
    metrics.acknowledged += 1;
    await pause(100);
  }
}

/** Also deletes what is no longer needed, so that every run takes equally long. */
async function checkAcknowledged(
  { request }: RunningApp,
  acknowledgedData: Acknowledged,
  metrics: KillMetrics,
): Promise<void> {
  const reportLost = (what: string): void => void metrics.lost.push(`run ${metrics.runs}: ${what}`);
  const { items } = await request<{
    items: { id: string; title: string; durationSec: number; state: string }[];
  }>("GET", "/app/items");
  const byId = new Map(items.map((item) => [item.id, item]));
  for (const [id, title] of acknowledgedData.titles) {
    const stored = byId.get(id)?.title;
    if (stored === undefined || !title.split("|").includes(stored))
      reportLost(`the title ${title}: it is ${stored}`);
    else acknowledgedData.titles.set(id, stored);
  }
  for (const [id, samples] of acknowledgedData.samples) {
    const stored = byId.get(id);
    if (
      stored === undefined ||
      (samples > 0 &&
        (stored.state === "recording" || stored.durationSec < samples / 16_000 - 1e-6))
    )
      reportLost(`${samples} samples of a recording: ${JSON.stringify(stored)}`);
  }
  for (const id of acknowledgedData.uploads) if (!byId.has(id)) reportLost("an upload");
  const { keys } = await request<{ keys: { id: string }[] }>("GET", "/app/keys");
  for (const id of acknowledgedData.keys)
    if (!keys.some((one) => one.id === id)) reportLost("a key");
  const { entries } = await request<{ entries: { says: string }[] }>("GET", "/app/vocabulary");
  const says = acknowledgedData.values.get("pronunciation");
  if (says !== undefined && entries[0]?.says !== says) reportLost(`the pronunciation ${says}`);
  const done = [...acknowledgedData.samples.keys(), ...acknowledgedData.uploads].filter((id) =>
    byId.has(id),
  );
  if (done.length > 0) await request("POST", "/app/items/remove", { itemIds: done });
  acknowledgedData.samples.clear();
  acknowledgedData.uploads.clear();
  for (const id of acknowledgedData.keys) await request("DELETE", `/app/keys/${id}`);
  acknowledgedData.keys.clear();
}

/** Opens a library of an older version and kills the app during the migration. */
async function killMigration(
  { random, scratchDir }: EndureContext,
  metrics: KillMetrics,
): Promise<void> {
  const dataDir = join(scratchDir, `old-${metrics.runs}`);
  await mkdir(dataDir);
  const path = join(dataDir, "hearsay.sqlite");
  const version = 1 + Math.floor(random() * (migrations.length - 1));
  createOldLibrary(path, version);
  const { child, ready } = await start(dataDir);
  // The migration starts after the program is loaded. Kill later than that, but before it ends.
  await pause(200 + random() * 800);
  child.kill("SIGKILL");
  await ready.catch(() => {});
  if (!isIntact(path)) metrics.damaged += 1;
  const restarted = await (await start(dataDir)).ready;
  metrics.slowestStartSec = Math.max(metrics.slowestStartSec, restarted.startSec);
  await restarted.kill();
  const database = new DatabaseSync(path);
  const currentVersion = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
  const rows = Number(
    database.prepare("SELECT count(*) AS n FROM settings WHERE name LIKE 'old %'").get()?.["n"],
  );
  database.close();
  metrics.acknowledged += 1;
  metrics.migrated += 1;
  if (currentVersion !== migrations.length || rows !== oldRows)
    metrics.lost.push(
      `a library of version ${version} is of version ${currentVersion} and has ${rows} of ${oldRows} rows`,
    );
  if (!isIntact(path)) metrics.damaged += 1;
  await rm(dataDir, { recursive: true, force: true });
}

function createOldLibrary(path: string, version: number): void {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; BEGIN");
  for (const step of migrations.slice(0, version)) database.exec(step);
  const put = database.prepare("INSERT INTO settings (name, value) VALUES (?, ?)");
  for (let n = 0; n < oldRows; n += 1) put.run(`old ${n}`, "kept");
  database.exec(`PRAGMA user_version = ${version}; COMMIT`);
  database.close();
}

/** Includes the content of the write-ahead log next to the file. */
function isIntact(path: string): boolean {
  const database = new DatabaseSync(path);
  try {
    return database.prepare("PRAGMA integrity_check").get()?.["integrity_check"] === "ok";
  } catch {
    return false;
  } finally {
    database.close();
  }
}

// The real app is killed at random moments: of writes, uploads, recordings and migrations. What it acknowledged must be
// there when it is started again, which must be soon.

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
import { hum, wavFile } from "../../support/sounds.ts";
import type { EndureContext, EndurePart } from "../part.ts";

const mainModule = resolve(import.meta.dirname, "..", "..", "..", "main", "cli", "main.ts");
const key = "hs-endurance-killing";
const runs = { full: 300, short: 4 };
const upWithinSec = 5;
const startLimitMs = 60_000;
/** One run in so many opens a library of an older version. */
const migrationEvery = 6;
const maxAliveMs = 1_200;
/** Of so many rows: a migration that takes a while. */
const oldRows = 2_000;

export const part: EndurePart = {
  defaultMinutes: 10,
  async run(context) {
    const provider = await startProvider();
    const dataDir = join(context.scratchDir, "data");
    await mkdir(dataDir);
    const figures: Figures = {
      runs: 0,
      acknowledged: 0,
      lost: [],
      damaged: 0,
      slowestStartSec: 0,
      migrated: 0,
    };
    const kept: Kept = {
      titles: new Map(),
      keys: new Set(),
      samples: new Map(),
      uploads: new Set(),
      values: new Map(),
    };
    try {
      await prepare(dataDir, kept, provider, figures);
      const count = context.isShort ? runs.short : runs.full;
      for (
        const endMs = performance.now() + context.minutes * 60_000;
        figures.runs < count && (context.isShort || performance.now() < endMs);
        figures.runs += 1
      ) {
        if (
          figures.runs % migrationEvery === migrationEvery - 1 ||
          (context.isShort && figures.runs === 1)
        )
          await killMigration(context, figures);
        else await killWrites(dataDir, kept, context, figures);
      }
    } finally {
      provider.server.closeAllConnections();
      provider.server.close();
    }
    for (const what of figures.lost) context.log(`lost: ${what}`);
    return [
      row("times killed", figures.runs, { min: context.isShort ? runs.short : runs.full }),
      row("of them in a migration", figures.migrated),
      row("changes acknowledged", figures.acknowledged, { min: 1 }),
      row("acknowledged and lost", figures.lost.length, { max: 0 }),
      row("libraries damaged", figures.damaged, { max: 0 }),
      // Several tests share the machine in the short form.
      row(
        "longest start after it",
        figures.slowestStartSec,
        { max: context.isShort ? 12 * upWithinSec : upWithinSec },
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

type Figures = {
  runs: number;
  acknowledged: number;
  lost: string[];
  damaged: number;
  slowestStartSec: number;
  migrated: number;
};
/** What was acknowledged. Item → title; key ids; recording → samples; uploads; setting → value. */
type Kept = {
  titles: Map<string, string>;
  keys: Set<string>;
  samples: Map<string, number>;
  uploads: Set<string>;
  values: Map<string, string>;
};

type Running = {
  ask<T>(method: string, path: string, body?: object | Uint8Array): Promise<T>;
  kill(): Promise<void>;
  startSec: number;
};

/** Started with the library as it is; resolves when it answers. */
async function start(
  dataDir: string,
): Promise<{ child: ReturnType<typeof spawn>; up: Promise<Running> }> {
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
  const up = (async (): Promise<Running> => {
    const origin = new URL(await greeting(child, () => errors)).origin;
    if (!(await fetch(`${origin}/health`)).ok) throw new Error("the app is not well");
    return {
      startSec: (performance.now() - startMs) / 1000,
      kill,
      async ask<T>(method: string, path: string, body?: object | Uint8Array) {
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
  up.catch(() => {});
  return { child, up };
}

async function greeting(child: ReturnType<typeof spawn>, errors: () => string): Promise<string> {
  const found = Promise.withResolvers<string>();
  let printed = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    const url = /Base URL\s+(\S+)/.exec(printed)?.[1];
    if (url !== undefined) found.resolve(url);
  });
  child.once("exit", (code, signal) =>
    found.reject(new Error(`the app ended (${String(code ?? signal)}): ${errors()}`)),
  );
  const timer = setTimeout(
    () => found.reject(new Error(`the app did not start: ${errors()}`)),
    startLimitMs,
  );
  return found.promise.finally(() => clearTimeout(timer));
}

/** What transcribes here answers at once: the engines are not what is killed. */
async function startProvider(): Promise<{ server: Server; baseUrl: string }> {
  const server = createServer((request, response) => {
    request.resume();
    const answer =
      request.url?.endsWith("/models") === true
        ? { data: [{ id: "whisper-test", object: "model", created: 1, owned_by: "test" }] }
        : { task: "transcribe", language: "english", duration: 1, text: "Heard.", segments: [] };
    request.on("end", () =>
      response.setHeader("content-type", "application/json").end(JSON.stringify(answer)),
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
  kept: Kept,
  { baseUrl }: { baseUrl: string },
  figures: Figures,
): Promise<void> {
  const { up } = await start(dataDir);
  const { ask, kill } = await up;
  await ask("POST", "/app/channels", { name: "Test", baseUrl, prefix: "test" });
  for (let n = 0; n < 3; n += 1) {
    const { id } = await ask<{ id: string }>("POST", "/app/narrations", {
      title: `Text ${n}`,
      script: "Some words.",
    });
    kept.titles.set(id, `Text ${n}`);
    figures.acknowledged += 1;
  }
  await kill();
}

async function killWrites(
  dataDir: string,
  kept: Kept,
  { random }: EndureContext,
  figures: Figures,
): Promise<void> {
  const running = await (await start(dataDir)).up;
  figures.slowestStartSec = Math.max(figures.slowestStartSec, running.startSec);
  await check(running, kept, figures);
  const stop = new AbortController();
  // What is under way when it is killed ends without an answer.
  const writers = [changes, record, upload].map((write, place) =>
    write(running, kept, figures, stop.signal, `${figures.runs}-${place}`).catch(() => {}),
  );
  await pause(random() * maxAliveMs);
  stop.abort();
  await running.kill();
  await Promise.all(writers);
  if (!isWhole(join(dataDir, "hearsay.sqlite"))) figures.damaged += 1;
}

/** What is being changed when the app is killed may be the old or the new: nothing was acknowledged. */
async function changes(
  { ask }: Running,
  kept: Kept,
  figures: Figures,
  signal: AbortSignal,
  name: string,
): Promise<void> {
  for (let n = 0; !signal.aborted; n += 1) {
    for (const id of [...kept.titles.keys()].slice(0, 3)) {
      const title = `${name} ${n}`;
      const before = kept.titles.get(id) ?? "";
      kept.titles.set(id, `${before}|${title}`);
      await ask("PATCH", `/app/items/${id}`, { title });
      kept.titles.set(id, title);
      figures.acknowledged += 1;
    }
    if (n > 2) continue;
    const made = await ask<{ id: string }>("POST", "/app/keys", { name: `key ${name} ${n}` });
    kept.keys.add(made.id);
    const says = `/${name}-${n}/`;
    kept.values.delete("pronunciation");
    await ask("PUT", "/app/pronunciations", { entries: [{ word: "word", says }] });
    kept.values.set("pronunciation", says);
    figures.acknowledged += 2;
  }
}

const pieceSamples = 4_000;
const piece = floatToPcm(hum(pieceSamples / 16_000, 16_000));

async function record(
  { ask }: Running,
  kept: Kept,
  figures: Figures,
  signal: AbortSignal,
  name: string,
): Promise<void> {
  const { id } = await ask<{ id: string }>(
    "POST",
    `/app/recordings?title=${name}&options=${options}`,
  );
  kept.samples.set(id, 0);
  for (let samples = 0; !signal.aborted; samples += pieceSamples) {
    await ask("POST", `/app/recordings/${id}/sound?from=${samples}`, piece);
    kept.samples.set(id, samples + pieceSamples);
    figures.acknowledged += 1;
  }
}

const wav = wavFile([hum(1, 16_000)], 16_000);

async function upload(
  { ask }: Running,
  kept: Kept,
  figures: Figures,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { id } = await ask<{ id: string }>(
      "POST",
      `/app/uploads?name=x.wav&options=${options}`,
      wav,
    );
    kept.uploads.add(id);
    figures.acknowledged += 1;
    await pause(100);
  }
}

/** Also takes away what is not needed any more, so that a run costs the same from the first to the last. */
async function check({ ask }: Running, kept: Kept, figures: Figures): Promise<void> {
  const lose = (what: string): void => void figures.lost.push(`run ${figures.runs}: ${what}`);
  const { items } = await ask<{
    items: { id: string; title: string; durationSec: number; state: string }[];
  }>("GET", "/app/items");
  const byId = new Map(items.map((item) => [item.id, item]));
  for (const [id, title] of kept.titles) {
    const found = byId.get(id)?.title;
    if (found === undefined || !title.split("|").includes(found))
      lose(`the title ${title}: it is ${found}`);
    else kept.titles.set(id, found);
  }
  for (const [id, samples] of kept.samples) {
    const found = byId.get(id);
    if (
      found === undefined ||
      (samples > 0 && (found.state === "recording" || found.durationSec < samples / 16_000 - 1e-6))
    )
      lose(`${samples} samples of a recording: ${JSON.stringify(found)}`);
  }
  for (const id of kept.uploads) if (!byId.has(id)) lose("an upload");
  const { keys } = await ask<{ keys: { id: string }[] }>("GET", "/app/keys");
  for (const id of kept.keys) if (!keys.some((one) => one.id === id)) lose("a key");
  const { entries } = await ask<{ entries: { says: string }[] }>("GET", "/app/pronunciations");
  const says = kept.values.get("pronunciation");
  if (says !== undefined && entries[0]?.says !== says) lose(`the pronunciation ${says}`);
  const done = [...kept.samples.keys(), ...kept.uploads].filter((id) => byId.has(id));
  if (done.length > 0) await ask("POST", "/app/items/remove", { itemIds: done });
  kept.samples.clear();
  kept.uploads.clear();
  for (const id of kept.keys) await ask("DELETE", `/app/keys/${id}`);
  kept.keys.clear();
}

/** A library of an older version is opened by this one, which is killed over it. */
async function killMigration(
  { random, scratchDir }: EndureContext,
  figures: Figures,
): Promise<void> {
  const dataDir = join(scratchDir, `old-${figures.runs}`);
  await mkdir(dataDir);
  const path = join(dataDir, "hearsay.sqlite");
  const version = 1 + Math.floor(random() * (migrations.length - 1));
  writeOld(path, version);
  const { child, up } = await start(dataDir);
  // It begins with loading the program: later than that, and before it is done.
  await pause(200 + random() * 800);
  child.kill("SIGKILL");
  await up.catch(() => {});
  if (!isWhole(path)) figures.damaged += 1;
  const again = await (await start(dataDir)).up;
  figures.slowestStartSec = Math.max(figures.slowestStartSec, again.startSec);
  await again.kill();
  const database = new DatabaseSync(path);
  const now = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
  const rows = Number(
    database.prepare("SELECT count(*) AS n FROM settings WHERE name LIKE 'old %'").get()?.["n"],
  );
  database.close();
  figures.acknowledged += 1;
  figures.migrated += 1;
  if (now !== migrations.length || rows !== oldRows)
    figures.lost.push(
      `a library of version ${version} is of version ${now} and has ${rows} of ${oldRows} rows`,
    );
  if (!isWhole(path)) figures.damaged += 1;
  await rm(dataDir, { recursive: true, force: true });
}

function writeOld(path: string, version: number): void {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; BEGIN");
  for (const step of migrations.slice(0, version)) database.exec(step);
  const put = database.prepare("INSERT INTO settings (name, value) VALUES (?, ?)");
  for (let n = 0; n < oldRows; n += 1) put.run(`old ${n}`, "kept");
  database.exec(`PRAGMA user_version = ${version}; COMMIT`);
  database.close();
}

/** With what is in the log beside it. */
function isWhole(path: string): boolean {
  const database = new DatabaseSync(path);
  try {
    return database.prepare("PRAGMA integrity_check").get()?.["integrity_check"] === "ok";
  } catch {
    return false;
  } finally {
    database.close();
  }
}

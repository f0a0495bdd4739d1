// Several apps on one data folder, in one PID namespace and in others; folders of older versions; damaged libraries.
// Whatever starts, runs and is killed: exactly one app owns the folder, and nothing acknowledged is lost.

import { type ChildProcess, spawn } from "node:child_process";
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join, resolve } from "node:path";
import type { Item } from "../../../main/contract/library-item.ts";
import { createNodePlatform } from "../../../main/cli/platform.ts";
import { writeBackup, backupPath } from "../../../main/library/recovery/backup-files.ts";
import { openDatabase } from "../../../main/storage/database.ts";
import { createItems } from "../../../main/library/items.ts";
import { migrations } from "../../../main/storage/migrations.ts";
import { libraryPath, openLibrary } from "../../../main/library/recovery/open-library.ts";
import { loadSqlite } from "../../../main/storage/load-sqlite.ts";
import { createApiKeys } from "../../../main/storage/settings/api-keys.ts";
import { quietLog } from "../../support/app.ts";
import { waitForExit, shellEnv } from "../../support/command-line.ts";
import { pidNamespaceCommand, pidNamespaceUnavailable } from "../../support/namespaces.ts";
import type { Row } from "../../support/report.ts";
import type { EndureContext, EndurePart } from "../part.ts";

const area = "instances";
const mainModule = resolve(import.meta.dirname, "..", "..", "..", "main", "cli", "main.ts");
const key = "hs-endurance-of-instances";
const env = { HEARSAY_PORT: "0", HEARSAY_WORKERS: "1", HEARSAY_API_KEY: key, HEARSAY_LOG: "error" };
const zero = { max: 0 };

type StartedApp = {
  child: ChildProcess;
  output(): string;
  ended: Promise<number | null>;
  /** Resolves when it serves requests or has exited. */
  role: Promise<"owner" | "ended">;
};
type Counts = {
  starts: number;
  notHandedOver: number;
  nsStarts: number;
  nsFailures: number;
  lostSamples: number;
  lostFolders: number;
  owners: number;
  takeoverMs: number;
  damaged: number;
  notServed: number;
  lostItems: number;
  lostKeys: number;
  lostOldRows: number;
};

function startApp(
  dataDir: string,
  args: readonly string[],
  wrapperCommand: readonly string[] = [],
): StartedApp {
  const [program = "", ...rest] = [...wrapperCommand, process.execPath, mainModule, ...args];
  const child = spawn(program, rest, {
    env: shellEnv(dataDir, env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const ended = waitForExit(child);
  const serving = Promise.withResolvers<"owner" | "ended">();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.includes("stops it.")) serving.resolve("owner");
    });
  }
  void ended.then(() => serving.resolve("ended"));
  return { child, output: () => output, ended, role: serving.promise };
}

async function startOwner(dataDir: string): Promise<StartedApp> {
  const start = startApp(dataDir, ["serve", "--headless"]);
  if ((await start.role) !== "owner") throw new Error(`the app did not start: ${start.output()}`);
  return start;
}

const baseUrl = (start: StartedApp): string => /Base URL\s+(\S+)/.exec(start.output())?.[1] ?? "";

async function request<T>(
  start: StartedApp,
  method: string,
  path: string,
  body?: Uint8Array<ArrayBuffer>,
): Promise<T> {
  const response = await fetch(new URL(path, baseUrl(start)), {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body }),
  });
  if (!response.ok)
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

const oneSecondPcm = new Uint8Array(32_000);

export const part: EndurePart = {
  defaultMinutes: 3,
  async run(context) {
    const counts: Counts = {
      starts: 0,
      notHandedOver: 0,
      nsStarts: 0,
      nsFailures: 0,
      lostSamples: 0,
      lostFolders: 0,
      owners: 0,
      takeoverMs: 0,
      damaged: 0,
      notServed: 0,
      lostItems: 0,
      lostKeys: 0,
      lostOldRows: 0,
    };
    const untilMs = performance.now() + context.minutes * 60_000;
    let round = 0;
    do {
      const dir = join(context.scratchDir, `round-${round}`);
      await shareFolder(join(dir, "shared"), context, counts);
      await openOldFolders(join(dir, "old"), context, counts);
      await damageLibraries(join(dir, "damaged"), context, counts);
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
      round += 1;
      context.log(`round ${round}: ${JSON.stringify(counts)}`);
    } while (!context.isShort && performance.now() < untilMs);
    return toRows(counts, round);
  },
};

function toRows(counts: Counts, rounds: number): Row[] {
  const namespaces: Row =
    pidNamespaceUnavailable === undefined
      ? {
          area,
          what: "failures of apps in another PID namespace",
          value: counts.nsFailures,
          unit: "",
          goal: zero,
          note: `${counts.nsStarts} starts and commands`,
        }
      : {
          area,
          what: "failures of apps in another PID namespace",
          value: undefined,
          unit: "",
          goal: zero,
          note: `not run: ${pidNamespaceUnavailable}`,
        };
  return [
    {
      area,
      what: "second starts that did not hand over",
      value: counts.notHandedOver,
      unit: "",
      goal: zero,
      note: `${counts.starts} starts in ${rounds} rounds`,
    },
    { area, what: "owners beyond one", value: counts.owners, unit: "", goal: zero },
    {
      area,
      what: "acknowledged samples of recordings lost",
      value: counts.lostSamples,
      unit: "",
      goal: zero,
    },
    {
      area,
      what: "temporary folders of a running app lost",
      value: counts.lostFolders,
      unit: "",
      goal: zero,
    },
    namespaces,
    {
      area,
      what: "longest until another app took over from a killed one",
      value: counts.takeoverMs / 1000,
      unit: "s",
      goal: { max: 10 },
    },
    {
      area,
      what: "rows of older data folders lost",
      value: counts.lostOldRows,
      unit: "",
      goal: zero,
    },
    {
      area,
      what: "damaged libraries with which nothing started",
      value: counts.notServed,
      unit: "",
      goal: zero,
      note: `${counts.damaged} damaged: ${Object.keys(damageKinds).join(", ")}`,
    },
    {
      area,
      what: "items of a copy lost by a damaged library",
      value: counts.lostItems,
      unit: "",
      goal: zero,
    },
    {
      area,
      what: "API keys of a copy lost by a damaged library",
      value: counts.lostKeys,
      unit: "",
      goal: zero,
    },
  ];
}

/**
 * A recording continues while other apps start on the folder, here and in other PID namespaces. Then its app is killed.
 */
async function shareFolder(
  dataDir: string,
  { random, isShort }: EndureContext,
  counts: Counts,
): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  const owner = await startOwner(dataDir);
  const all: StartedApp[] = [owner];
  try {
    const { id } = await request<Item>(owner, "POST", "/app/recordings");
    let samples = 0;
    const appendAudio = async (): Promise<void> => {
      const storedSamples = (
        await request<{ samples: number }>(
          owner,
          "POST",
          `/app/recordings/${id}/sound?from=${samples}`,
          oneSecondPcm,
        )
      ).samples;
      if (storedSamples !== samples + 16_000)
        counts.lostSamples += samples + 16_000 - storedSamples;
      samples = storedSamples;
    };
    await appendAudio();
    const tempFolders = listTempFolders(dataDir);
    for (let at = 0; at < (isShort ? 2 : 6); at += 1) {
      const isInNamespace = pidNamespaceUnavailable === undefined && at % 2 === 1;
      const isCommand = at > 1 && random() < 0.3;
      const start = startApp(
        dataDir,
        isCommand ? ["keys", "list"] : ["serve", "--headless"],
        isInNamespace ? pidNamespaceCommand : [],
      );
      all.push(start);
      await appendAudio();
      const isOwner = (await start.role) === "owner";
      const code = isOwner ? undefined : await start.ended;
      counts.starts += 1;
      if (isOwner) counts.owners += 1;
      if (isInNamespace) counts.nsStarts += 1;
      if (code !== 0) counts[isInNamespace ? "nsFailures" : "notHandedOver"] += 1;
      counts.lostFolders += tempFolders.filter(
        (name) => !existsSync(join(dataDir, "tmp", name)),
      ).length;
      await appendAudio();
    }
    const { status } = await request<{ status: string }>(owner, "GET", "/health");
    if (status !== "ok") counts.lostFolders += 1;
    await killAndTakeOver(owner, all, { dataDir, id, samples }, counts);
  } finally {
    for (const { child } of all) child.kill("SIGKILL");
    await Promise.all(all.map(({ ended }) => ended));
  }
}

/**
 * Two apps start when the owner is killed: one of them takes over, ends the recording completely, and accepts the
 * other's request.
 */
async function killAndTakeOver(
  owner: StartedApp,
  all: StartedApp[],
  { dataDir, id, samples }: { dataDir: string; id: string; samples: number },
  counts: Counts,
): Promise<void> {
  const startMs = performance.now();
  owner.child.kill("SIGKILL");
  const successors = [
    startApp(dataDir, ["serve", "--headless"]),
    startApp(dataDir, ["serve", "--headless"]),
  ];
  all.push(...successors);
  const roles = await Promise.all(successors.map(({ role }) => role));
  counts.takeoverMs = Math.max(counts.takeoverMs, performance.now() - startMs);
  counts.starts += 1;
  counts.owners += Math.abs(roles.filter((role) => role === "owner").length - 1);
  const successor = successors[roles.indexOf("owner")];
  if (successor === undefined) return;
  const item = await request<Item>(successor, "GET", `/app/items/${id}`);
  counts.lostSamples += Math.max(0, samples - Math.round(item.durationSec * 16_000));
}

const listTempFolders = (dataDir: string): string[] =>
  readdirSync(join(dataDir, "tmp")).filter((name) => !name.endsWith(".lock"));

/** Opens a library of each earlier schema version. */
async function openOldFolders(
  dir: string,
  { isShort }: EndureContext,
  counts: Counts,
): Promise<void> {
  for (let schema = isShort ? migrations.length - 1 : 1; schema < migrations.length; schema += 1) {
    const dataDir = join(dir, `schema-${schema}`);
    mkdirSync(join(dataDir, "library"), { recursive: true });
    const old = new (loadSqlite().DatabaseSync)(libraryPath(dataDir));
    for (const step of migrations.slice(0, schema)) old.exec(step);
    old.exec(
      `PRAGMA user_version = ${schema}; PRAGMA journal_mode = WAL;
       INSERT INTO settings VALUES ('preferences', '{"theme":"dark"}')`,
    );
    if (schema >= 2) {
      const insert = old.prepare(
        `INSERT INTO items (id, kind, title, source, created_at_ms, changed_at_ms, duration_sec, size_bytes,
           state, progress, is_partial, language, channels, tags, has_media)
         VALUES (?, 'transcript', 'old', 'file', 1, 1, 0, 0, 'done', 1, 0, '', '[]', '[]', 0)`,
      );
      for (let at = 0; at < 20; at += 1) insert.run(at.toString(16).padStart(16, "0"));
    }
    old.close();
    const app = await startOwner(dataDir);
    try {
      const { theme } = await request<{ theme: string }>(app, "GET", "/app/preferences");
      const { items } = await request<{ items: Item[] }>(app, "GET", "/app/items");
      counts.lostOldRows += (theme === "dark" ? 0 : 1) + (schema >= 2 ? 20 - items.length : 0);
    } finally {
      app.child.kill("SIGTERM");
      await app.ended;
    }
  }
}

const copyItemCount = 120;
const copyKeyCount = 100;
const pageBytes = 4096;

/** Damage that a failing disk or a power failure causes. */
const damageKinds = {
  "random pages": (path: string, random: () => number) =>
    overwritePages(path, random, () =>
      Buffer.from(Array.from({ length: pageBytes }, () => Math.floor(random() * 256))),
    ),
  "empty pages": (path: string, random: () => number) =>
    overwritePages(path, random, () => Buffer.alloc(pageBytes)),
  "misdirected pages": (path: string, random: () => number) =>
    overwritePages(path, random, (page) => page(random())),
  "cut to nothing": (path: string) => truncateSync(path, 0),
  missing: (path: string) => rmSync(path),
  "a damaged log": damageLog,
} as const satisfies Record<string, (path: string, random: () => number) => void>;

/** Like the library of a killed app: its last changes are only in the write-ahead log. */
function damageLog(path: string, random: () => number): void {
  const { sqlite, change, close } = openDatabase(path);
  for (let count = 0; count < 50; count += 1)
    change(() =>
      sqlite.exec(
        `INSERT OR REPLACE INTO settings VALUES ('change ${count}', hex(randomblob(100)))`,
      ),
    );
  const [file, log] = [path, `${path}-wal`].map((filePath) => readFileSync(filePath)) as [
    Buffer,
    Buffer,
  ];
  close();
  const at = Math.floor(random() * log.length);
  log.fill(0xa5, at, Math.min(log.length, at + 2 * pageBytes));
  writeFileSync(path, file);
  writeFileSync(`${path}-wal`, log);
}

/** The content of the backup copy must be available after the first start. */
async function damageLibraries(
  dir: string,
  { random, isShort }: EndureContext,
  counts: Counts,
): Promise<void> {
  const template = join(dir, "template");
  await fillWithCopy(template);
  const kinds = Object.values(damageKinds);
  for (let at = 0; at < (isShort ? 2 : 12) * kinds.length; at += 1) {
    const dataDir = join(dir, `${at}`);
    cpSync(template, dataDir, { recursive: true });
    const damage = kinds[at % kinds.length] as (path: string, random: () => number) => void;
    damage(libraryPath(dataDir), random);
    await openDamaged(dataDir, counts);
    if (at < (isShort ? 1 : kinds.length)) {
      damage(libraryPath(dataDir), random);
      await serveDamaged(dataDir, counts);
    }
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
  if (!isShort) await damageLargeLibraries(template, join(dir, "large"), random, counts);
}

async function fillWithCopy(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  const { database, path, close } = openLibrary({
    dataDir,
    isOwner: true,
    launchChild: createNodePlatform(dataDir).launchChild,
    log: quietLog,
  });
  const items = createItems(database, { dataDir });
  const keys = await createApiKeys({ dataDir, database });
  database.change(() => {
    for (let item = 0; item < copyItemCount; item += 1)
      items.create({ kind: "transcript", title: `item ${item}`, source: "file", state: "done" });
    for (let at = 0; at < copyKeyCount; at += 1)
      keys.create({ name: `key ${at}`, budgetCountsLocal: false });
  });
  writeBackup(path, backupPath(dataDir, Date.now()));
  close();
}

/** A library too large to be checked at each start. */
async function damageLargeLibraries(
  template: string,
  dir: string,
  random: () => number,
  counts: Counts,
): Promise<void> {
  for (const table of ["settings", "channels", "api_keys", "items"]) {
    const dataDir = join(dir, table);
    cpSync(template, dataDir, { recursive: true });
    const path = libraryPath(dataDir);
    const large = new (loadSqlite().DatabaseSync)(path);
    // The freed pages stay in the file.
    large.exec(
      `INSERT INTO usage (at_ms, model) VALUES (1, zeroblob(70000000));
       DELETE FROM usage;
       PRAGMA wal_checkpoint(TRUNCATE)`,
    );
    const root = Number(
      large.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table)?.["rootpage"],
    );
    large.close();
    const file = openSync(path, "r+");
    writeSync(
      file,
      Buffer.from(Array.from({ length: pageBytes }, () => Math.floor(random() * 256))),
      0,
      pageBytes,
      (root - 1) * pageBytes,
    );
    closeSync(file);
    await openDamaged(dataDir, counts);
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function openDamaged(dataDir: string, counts: Counts): Promise<void> {
  counts.damaged += 1;
  try {
    const { database, health, close } = openLibrary({
      dataDir,
      isOwner: true,
      launchChild: createNodePlatform(dataDir).launchChild,
      log: quietLog,
    });
    try {
      if (health() !== "ok") counts.notServed += 1;
      counts.lostItems += copyItemCount - createItems(database, { dataDir }).list().length;
      counts.lostKeys += copyKeyCount - (await createApiKeys({ dataDir, database })).list().length;
    } finally {
      close();
    }
  } catch {
    counts.notServed += 1;
  }
}

/** Starts the whole app and uses the owner's key. */
async function serveDamaged(dataDir: string, counts: Counts): Promise<void> {
  counts.damaged += 1;
  const app = startApp(dataDir, ["serve", "--headless"]);
  try {
    if ((await app.role) !== "owner") throw new Error(app.output());
    await request(app, "GET", "/v1/models");
    const { items } = await request<{ items: Item[] }>(app, "GET", "/app/items");
    counts.lostItems += copyItemCount - items.length;
  } catch {
    counts.notServed += 1;
  } finally {
    app.child.kill("SIGTERM");
    await app.ended;
  }
}

/** @param content bytes of a page; `page` selects a page by its relative position in the file, from 0 to 1 */
function overwritePages(
  path: string,
  random: () => number,
  content: (page: (fraction: number) => Buffer) => Buffer,
): void {
  const bytes = readFileSync(path);
  const pages = Math.floor(bytes.length / pageBytes);
  const at = (fraction: number): number => Math.floor(fraction * pages) * pageBytes;
  const file = openSync(path, "r+");
  for (let count = 1 + Math.floor(random() * 3); count > 0; count -= 1) {
    writeSync(
      file,
      content((fraction) => bytes.subarray(at(fraction), at(fraction) + pageBytes)),
      0,
      pageBytes,
      at(random()),
    );
  }
  closeSync(file);
}

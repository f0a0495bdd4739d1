// Real storage failures, as far as this machine permits: a small disk that is filled (or a limited file size), a folder
// that becomes read-only, another program that locks the library, a process with few open files.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, rmSync, writeSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { rendezvousName } from "../../../main/instance/messages.ts";
import type { Row } from "../../support/report.ts";
import { shellEnv } from "../../support/command-line.ts";
import type { EndureContext } from "../part.ts";
import { type AppProcess, startAppProcess } from "./app-process.ts";
import { runSession } from "./session.ts";

const execute = promisify(execFile);
const key = "hs-endurance-real";
const appModule = join(import.meta.dirname, "faulty-app.ts");

type Case = {
  name: string;
  prepare(
    dataDir: string,
  ): Promise<{ command?: string; args?: readonly string[]; end(): Promise<void> }>;
  disturb(app: AppProcess, dataDir: string, context: EndureContext): Promise<Row[]>;
};

/** @returns rows without a value for cases that this machine does not permit */
export async function realCases(context: EndureContext): Promise<Row[]> {
  const rows: Row[] = [];
  const skippedCases = new Set<Case>();
  const runAndCollect = async (testCase: Case): Promise<void> => {
    try {
      rows.push(...(await runCase(testCase, context)));
    } catch (error) {
      if (!(error instanceof NotSupported)) throw error;
      skippedCases.add(testCase);
      rows.push({
        area: testCase.name,
        what: "ends of the process",
        value: undefined,
        unit: "",
        goal: { max: 0 },
        note: `not run: ${error.message}`,
      });
    }
  };
  for (const testCase of context.isShort
    ? [busyLibrary, startOnFullDisk]
    : [smallDisk, startOnFullDisk, readOnlyFolder, busyLibrary, limitedOpenFiles])
    await runAndCollect(testCase);
  if (skippedCases.has(smallDisk)) await runAndCollect(limitedFileSize);
  return rows;
}

class NotSupported extends Error {}

async function runCase(testCase: Case, context: EndureContext): Promise<Row[]> {
  const dataDir = join(context.scratchDir, testCase.name.replaceAll(" ", "-"));
  const folder = join(context.scratchDir, "no-faults");
  await Promise.all([dataDir, folder].map((path) => mkdir(path, { recursive: true })));
  const { command = process.execPath, args = [], end } = await testCase.prepare(dataDir);
  try {
    const app = await startAppProcess(
      command,
      [...args, appModule, dataDir, key],
      { ...shellEnv(dataDir), TMPDIR: folder },
      key,
    );
    try {
      const rows = await testCase.disturb(app, dataDir, context);
      const isAlive = app.isAlive();
      if (!isAlive) context.log(app.stderr().slice(-3000));
      for (const odd of app.unexpectedResponses) context.log(`${testCase.name}: ${odd}`);
      return [
        {
          area: testCase.name,
          what: "ends of the process",
          value: isAlive ? 0 : 1,
          unit: "",
          goal: { max: 0 },
        },
        {
          area: testCase.name,
          what: "answers other than success, 503 and 507",
          value: app.unexpectedResponses.length,
          unit: "",
          goal: { max: 0 },
        },
        ...rows,
      ];
    } finally {
      await app.close();
    }
  } finally {
    await end();
  }
}

/** Runs the session. @returns what is missing at its end */
const session = (app: AppProcess): Promise<string[]> =>
  runSession(app).catch((error: unknown) => [(error as Error).message]);

function missingRow(area: string, missing: readonly string[], { log }: EndureContext): Row {
  for (const what of missing) log(`${area}: missing: ${what}`);
  return {
    area,
    what: "acknowledged and missing, or not gone on with",
    value: missing.length,
    unit: "",
    goal: { max: 0 },
    ...(missing[0] === undefined ? {} : { note: missing[0].slice(0, 100) }),
  };
}

/** @returns a function that unmounts it */
async function mountSmallDisk(dataDir: string): Promise<() => Promise<void>> {
  if (process.platform !== "linux") throw new NotSupported("mounts a small disk on Linux only");
  await execute("mount", ["-t", "tmpfs", "-o", "size=16m", "hearsay-endure", dataDir]).catch(() => {
    throw new NotSupported("this machine lets no disk be mounted");
  });
  return async () => void (await execute("umount", ["-l", dataDir]).catch(() => {}));
}

const fillerPath = (dataDir: string): string => join(dataDir, "filler");

const smallDisk: Case = {
  name: "disk of 16 MB, filled",
  prepare: async (dataDir) => ({ end: await mountSmallDisk(dataDir) }),
  async disturb(app, dataDir, context) {
    const filler = fillerPath(dataDir);
    return disturbRepeatedly(smallDisk.name, "times the disk was full", app, context, () => {
      fillDisk(filler);
      return () => rmSync(filler, { force: true });
    });
  },
};

const existingTitle = "Kept from before";
/** Time limit after disk space is available again. */
const rendezvousTimeoutMs = 10_000;

/** Starts an app while the disk is full; it ran before on the same folder. */
const startOnFullDisk: Case = {
  name: "start on a full disk",
  async prepare(dataDir) {
    const end = await mountSmallDisk(dataDir);
    try {
      const earlierApp = await startAppProcess(
        process.execPath,
        [appModule, dataDir, key],
        shellEnv(dataDir),
        key,
      );
      await earlierApp
        .requestWithRetry("POST", "/app/narrations", {
          title: existingTitle,
          script: "One sentence.",
        })
        .finally(earlierApp.close);
      fillDisk(fillerPath(dataDir));
    } catch (error) {
      await end();
      throw error;
    }
    return { end };
  },
  async disturb(app, dataDir, context) {
    const row = (what: string, isCorrect: boolean): Row => ({
      area: startOnFullDisk.name,
      what,
      value: isCorrect ? 0 : 1,
      unit: "",
      goal: { max: 0 },
    });
    const served = (
      await Promise.all(
        ["/health", "/v1/models", "/v1/audio/voices"].map((path) => app.request("GET", path)),
      )
    ).every(({ status }) => status === 200);
    const { status } = await app.request("POST", "/app/narrations", {
      title: "Refused",
      script: "One sentence.",
    });
    rmSync(fillerPath(dataDir));
    const { items } = (await app.requestWithRetry("GET", "/app/items")).body as {
      items: { id: string; title: string }[];
    };
    const existingItem = items.find(({ title }) => title === existingTitle);
    // Removed, because the session counts all items.
    if (existingItem !== undefined)
      await app.requestWithRetry("DELETE", `/app/items/${existingItem.id}`);
    const missing = context.isShort ? [] : await session(app);
    for (
      const deadlineMs = performance.now() + rendezvousTimeoutMs;
      !existsSync(join(dataDir, rendezvousName)) && performance.now() < deadlineMs;
    )
      await pause(100);
    return [
      row("requests that need no disk refused", served),
      row("changes taken while it is full", status === 503 || status === 507),
      row("items of before missing once there is room", existingItem !== undefined),
      row(
        "starts that do not find it once there is room",
        existsSync(join(dataDir, rendezvousName)),
      ),
      missingRow(startOnFullDisk.name, missing, context),
    ];
  },
};

const disturbMs = 2_000;
const disturbLimitMs = 60_000;

/** Runs a session. Meanwhile calls `begin` every few seconds, and the function it returns two seconds later. */
async function disturbRepeatedly(
  area: string,
  what: string,
  app: AppProcess,
  context: EndureContext,
  begin: () => (() => unknown) | Promise<() => unknown>,
): Promise<Row[]> {
  const finished = new AbortController();
  const sessionResult = session(app).finally(() => finished.abort());
  let times = 0;
  for (
    const endMs = performance.now() + disturbLimitMs;
    !finished.signal.aborted && performance.now() < endMs;
    times += 1
  ) {
    await pause(1_000 + context.random() * 1_000);
    const end = await begin();
    await pause(disturbMs);
    await end();
  }
  return [
    missingRow(area, await sessionResult, context),
    { area, what, value: times, unit: "", goal: { min: 1 } },
  ];
}

/**
 * A read-only bind mount of the folder over itself: open files stay writable, but no file can be opened for writing or
 * created.
 */
const readOnlyFolder: Case = {
  name: "data folder mounted read-only",
  async prepare(dataDir) {
    if (process.platform !== "linux") throw new NotSupported("mounts folders on Linux only");
    const unmount = await mountReadOnly(dataDir).catch(() => {
      throw new NotSupported("this machine lets no folder be mounted");
    });
    await unmount();
    return { end: async () => {} };
  },
  disturb: (app, dataDir, context) =>
    disturbRepeatedly(readOnlyFolder.name, "times it was read-only", app, context, () =>
      mountReadOnly(dataDir),
    ),
};

async function mountReadOnly(dir: string): Promise<() => Promise<unknown>> {
  const unmount = () => execute("umount", ["-l", dir]);
  for (let attempt = 1; ; attempt += 1) {
    await execute("mount", ["--bind", dir, dir]);
    try {
      await execute("mount", ["-o", "remount,ro,bind", dir]);
      return unmount;
    } catch (error) {
      await unmount();
      // The app may have opened a file for writing between the two commands.
      if (attempt === maxMounts) throw error;
      await pause(50);
    }
  }
}

const maxMounts = 20;

/** The signal at the limit is ignored, so writes fail as on a full disk. */
const limitedFileSize: Case = {
  name: "process of files of 16 KB",
  async prepare() {
    if (process.platform !== "linux")
      throw new NotSupported("limits the files of a running process on Linux only");
    await execute("prlimit", ["--version"]).catch(() => {
      throw new NotSupported("there is no prlimit");
    });
    return {
      command: "/bin/sh",
      args: ["-c", `trap '' XFSZ && exec "$0" "$@"`, process.execPath],
      end: async () => {},
    };
  },
  disturb: (app, _, context) => {
    const limit = (bytes: string) =>
      execute("prlimit", ["--pid", String(app.child.pid), `--fsize=${bytes}:unlimited`]);
    return disturbRepeatedly(
      limitedFileSize.name,
      "times files were limited",
      app,
      context,
      async () => {
        await limit("16384");
        return () => limit("unlimited");
      },
    );
  },
};

function fillDisk(path: string): void {
  const file = openSync(path, "w");
  try {
    for (const block = Buffer.alloc(4096, 1); ;) writeSync(file, block);
  } catch {
    // Expected: the disk is full now.
  } finally {
    closeSync(file);
  }
}

const lockHoldMs = { full: 60_000, short: 3_000 };
const lockHolderScript = `
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(process.argv[1], { timeout: 30000 });
  database.exec('BEGIN IMMEDIATE');
  process.send('held');
  process.on('message', () => { database.exec('COMMIT'); process.exit(0); });`;

const busyLibrary: Case = {
  name: "library held by a backup",
  prepare: async () => ({ end: async () => {} }),
  async disturb(app, dataDir, context) {
    const [holdMs, stop] = [
      context.isShort ? lockHoldMs.short : lockHoldMs.full,
      new AbortController(),
    ];
    const sessionResult = context.isShort ? createOneNarration(app) : session(app);
    await pause(context.isShort ? 0 : 2_000);
    const other = spawn(
      process.execPath,
      ["--input-type=module", "-e", lockHolderScript, join(dataDir, "hearsay.sqlite")],
      { stdio: ["ignore", "ignore", "ignore", "ipc"] },
    );
    await once(other, "message");
    const healthWatch = watchHealth(app, stop.signal);
    await pause(holdMs);
    other.send("enough");
    await once(other, "exit");
    stop.abort();
    const { slowestMs, requestCount } = await healthWatch;
    const missing = await sessionResult;
    return [
      missingRow(busyLibrary.name, missing, context),
      {
        area: busyLibrary.name,
        what: "longest answer of /health meanwhile",
        value: slowestMs,
        unit: "ms",
        goal: { max: context.isShort ? 2_500 : 500 },
        note: `${requestCount} requests, one every 50 ms`,
      },
    ];
  },
};

/** Creates one narration, and nothing else. */
async function createOneNarration(app: AppProcess): Promise<string[]> {
  const created = await app
    .requestWithRetry("POST", "/app/narrations", { title: "Held", script: "One sentence." })
    .catch((error: unknown) => (error as Error).message);
  if (typeof created === "string") return [created];
  const { id } = created.body as { id: string };
  const { items } = (await app.requestWithRetry("GET", "/app/items")).body as {
    items: { id: string }[];
  };
  return items.some((item) => item.id === id) ? [] : ["the narration"];
}

async function watchHealth(
  app: AppProcess,
  signal: AbortSignal,
): Promise<{ slowestMs: number; requestCount: number }> {
  let slowestMs = 0;
  let requestCount = 0;
  for (; !signal.aborted; requestCount += 1) {
    const startMs = performance.now();
    const { status } = await app.request("GET", "/health");
    slowestMs = Math.max(slowestMs, status === 200 ? performance.now() - startMs : Infinity);
    await pause(50);
  }
  return { slowestMs, requestCount };
}

/** What an idle app needs, and a small margin. */
const maxOpenFiles = 96;

const limitedOpenFiles: Case = {
  name: "process of 96 open files",
  async prepare() {
    if (process.platform === "win32") throw new NotSupported("Windows has no limit on open files");
    return {
      command: "/bin/sh",
      args: ["-c", `ulimit -n ${maxOpenFiles} && exec "$0" "$@"`, process.execPath],
      end: async () => {},
    };
  },
  disturb: (app, _, context) =>
    disturbRepeatedly(limitedOpenFiles.name, "times no file was left", app, context, () => {
      const sockets = Array.from({ length: 2 * maxOpenFiles }, () =>
        openSocket(new URL(app.origin)),
      );
      return () => sockets.forEach((socket) => socket.destroy());
    }),
};

function openSocket({ hostname, port }: URL): Socket {
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  return socket;
}

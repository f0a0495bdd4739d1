// `hearsay serve` from start to end: the printed commands work when pasted, and every way of ending it ends its child
// processes.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { sniffContainer } from "../../main/audio/codec/formats.ts";
import type { Item } from "../../main/contract/library-item.ts";
import { isAlive } from "../support/app.ts";
import {
  waitUntilExited,
  waitForExit,
  processTree,
  hearsay,
  waitForResult,
  shellEnv,
  start as startCommand,
  waitUntil,
} from "../support/command-line.ts";
import { tenSentences } from "../support/english-texts.ts";
import {
  openTestFolder,
  openFolder,
  normalizeWords,
  audioDurationSec,
  writeAudioFile,
  synthesizeSamples,
} from "../support/test-data.ts";

const folder = await openFolder();
const hasCurl = spawnSync("curl", ["--version"]).status === 0;
const hasSignals = process.platform !== "win32";
/** Whether the machine's Node has to start a newer one (see main/cli/hearsay.mjs). */
const launches =
  spawnSync("node", ["--version"], { env: shellEnv(folder.path), encoding: "utf8" }).stdout <
  `v${process.versions.node.split(".")[0]}`;
let long: string;

beforeAll(async () => {
  const story = await synthesizeSamples(tenSentences);
  const minutes = new Float32Array(story.length * 8);
  for (let time = 0; time < 8; time += 1) minutes.set(story, time * story.length);
  long = await writeAudioFile(join(folder.path, "long.mp3"), minutes);
});
afterAll(() => folder.remove());

type Served = {
  child: ChildProcess;
  greeting: string;
  baseUrl: string;
  key: string;
  warnings(): string;
  pids(): number[];
};

let servers = 0;
async function serve({
  args = [],
  env = {},
  dataDir,
}: { args?: string[]; env?: NodeJS.ProcessEnv; dataDir?: string } = {}): Promise<Served> {
  servers += 1;
  const child = startCommand(["serve", ...args], {
    dataDir: dataDir ?? join(folder.path, `data ${servers} é ש 日本`),
    env: { HEARSAY_PORT: "0", HEARSAY_WORKERS: "2", ...env },
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await waitUntilExited(processTree(child.pid ?? 0).slice(1));
  });
  let greeting = "";
  let warnings = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (greeting += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (warnings += text));
  await waitUntil(() => greeting.includes("Ctrl-C stops it.") || child.exitCode !== null);
  const baseUrl = /Base URL\s+(\S+)/.exec(greeting)?.[1] ?? "";
  const keyFile = /API key\s+in the file (.+)/.exec(greeting)?.[1];
  const given = {
    HEARSAY_API_KEY: env["HEARSAY_API_KEY"],
    "--api-key": args[args.indexOf("--api-key") + 1],
  }[/API key\s+as given by (\S+)/.exec(greeting)?.[1] ?? ""];
  const key = keyFile === undefined ? (given ?? "") : (await readFile(keyFile, "utf8")).trim();
  return {
    child,
    greeting,
    baseUrl,
    key,
    warnings: () => warnings,
    pids: () => processTree(child.pid ?? 0),
  };
}

const authorization = (key: string) => ({ authorization: `Bearer ${key}` });

async function transcribe({ baseUrl, key }: Served, path: string): Promise<Response> {
  const form = new FormData();
  form.append("model", "whisper-1");
  form.append("file", new Blob([await readFile(path)]), "recording.mp3");
  return fetch(`${baseUrl}/audio/transcriptions`, {
    method: "POST",
    headers: authorization(key),
    body: form,
  });
}

const ask = (served: Served, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(new URL(path, served.baseUrl), { ...init, headers: authorization(served.key) });

/** A quarter of a second, as the window sends it: what is not confirmed is never a second. */
const sawtooth = (from: number) =>
  new Uint8Array(Int16Array.from({ length: 4000 }, (_, i) => ((from + i) % 2000) - 1000).buffer);

/** Engines also end by themselves when their server is gone. */
function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has exited.
  }
}

/** Waits for both engine processes, the server and, where a newer Node was started, the launcher. */
const atWork = (served: Served) => waitUntil(() => served.pids().length >= (launches ? 4 : 3));

/** Runs a line of the greeting in a shell, in the folder with the recording. */
async function paste(line: string): Promise<{ stdout: string; stderr: string }> {
  const child = spawn("bash", ["-c", line], {
    cwd: folder.path,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { code, stdout, stderr } = await waitForResult(child);
  expect(code).toBe(0);
  return { stdout, stderr };
}

describe("the greeting", () => {
  it.skipIf(!hasCurl || !hasSignals)(
    "has two commands that work when pasted (needs curl)",
    async () => {
      const { greeting } = await serve();
      const lines = greeting.split("\n").filter((line) => line.trim().startsWith("curl "));
      expect(lines).toHaveLength(2);
      await paste(lines[0] as string);
      expect(sniffContainer(await readFile(join(folder.path, "hello.mp3")))).toBe("mp3");
      expect(audioDurationSec(join(folder.path, "hello.mp3"))).toBeGreaterThan(0.8);
      const pasted = await paste(lines[1] as string);
      expect(normalizeWords((JSON.parse(pasted.stdout) as { text: string }).text)).toContain(
        "hello from",
      );
    },
  );

  it("shows the right base URL, key file and API page, and keeps the key out of logs", async () => {
    const { baseUrl, key, greeting, warnings } = await serve();
    expect(key).toMatch(/^hs-/);
    expect(greeting + warnings()).not.toContain(key);
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect((await fetch(`${baseUrl}/models`, { headers: authorization(key) })).status).toBe(200);
    expect((await fetch(`${baseUrl}/models`, { headers: authorization("wrong") })).status).toBe(
      401,
    );
    const page = /API page\s+(\S+)/.exec(greeting)?.[1] ?? "";
    expect((await fetch(page)).headers.get("content-type")).toContain("text/html");
  });

  it("shows the port in use when the requested one is taken", async () => {
    const other = createServer();
    await new Promise<void>((listening) => other.listen(0, "127.0.0.1", listening));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const served = await serve({ env: { HEARSAY_PORT: String(port) } });
    const taken = Number(new URL(served.baseUrl).port);
    expect(taken).toBeGreaterThan(port);
    expect(served.warnings()).toBe(
      `hearsay: Port ${port} is in use: listening on ${taken} instead.\n`,
    );
    expect(served.greeting).toContain(`port ${port} is in use`);
    expect(
      (await fetch(`${served.baseUrl}/models`, { headers: authorization(served.key) })).status,
    ).toBe(200);
  });
});

describe("an address", () => {
  it("that stands for all interfaces is shown as the local one and as those for other machines", async () => {
    const { baseUrl, key, greeting } = await serve({ env: { HEARSAY_HOST: "0.0.0.0" } });
    const { hostname, port } = new URL(baseUrl);
    expect(hostname).toBe("127.0.0.1");
    expect(greeting).not.toContain("0.0.0.0");
    const others = Object.values(networkInterfaces()).flatMap((addresses = []) =>
      addresses.filter(({ family: kind, internal }) => kind === "IPv4" && !internal),
    );
    for (const { address } of others)
      expect(greeting).toMatch(new RegExp(`from other machines: .*http://${address}:${port}/v1`));
    expect((await fetch(`${baseUrl}/models`, { headers: authorization(key) })).status).toBe(200);
  });

  it("of another machine is refused in one sentence", async () => {
    const served = await serve({ args: ["--host", "192.0.2.1"] });
    expect(await waitForExit(served.child)).toBe(1);
    expect(served.warnings()).toBe(
      "hearsay: cannot listen on 192.0.2.1: this machine has no such address\n",
    );
  });
});

describe("settings", () => {
  it("with an unknown voice are refused with a list of the voices", async () => {
    const served = await serve({ args: ["--voice-aliases", "marin:bob"] });
    expect(await waitForExit(served.child)).toBe(2);
    for (const word of ["marin", "bob", "shimmer"]) expect(served.warnings()).toContain(word);
  });

  it("come from the environment", async () => {
    const dataDir = join(folder.path, "from the environment");
    await mkdir(dataDir);
    const { baseUrl, key, warnings } = await serve({
      dataDir,
      env: { HEARSAY_HOST: "localhost", HEARSAY_API_KEY: "hs-given" },
    });
    expect(new URL(baseUrl).hostname).toBe("localhost");
    expect(key).toBe("hs-given");
    expect((await fetch(`${baseUrl}/models`, { headers: authorization(key) })).status).toBe(200);
    expect(await readdir(dataDir)).not.toContain("api-key");
    await waitUntil(() => warnings().includes("The API key is short"));
  });

  it("with a short key refuse to serve other machines", async () => {
    const { child, warnings, greeting } = await serve({
      env: { HEARSAY_HOST: "0.0.0.0", HEARSAY_API_KEY: "fifteen-letters" },
    });
    expect(await waitForExit(child)).toBe(1);
    expect([greeting, warnings()]).toEqual([
      "",
      expect.stringContaining("The API key is too short to serve other machines"),
    ]);
  });

  it("from flags take precedence over the environment", async () => {
    const dataDir = join(folder.path, "from flags");
    const { key, baseUrl, warnings } = await serve({
      args: ["--port", "0", "--host", "127.0.0.1", "--data-dir", dataDir, "--api-key", "hs-flag"],
      env: { HEARSAY_PORT: "1", HEARSAY_API_KEY: "hs-variable" },
    });
    expect(key).toBe("hs-flag");
    expect((await fetch(`${baseUrl}/models`, { headers: authorization(key) })).status).toBe(200);
    expect(warnings()).toContain("--api-key is visible to every user of this machine");
    expect(await readdir(dataDir)).toContain("tmp");
  });

  it("keep the key across starts", async () => {
    const dataDir = join(folder.path, "kept");
    const first = await serve({ dataDir });
    const pids = first.pids();
    first.child.kill("SIGKILL");
    // As long as one of these processes owns the folder, a second start would hand over to it.
    await waitUntilExited(pids);
    const second = await serve({ dataDir });
    expect(first.key).toMatch(/^hs-/);
    expect(second.key).toBe(first.key);
  });
});

describe.runIf(hasSignals)("ending the server", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "takes at most two seconds after %s, with all engines, during a transcription",
    async (signal) => {
      const served = await serve();
      const answer = transcribe(served, long).catch((error: unknown) => error);
      await atWork(served);
      const pids = served.pids();
      const begun = performance.now();
      served.child.kill(signal);
      expect(await waitForExit(served.child)).toBe(0);
      expect(performance.now() - begun).toBeLessThan(2000);
      await waitUntilExited(pids);
      await answer;
      expect(await readdir(join(folder.path, `data ${servers} é ש 日本`, "tmp"))).toEqual([]);
      expect(served.warnings()).not.toContain("unexpectedly");
    },
  );

  it("loses nothing of a recording that it has confirmed when it is killed in the middle", async () => {
    const dataDir = join(folder.path, "killed while recording");
    const first = await serve({ dataDir });
    const begun = await ask(first, "/app/recordings?title=Call", { method: "POST" });
    const { id } = (await begun.json()) as Item;
    let confirmed = 0;
    const recording = (async () => {
      for (;;) {
        const path = `/app/recordings/${id}/sound?from=${confirmed}`;
        const answer = await ask(first, path, { method: "POST", body: sawtooth(confirmed) });
        ({ samples: confirmed } = (await answer.json()) as { samples: number });
      }
    })().catch((error: unknown) => error);
    await waitUntil(() => confirmed >= 40_000);
    const pids = first.pids();
    for (const pid of pids) killIfAlive(pid);
    expect(await recording).toBeInstanceOf(Error);
    await waitUntilExited(pids);
    const second = await serve({ dataDir });
    const readItem = async () => (await (await ask(second, `/app/items/${id}`)).json()) as Item;
    await waitUntil(async () => (await readItem()).state === "done");
    expect((await readItem()).durationSec).toBeGreaterThanOrEqual(confirmed / 16_000);
    const media = await (await ask(second, `/app/items/${id}/media`)).arrayBuffer();
    const stored = Buffer.from(media, 44, confirmed * 2);
    for (let from = 0; from < confirmed; from += 4000)
      expect(stored.subarray(from * 2, (from + 4000) * 2).equals(sawtooth(from))).toBe(true);
  });

  it("ends the engines when the server process is killed", async () => {
    const served = await serve();
    const answer = transcribe(served, long).catch((error: unknown) => error);
    await atWork(served);
    const pids = served.pids();
    process.kill(pids[0] ?? 0, "SIGKILL");
    await waitUntilExited(pids);
    expect(pids.filter(isAlive)).toEqual([]);
    await answer;
  });

  // npm starts the program through a shell. The shell dies of signals that npm forwards, and outlives an npm that is
  // killed.
  it.each([
    ["SIGTERM", 1],
    ["SIGHUP", 1],
    ["SIGKILL", 1],
    ["SIGKILL", 0],
  ] as const)(
    "takes at most two seconds after %s to process %i of npm's process chain",
    async (signal, at) => {
      const dataDir = await openTestFolder();
      const env = shellEnv(dataDir, {
        HEARSAY: hearsay,
        HEARSAY_PORT: "0",
        npm_lifecycle_script: "node main/cli/hearsay.mjs serve",
      });
      const npm = spawn("sh", ["-c", `sh -c 'node "$HEARSAY" serve; true'; true`], {
        env,
        stdio: ["ignore", "pipe", "ignore"],
        detached: true,
      });
      onTestFinished(async () => {
        const left = processTree(npm.pid ?? 0);
        for (const pid of left.filter(isAlive)) process.kill(pid, "SIGKILL");
        await waitUntilExited(left.slice(1));
      });
      let greeting = "";
      npm.stdout.setEncoding("utf8").on("data", (text: string) => (greeting += text));
      await waitUntil(() => greeting.includes("Ctrl-C stops it."));
      const pids = processTree(npm.pid ?? 0);
      expect(pids.length).toBeGreaterThanOrEqual(3);
      const begun = performance.now();
      process.kill(pids[at] ?? 0, signal);
      // stdout stays open while one of the processes lives. Their pids may stay visible longer, until init reaps them.
      await once(npm.stdout, "close");
      expect(performance.now() - begun).toBeLessThan(2000);
      await waitUntilExited(pids.slice(at));
      expect(await readdir(join(dataDir, "tmp"))).toEqual([]);
    },
  );

  it("a start removes the temporary files of a killed server", async () => {
    const dataDir = join(folder.path, "swept");
    const served = await serve({ dataDir });
    const answer = transcribe(served, long).catch((error: unknown) => error);
    await atWork(served);
    const pids = served.pids();
    for (const pid of pids) process.kill(pid, "SIGKILL");
    await waitUntilExited(pids);
    await answer;
    const folders = async () =>
      (await readdir(join(dataDir, "tmp"))).filter((name) => !name.endsWith(".lock"));
    const left = await folders();
    expect(left).toHaveLength(1);
    await serve({ dataDir });
    const now = await folders();
    expect(now).toHaveLength(1);
    expect(now).not.toEqual(left);
  });
});

// Several starts and commands of Hearsay on one data folder: one process owns it, the others hand over their requests.

import { type ChildProcess, spawn } from "node:child_process";
import { copyFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../../main/app.ts";
import { createAppClient, toApp, toRunningApp } from "../../main/cli/app-client.ts";
import { createNodePlatform } from "../../main/cli/platform.ts";
import type { Item } from "../../main/contract/library-item.ts";
import { claimOrFind } from "../../main/instance/claim-or-hand-over.ts";
import { claimDataFolder, type Ownership } from "../../main/instance/ownership.ts";
import { readSettings } from "../../main/storage/settings/settings.ts";
import { neverAborted, quietLog } from "../support/app.ts";
import {
  waitUntilExited,
  processTree,
  hearsay,
  waitForResult,
  run,
  shellEnv,
  speakAtOnce,
  start,
  waitUntil,
} from "../support/command-line.ts";
import { networkNamespaceCommand, networkNamespaceUnavailable } from "../support/namespaces.ts";
import { startDesktop } from "../support/desktop.ts";
import { openTestFolder } from "../support/test-data.ts";
import { json, respondWith, startUpstream } from "../support/upstream.ts";

const clip = join(import.meta.dirname, "..", "..", "main", "channels", "config", "test-clip.mp3");
const key = "hs-key-of-the-test-owner";
const env = { HEARSAY_PORT: "0", HEARSAY_WORKERS: "1", HEARSAY_API_KEY: key };

type Owner = {
  child: ChildProcess;
  baseUrl: string;
  app<T>(method: string, path: string, body?: BodyInit): Promise<T>;
};

async function own(dataDir: string, args: readonly string[] = ["--headless"]): Promise<Owner> {
  const child = start(["serve", ...args], { dataDir, env });
  onTestFinished(async () => {
    const pids = processTree(child.pid ?? 0);
    child.kill("SIGTERM");
    await waitUntilExited(pids.slice(1));
  });
  let printed = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (printed += text));
  child.stderr?.resume();
  await waitUntil(() => printed.includes("Ctrl-C stops it.") || child.exitCode !== null);
  const baseUrl = /Base URL\s+(\S+)/.exec(printed)?.[1] ?? "";
  return {
    child,
    baseUrl,
    async app(method, path, body) {
      const response = await fetch(new URL(path, baseUrl), {
        method,
        headers: { authorization: `Bearer ${key}` },
        ...(body === undefined ? {} : { body }),
      });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as never;
    },
  };
}

/** Like `run`, but started through another command such as `unshare`. */
function runBehind(before: readonly string[], args: readonly string[], dataDir: string) {
  const [program = "", ...rest] = before;
  return waitForResult(
    spawn(program, [...rest, process.execPath, hearsay, ...args], {
      env: shellEnv(dataDir, env),
      stdio: ["pipe", "pipe", "pipe"],
    }),
  );
}

const second = new Uint8Array(32_000);
const record = async ({ app }: Owner, itemId: string, from: number) =>
  (await app<{ samples: number }>("POST", `/app/recordings/${itemId}/sound?from=${from}`, second))
    .samples;

it("a second start leaves a running recording to the owner, hands over its files and ends", async () => {
  const dataDir = await openTestFolder();
  const owner = await own(dataDir);
  const recording = await owner.app<Item>("POST", "/app/recordings");
  expect(await record(owner, recording.id, 0)).toBe(16_000);
  const path = join(await openTestFolder(), "talk.mp3");
  await copyFile(clip, path);

  const { code, stdout, stderr } = await run(["serve", path], { dataDir, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(`already running on this data folder: ${owner.baseUrl}`);
  expect(stdout).toMatch(/http:\/\/127\.0\.0\.1:\d+\/\S+/);
  const { items } = await owner.app<{ items: Item[] }>("GET", "/app/items");
  expect(items.map(({ title, source }) => [title, source])).toContainEqual(["talk", "file"]);

  // The recording continues where it was.
  expect(await record(owner, recording.id, 16_000)).toBe(32_000);
  expect((await owner.app<Item>("GET", `/app/items/${recording.id}`)).state).toBe("recording");
  expect((await owner.app<Item>("POST", `/app/recordings/${recording.id}/end`)).durationSec).toBe(
    2,
  );
});

const skipped = (why: string | undefined): string =>
  why === undefined ? "" : ` (skipped: ${why})`;

it.skipIf(networkNamespaceUnavailable !== undefined)(
  `a start ends with 1 in a container that cannot reach the owner${skipped(networkNamespaceUnavailable)}`,
  async () => {
    const dataDir = await openTestFolder();
    const owner = await own(dataDir);
    const recording = await owner.app<Item>("POST", "/app/recordings");
    await record(owner, recording.id, 0);
    const { code, stderr } = await runBehind(
      networkNamespaceCommand,
      ["serve", "--headless"],
      dataDir,
    );
    expect(code).toBe(1);
    expect(stderr).toContain("cannot be reached from here");
    expect(await record(owner, recording.id, 16_000)).toBe(32_000);
  },
);

it("commands ask the app that runs: a key works at once, and the engines of the app do the work", async () => {
  const dataDir = await openTestFolder();
  const owner = await own(dataDir);
  // Another key and port than those of the app: neither matters.
  const command = (...args: string[]) =>
    run(args, { dataDir, env: { HEARSAY_API_KEY: "hs-another-owner-key", HEARSAY_PORT: "1" } });
  const statusWith = async (secret: string) =>
    (await fetch(`${owner.baseUrl}/models`, { headers: { authorization: `Bearer ${secret}` } }))
      .status;

  const created = await command("keys", "create", "phone");
  expect(created.code).toBe(0);
  expect(await statusWith(created.stdout.trim())).toBe(200);
  expect((await command("keys", "list")).stdout).toContain("phone");
  expect(await command("keys", "revoke", "phone")).toMatchObject({ code: 0, stderr: "" });
  expect(await statusWith(created.stdout.trim())).toBe(401);
  expect(await command("keys", "revoke", "phone")).toMatchObject({
    code: 1,
    stderr: "hearsay: There is no API key 'phone'.\n",
  });

  const transcribed = await command("transcribe", clip, "--workers", "1");
  expect(transcribed.code).toBe(0);
  expect(transcribed.stdout.trim()).not.toBe("");
  expect(transcribed.stderr).toMatch(/^hearsay: --workers: ignored/);
  const inVain = { HEARSAY_WORKERS: "1", HEARSAY_CHANNEL_FAR_KEY: "sk-far" };
  const warned = await Promise.all(
    [["channels", "list"], ["phonemes"], ["usage"]].map((args) =>
      run(args, { dataDir, env: inVain, stdin: "Good morning." }),
    ),
  );
  expect(warned.map(({ stderr }) => stderr.match(/^hearsay: (.*): ignored.*$/m)?.[1])).toEqual([
    "HEARSAY_CHANNEL_FAR_KEY",
    "HEARSAY_WORKERS",
    undefined,
  ]);
  const output = await command(...speakAtOnce, "Good morning.", "--format", "wav");
  expect([output.code, output.bytes.subarray(0, 4).toString()]).toEqual([0, "RIFF"]);
  // The length in the header is known only at the end.
  const path = join(dataDir, "morning.wav");
  expect((await command(...speakAtOnce, "Good morning.", "-o", path)).code).toBe(0);
  const file = await readFile(path);
  expect(file.readUInt32LE(4)).toBe(file.length - 8);
  const usage = await owner.app<{ sums: { group: string; requests: number }[] }>(
    "GET",
    "/app/usage?by=key",
  );
  expect(usage.sums).toMatchObject([{ group: "command-line", requests: 3 }]);
  expect((await command("usage", "--by", "key")).stdout).toContain("command-line");

  const { id } = await owner.app<Item>("POST", "/app/recordings");
  await record(owner, id, 0);
  await owner.app("POST", `/app/recordings/${id}/end`);
  const archive = join(dataDir, "library.zip");
  expect(await command("library", "export", archive)).toMatchObject({ code: 0, stderr: "" });
  expect((await command("library", "import", archive)).stdout).toMatch(/^0 restored, 1 already/);
});

it("a command says so if the app ends before it has answered", async () => {
  const dataDir = await openTestFolder();
  const owner = await own(dataDir);
  const path = join(await openTestFolder(), "long.mp3");
  const text = "It was late, and nobody had come. ".repeat(400);
  const synthesis = start([...speakAtOnce, "--file", "-", "-o", path], { dataDir, env });
  const outcome = waitForResult(synthesis);
  synthesis.stdin?.end(text);
  await waitUntil(
    async () =>
      (await owner.app<{ engines: { processes: number } }>("GET", "/app/info")).engines.processes >
      0,
  );
  process.kill(-(owner.child.pid ?? 0), "SIGKILL");
  const { code, stderr } = await outcome;
  expect([code, stderr]).toEqual([1, expect.stringContaining("ended before it answered")]);
  expect(await readdir(join(path, ".."))).toEqual([]);
});

it("records the usage of a command that does not read its speech when the app closes", async () => {
  const upstream = await startUpstream();
  upstream.setBehaviour(json({ data: [{ id: "tts-1" }] }), "/models");
  // More than the connections buffer.
  const speech = respondWith(200, "audio/pcm", Buffer.alloc(2 ** 26));
  upstream.setBehaviour(speech, "/audio/speech");
  const dataDir = await openTestFolder();
  const settings = readSettings({ port: "0", workers: "1" }, {}, { dataDir });
  const open = (ownership?: Ownership) =>
    createApp(createNodePlatform(dataDir), settings, quietLog, { ownership });
  const ownership = claimDataFolder(dataDir);
  await ownership?.serve(async () => ({ refused: [] }));
  const app = await open(ownership);
  await app.start();
  const claim = await claimOrFind(dataDir, neverAborted());
  if (claim.type !== "answered") throw new Error(`no app was found: ${claim.type}`);
  const client = createAppClient(toRunningApp(claim.answer, neverAborted()));
  await client.call("addChannel", { name: "Far", prefix: "far", baseUrl: upstream.baseUrl });
  const fields = { model: "far/tts-1", voice: "nova", speed: 1, format: "pcm" } as const;
  await client.stream("speak", { ...fields, text: "Good morning." }).next();
  await app.close();

  const next = await open();
  const { sums } = await createAppClient(toApp(next.handle, neverAborted())).call("readUsage", {
    by: "channel",
  });
  await next.close();
  expect(sums).toMatchObject([{ group: "Far", requests: 1 }]);
});

it("commands without an app wait for each other, and lose no change", async () => {
  const dataDir = await openTestFolder();
  const names = ["a", "b", "c"];
  const created = await Promise.all(
    names.map((name) => run(["keys", "create", name], { dataDir })),
  );
  expect(created.map(({ code }) => code)).toEqual([0, 0, 0]);
  const { stdout } = await run(["keys", "list", "--json"], { dataDir });
  const { keys } = JSON.parse(stdout) as { keys: { name: string }[] };
  expect(keys.map(({ name }) => name).sort()).toEqual(names);
});

it("the desktop app hands over to an owner without a desktop, and opens its window in the browser", async () => {
  const dataDir = await openTestFolder();
  const owner = await own(dataDir);
  const desktop = await startDesktop({ args: [clip], dataDir });
  const { fake, BrowserWindow } = desktop.electron;
  expect({ exitCode: fake.exitCode, windows: BrowserWindow.all.size, errors: fake.errors }).toEqual(
    { exitCode: 0, windows: 0, errors: [] },
  );
  // Every user can see the arguments of processes: the browser gets a file instead of the address, which holds a code.
  expect(fake.openedUrls).toEqual([
    expect.stringMatching(/^file:\/\/.*\/hearsay-open-[\da-f]{16}\.html$/),
  ]);
  expect(await readFile(fileURLToPath(fake.openedUrls[0] ?? ""), "utf8")).toMatch(
    /url=http:\/\/127\.0\.0\.1:\d+\/\S+"/,
  );
  const { items } = await owner.app<{ items: Item[] }>("GET", "/app/items");
  expect(items.map(({ title }) => title)).toEqual(["test-clip"]);
});

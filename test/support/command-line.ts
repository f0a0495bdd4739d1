// Runs the command line as a user would: in its own process under the machine's Node, with a new data folder, and
// without the test runner's environment.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { delimiter, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { buffer, text } from "node:stream/consumers";
import { isAlive } from "./app.ts";

export const hearsay = resolve(import.meta.dirname, "..", "..", "main", "cli", "hearsay.mjs");

/** The command with the model that generates at once. */
export const speakAtOnce = ["speak", "--model", "tts-1"] as const;

/** A folder without Electron: tests must not open a window, even if Electron is installed. */
const noElectron = { ELECTRON_OVERRIDE_DIST_PATH: resolve(import.meta.dirname, "no-electron") };

/**
 * The environment of a user's shell, outside npm. NODE_COMPILE_CACHE stays, so that processes of tests share compiled
 * code (see vite.config.ts).
 */
export function shellEnv(dataDir: string, extraEnv: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const inheritedEnv = Object.entries(process.env).filter(
    ([name]) => !/^(HEARSAY_|npm_|NODE_(?!COMPILE_CACHE)|VITEST)/.test(name),
  );
  const path = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((part) => !part.includes("node_modules"))
    .join(delimiter);
  return {
    ...Object.fromEntries(inheritedEnv),
    PATH: path,
    HEARSAY_DATA_DIR: dataDir,
    ...noElectron,
    ...extraEnv,
  };
}

export type RunOptions = {
  dataDir: string;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  stdin?: string;
  /** Path of a Node; default: the first on the PATH. */
  node?: string;
};
export type ProcessResult = { code: number | null; bytes: Buffer; stdout: string; stderr: string };

export function start(
  args: readonly string[],
  { dataDir, cwd, env, node = "node" }: RunOptions,
): ChildProcess {
  return spawn(node, [hearsay, ...args], {
    env: shellEnv(dataDir, env),
    stdio: ["pipe", "pipe", "pipe"],
    ...(cwd === undefined ? {} : { cwd }),
    detached: process.platform !== "win32",
  });
}

export async function waitForResult(child: ChildProcess): Promise<ProcessResult> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("the process has no pipes");
  const [code, bytes, errors] = await Promise.all([
    waitForExit(child),
    buffer(stdout),
    text(stderr),
  ]);
  return { code, bytes, stdout: bytes.toString(), stderr: errors };
}

export function waitForExit(child: ChildProcess): Promise<number | null> {
  return new Promise((resolveExitCode) => {
    if (child.exitCode !== null || child.signalCode !== null) resolveExitCode(child.exitCode);
    else child.once("exit", (code) => resolveExitCode(code));
  });
}

export function run(args: readonly string[], options: RunOptions): Promise<ProcessResult> {
  const child = start(args, options);
  child.stdin?.end(options.stdin ?? "");
  return waitForResult(child);
}

/** Ids of a process and its descendants, from the system's process list. */
export function processTree(pid: number): number[] {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .trim()
    .split("\n");
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number)) as [number, number][];
  const pids = [pid];
  for (const one of pids)
    pids.push(...pairs.filter(([, parent]) => parent === one).map(([child]) => child));
  return pids;
}

/** Polls a condition that sends no event. The test's timeout ends it. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(25);
}

export const waitUntilExited = (pids: readonly number[]): Promise<void> =>
  waitUntil(() => !pids.some(isAlive));

// Shared by the Electron and the Node host: data folder, environment and output of child processes, V8 memory, and
// unhandled rejections.

import { homedir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import type { Log } from "../log.ts";
import type { ChildOptions } from "../platform.ts";

/**
 * Environment variables that child processes inherit: no keys, no proxies, and no Node options except the folder of
 * the compile cache.
 */
const inheritedVariables = [
  "NODE_COMPILE_CACHE",
  "PATH",
  "HOME",
  "USERPROFILE",
  "TMPDIR",
  "TEMP",
  "TMP",
  "SystemRoot",
  "LANG",
  "LC_ALL",
];
const stderrTailCharacters = 4096;
const exitOutputTimeoutMs = 500;

/** The system's folder for app data: the same library with Electron and without. */
export function defaultDataDir(
  env: NodeJS.ProcessEnv = process.env,
  system: NodeJS.Platform = process.platform,
): string {
  if (system === "win32")
    return join(env["APPDATA"] ?? join(homedir(), "AppData", "Roaming"), "Hearsay");
  if (system === "darwin") return join(homedir(), "Library", "Application Support", "Hearsay");
  return join(env["XDG_DATA_HOME"] || join(homedir(), ".local", "share"), "hearsay");
}

export function childEnvironment(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const childEnv: Record<string, string> = {
    ORT_DISABLE_TELEMETRY: "1",
    // glibc keeps free memory in one heap instead of one per thread.
    MALLOC_ARENA_MAX: "1",
    HEARSAY_APP_PID: String(process.pid),
  };
  for (const name of inheritedVariables) {
    const value = env[name];
    if (value !== undefined) childEnv[name] = value;
  }
  return childEnv;
}

/** Matches text that looks like an API key. */
const secretPattern = /\b(?:Bearer\s+\S+|(?:hs|sk)-[\w-]{6,}|ek_[\w-]{6,})/gi;
const redactSecrets = (text: string | undefined): string | undefined =>
  text?.replaceAll(secretPattern, "[secret]");

/**
 * Keeps V8's young generation at its initial size. With much memory it would grow to 128 MB under load, and keep
 * buffers that were sent long ago.
 */
export const limitYoungGeneration = (): void => setFlagsFromString("--semi-space-growth-factor=1");

/** Copies only these fields: others, such as request headers, may contain secrets. */
const toLoggableError = ({ name, message, stack }: Error): object => ({
  type: name,
  message: redactSecrets(message),
  stack: redactSecrets(stack),
});

/**
 * An unhandled rejection is a bug: it is logged, and the app continues. @returns a function that removes the handler
 */
export function logUnhandledRejections(log: Pick<Log, "error">): () => void {
  const logRejection = (reason: unknown): void =>
    log.error(
      { error: toLoggableError(reason instanceof Error ? reason : new Error(String(reason))) },
      "a promise was rejected and nobody handled it",
    );
  process.on("unhandledRejection", logRejection);
  return () => void process.off("unhandledRejection", logRejection);
}

/** The exit event may arrive before the process's last output: waits for it, up to a timeout. */
export function afterExitOutput(stream: NodeJS.ReadableStream | null, onDone: () => void): void {
  if (stream === null || !stream.readable) return onDone();
  const finish = (): void => {
    clearTimeout(timer);
    stream.off("end", finish).off("close", finish);
    onDone();
  };
  const timer = setTimeout(finish, exitOutputTimeoutMs);
  stream.once("end", finish).once("close", finish);
}

/** Node flags of a child, both for a forked process and a utility process. */
export const childNodeFlags = ({ maxHeapMb }: ChildOptions): string[] =>
  maxHeapMb === undefined ? [] : [`--max-old-space-size=${maxHeapMb}`];

/** @returns the last few kilobytes of the stream */
export function collectTail(stream: NodeJS.ReadableStream | null): () => string {
  let tail = "";
  stream?.setEncoding("utf8").on("data", (text: string) => {
    tail = (tail + text).slice(-stderrTailCharacters);
  });
  return () => tail;
}

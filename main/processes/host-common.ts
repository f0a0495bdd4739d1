// What both hosts do alike: where the app's data lies, what a child process may know and say, how much memory V8 takes,
// and that a promise which nobody handles does not end the app.

import { homedir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import type { Log } from "../log.ts";
import type { ChildOptions } from "../platform.ts";

/** What a child may know of its surroundings: no keys, no options for Node but the folder that keeps what it compiled, no proxies. */
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

/** Where this system keeps what belongs to an app: the same library in the window and without it. */
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
    HEARSAY_APP_PID: String(process.pid),
  };
  for (const name of inheritedVariables) {
    const value = env[name];
    if (value !== undefined) childEnv[name] = value;
  }
  return childEnv;
}

/** What looks like a key in a text. */
const secretPattern = /\b(?:Bearer\s+\S+|(?:hs|sk)-[\w-]{6,})/gi;
const redactSecrets = (text: string | undefined): string | undefined =>
  text?.replaceAll(secretPattern, "[secret]");

/**
 * Keeps V8's young generation as small as it is at the start. On a machine with much memory it would grow to 128 MB under
 * load, and with it the number of buffers that were sent long ago and are not collected yet.
 */
export const limitYoungGeneration = (): void => setFlagsFromString("--semi-space-growth-factor=1");

/** Only its words: what else hangs on an error, such as the headers of a request, may be secret. */
const toLoggableError = ({ name, message, stack }: Error): object => ({
  type: name,
  message: redactSecrets(message),
  stack: redactSecrets(stack),
});

/** A rejection that nobody handles is a mistake of ours: logged, while everything else goes on. @returns how to stop */
export function logUnhandledRejections(log: Pick<Log, "error">): () => void {
  const logRejection = (reason: unknown): void =>
    log.error(
      { error: toLoggableError(reason instanceof Error ? reason : new Error(String(reason))) },
      "a promise was rejected and nobody handled it",
    );
  process.on("unhandledRejection", logRejection);
  return () => void process.off("unhandledRejection", logRejection);
}

/** An exit is told before the last words of the process were read: this waits for them, but not for ever. */
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

/** Options for the child's Node, the same for a forked process and a utility process. */
export const childNodeFlags = ({ maxHeapMb }: ChildOptions): string[] =>
  maxHeapMb === undefined ? [] : [`--max-old-space-size=${maxHeapMb}`];

/** @returns the last few kilobytes that came by the stream */
export function collectTail(stream: NodeJS.ReadableStream | null): () => string {
  let tail = "";
  stream?.setEncoding("utf8").on("data", (text: string) => {
    tail = (tail + text).slice(-stderrTailCharacters);
  });
  return () => tail;
}

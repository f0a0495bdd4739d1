// Starts a built desktop app in its own process, without Electron (see bundle-child.ts).

import { fork } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { shellEnv } from "./command-line.ts";
import type { WindowSnapshot } from "./bundle-child.ts";

export type Bundle = {
  readonly pid: number;
  inspectWindow(): Promise<WindowSnapshot>;
  /** @returns the exit code */
  quit(): Promise<number | null>;
  /** Ends it at once, for failed tests. */
  kill(): void;
};

/** @param appDir folder with the app's package.json @throws Error with its output if it did not start */
export async function startBundle(appDir: string, dataDir: string): Promise<Bundle> {
  const child = fork(resolve(import.meta.dirname, "bundle-child.ts"), [appDir], {
    env: shellEnv(dataDir, { HEARSAY_PORT: "0", HEARSAY_WORKERS: "1" }),
    execArgv: [],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const stderrText = child.stderr === null ? Promise.resolve("") : text(child.stderr);
  const exited = once(child, "exit").then(([code]) => code as number | null);
  const nextMessage = <Message>(): Promise<Message> =>
    Promise.race([
      once(child, "message").then(([message]) => message as Message),
      exited.then(async (code) =>
        Promise.reject(new Error(`the app ended with ${code}: ${await stderrText}`)),
      ),
    ]);
  const errors = await nextMessage<string[]>();
  if (errors.length > 0) throw new Error(errors.join("\n"));
  return {
    pid: child.pid ?? 0,
    inspectWindow() {
      child.send("look");
      return nextMessage<WindowSnapshot>();
    },
    quit() {
      child.send("quit");
      return exited;
    },
    kill: () => void child.kill("SIGKILL"),
  };
}

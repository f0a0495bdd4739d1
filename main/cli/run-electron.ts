// Runs the staged desktop app in Electron, for as long as this process is wanted.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";

/** A little more than the app gives itself (electron/quit.ts). */
const stopTimeoutMs = 12_000;

/**
 * @param args what the app is given: a folder first, files to open after it
 * @returns its exit code, as a shell would tell it
 * @throws Error where the program cannot be started
 */
export async function runElectron(
  path: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<number> {
  // Editors built on Electron leave this to their terminals; it would make a plain Node of ours.
  const { ELECTRON_RUN_AS_NODE: _, ...childEnv } = env;
  const child = spawn(path, args, { env: childEnv, stdio: "inherit" });
  const stop = (): void => {
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs).unref();
  };
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    const [code, killedBy] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (killedBy === null ? 0 : constants.signals[killedBy]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

// Runs the staged desktop app in Electron until it ends or the signal is aborted.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";

/** A little more than the app's own shutdown timeout (electron/quit.ts). */
const stopTimeoutMs = 12_000;

/**
 * @param args arguments for the app: its folder first, then files to open
 * @returns its exit code in shell convention
 * @throws Error if the program cannot be started
 */
export async function runElectron(
  path: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<number> {
  // Electron-based editors set this for their terminals; it would turn Electron into plain Node.
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

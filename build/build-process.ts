// Runs a module that builds into dist/ in a process of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { AppError } from "../main/contract/errors.ts";

/** @throws AppError with the module's stderr output; the signal's reason */
export async function runBuild(modulePath: string, signal: AbortSignal): Promise<void> {
  // The IPC channel tells the module when this process exits, for whatever reason.
  const child = spawn(process.execPath, [modulePath], {
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const stop = (): void => void child.kill();
  signal.addEventListener("abort", stop);
  try {
    const [[code], stderrText] = await Promise.all([
      once(child, "exit") as Promise<[number | null]>,
      child.stderr === null ? "" : text(child.stderr),
    ]);
    signal.throwIfAborted();
    if (code !== 0)
      throw new AppError("verbatim", {
        text:
          stderrText.replace(/^hearsay: /, "").trim() || `${modulePath} ended with code ${code}`,
      });
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

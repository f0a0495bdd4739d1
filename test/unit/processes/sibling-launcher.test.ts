import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { isRunning, canListProcesses } from "../../support/child-processes.ts";

it.runIf(canListProcesses)(
  "ends a stopped process when the app ends",
  async () => {
    const host = join(import.meta.dirname, "..", "..", "support", "siblings-host.ts");
    const output = await new Promise<string>(
      (resolve) => void execFile(process.execPath, [host], (_, stdout) => resolve(stdout)),
    );
    const pids = output.trim().split(" ").map(Number);
    onTestFinished(() => {
      for (const pid of pids.filter(isRunning)) process.kill(pid, "SIGKILL");
    });
    expect(pids.filter((pid) => pid > 0)).toHaveLength(2);
    await expect.poll(() => pids.filter(isRunning), { timeout: 20_000 }).toEqual([]);
  },
  30_000,
);

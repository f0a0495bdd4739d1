// Detects child processes that were stopped (SIGSTOP, debugger): they neither respond nor exit, so a caller would wait
// for the full timeout. Windows has no such state.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";

const checkIntervalMs = process.platform === "linux" ? 1000 : 5000;
/** A process may be stopped briefly by a tool that inspects it. */
const minStoppedChecks = 2;

export type WatchedProcess = { readonly pid: number | undefined };

export type StoppedProcessWatcher = { close(): void };

/**
 * @param listBusy processes with a pending response
 * @param onStopped called once for each process found stopped in two checks in a row
 */
export function watchStoppedProcesses<Child extends WatchedProcess>(
  listBusy: () => readonly Child[],
  onStopped: (child: Child) => void,
): StoppedProcessWatcher {
  const stoppedCounts = new Map<Child, number>();
  let isChecking = false;

  async function check(): Promise<void> {
    const busyProcesses = listBusy();
    const stoppedPids = new Set(await findStopped(busyProcesses.flatMap(({ pid }) => pid ?? [])));
    for (const child of stoppedCounts.keys())
      if (!busyProcesses.includes(child)) stoppedCounts.delete(child);
    for (const child of busyProcesses) {
      const count =
        child.pid !== undefined && stoppedPids.has(child.pid)
          ? (stoppedCounts.get(child) ?? 0) + 1
          : 0;
      stoppedCounts.set(child, count);
      if (count === minStoppedChecks) onStopped(child);
    }
  }

  const timer = setInterval(() => {
    if (isChecking || process.platform === "win32") return;
    isChecking = true;
    void check().finally(() => (isChecking = false));
  }, checkIntervalMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

/** Returns the stopped ones; empty if the state cannot be read. */
async function findStopped(pids: readonly number[]): Promise<number[]> {
  if (pids.length === 0) return [];
  if (process.platform !== "linux") return findStoppedByPs(pids);
  const states = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")),
  );
  // The state follows the name, which is in parentheses and may contain any character (proc(5)).
  return pids.filter((_, at) => /\) [Tt] [^)]*$/.test(states[at] ?? ""));
}

function findStoppedByPs(pids: readonly number[]): Promise<number[]> {
  return new Promise((resolve) => {
    execFile("ps", ["-o", "pid=,state=", "-p", pids.join(",")], { timeout: 4000 }, (_, stdout) => {
      resolve(Array.from(stdout.matchAll(/^\s*(\d+)\s+T/gm), ([, pid]) => Number(pid)));
    });
  });
}

// Notices child processes that were stopped (SIGSTOP, a debugger): they neither answer nor end, and whoever waits for
// them would wait for the longest time that a task may take. Windows has no such state.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";

const lookMs = process.platform === "linux" ? 1000 : 5000;
/** A process may be stopped for a moment by whoever looks at it. */
const minLooks = 2;

export type Watchable = { readonly pid: number | undefined };

export type StoppedWatch = { close(): void };

/**
 * @param busy processes from which something is awaited
 * @param onStopped called once for each that is found stopped twice in a row
 */
export function watchStopped<One extends Watchable>(
  busy: () => readonly One[],
  onStopped: (one: One) => void,
): StoppedWatch {
  const looks = new Map<One, number>();
  let isLooking = false;

  async function look(): Promise<void> {
    const now = busy();
    const stopped = new Set(await stoppedOf(now.flatMap(({ pid }) => pid ?? [])));
    for (const one of looks.keys()) if (!now.includes(one)) looks.delete(one);
    for (const one of now) {
      const count = one.pid !== undefined && stopped.has(one.pid) ? (looks.get(one) ?? 0) + 1 : 0;
      looks.set(one, count);
      if (count === minLooks) onStopped(one);
    }
  }

  const timer = setInterval(() => {
    if (isLooking || process.platform === "win32") return;
    isLooking = true;
    void look().finally(() => (isLooking = false));
  }, lookMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

/** Which of these processes are stopped; none where that cannot be found out. */
async function stoppedOf(pids: readonly number[]): Promise<number[]> {
  if (pids.length === 0) return [];
  if (process.platform !== "linux") return stoppedByPs(pids);
  const states = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")),
  );
  // The state follows the name, which is in brackets and may hold any (proc(5)).
  return pids.filter((_, at) => /\) [Tt] [^)]*$/.test(states[at] ?? ""));
}

function stoppedByPs(pids: readonly number[]): Promise<number[]> {
  return new Promise((resolve) => {
    execFile("ps", ["-o", "pid=,state=", "-p", pids.join(",")], { timeout: 4000 }, (_, stdout) => {
      resolve(Array.from(stdout.matchAll(/^\s*(\d+)\s+T/gm), ([, pid]) => Number(pid)));
    });
  });
}

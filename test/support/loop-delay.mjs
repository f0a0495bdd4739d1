// Loaded into a process before the app: reports over IPC the longest block of its event loop since the previous
// request, in elapsed time, in elapsed time without the waits for a processor, and in CPU time of the main thread.

import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

const intervalMs = 5;
const delay = monitorEventLoopDelay({ resolution: intervalMs });
delay.enable();

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/**
 * Time the main thread was ready to run while other threads had all processors: https://docs.kernel.org/scheduler/sched-stats.html,
 * `/proc/<pid>/schedstat`, second field in nanoseconds. 0 on other systems.
 */
function processorWaitMs() {
  try {
    return Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

const readClocks = () => ({ nowMs: performance.now(), cpuMs: cpuMs(), waitMs: processorWaitMs() });
let longestCpuMs = 0;
let longestOwnMs = 0;
let last = readClocks();
setInterval(() => {
  const now = readClocks();
  longestCpuMs = Math.max(longestCpuMs, now.cpuMs - last.cpuMs);
  longestOwnMs = Math.max(
    longestOwnMs,
    now.nowMs - last.nowMs - (now.waitMs - last.waitMs) - intervalMs,
  );
  last = now;
}, intervalMs).unref();

process.on("message", (message) => {
  if (message !== "loop-delay") return;
  process.send?.({
    type: "loop-delay",
    longestMs: delay.max / 1e6,
    longestOwnMs,
    longestCpuMs,
  });
  delay.reset();
  longestCpuMs = 0;
  longestOwnMs = 0;
});
process.channel?.unref();

// Loaded into a process before the app: reports over IPC the longest block of its event loop since the previous
// request, in elapsed time and in CPU time of the main thread between two iterations.

import { monitorEventLoopDelay } from "node:perf_hooks";

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let longestCpuMs = 0;
let lastMs = cpuMs();
setInterval(() => {
  const nowMs = cpuMs();
  longestCpuMs = Math.max(longestCpuMs, nowMs - lastMs);
  lastMs = nowMs;
}, 5).unref();

process.on("message", (message) => {
  if (message !== "loop-delay") return;
  process.send?.({ type: "loop-delay", longestMs: delay.max / 1e6, longestCpuMs });
  delay.reset();
  longestCpuMs = 0;
});
process.channel?.unref();

// The child processes of an app that runs in its own process, observed through /proc (Linux only).

import { readFileSync } from "node:fs";

export const canListProcesses = process.platform === "linux";

const readOrEmpty = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};

/** The modules for which an app starts processes. */
const modules = {
  engine: /engines[\\/](?:pool|sherpa)[\\/]child\./,
  archive: /library[\\/]archive[\\/]archive-child\./,
  document: /document-import[\\/]import-child\./,
  library: /library[\\/]process[\\/]child\./,
  copy: /library[\\/]recovery[\\/]copy-child\./,
};
export type ChildKind = keyof typeof modules;

/** Ids of an app's processes of one kind. */
export const childProcesses = (appPid: number, kind: ChildKind): number[] =>
  readOrEmpty(`/proc/${appPid}/task/${appPid}/children`)
    .trim()
    .split(" ")
    .filter((pid) => modules[kind].test(readOrEmpty(`/proc/${pid}/cmdline`)))
    .map(Number);

export const engineProcesses = (appPid: number): number[] => childProcesses(appPid, "engine");

/** Peak memory of a process in MB; 0 if it has exited. */
export const peakMb = (pid: number): number =>
  (1024 * Number(/^VmHWM:\s+(\d+) kB/m.exec(readOrEmpty(`/proc/${pid}/status`))?.[1] ?? 0)) / 1e6;

/** Whether a process is alive. A zombie is not. */
export const isRunning = (pid: number): boolean =>
  /\) [^ZX] [^)]*$/.test(readOrEmpty(`/proc/${pid}/stat`));

/** Polls the engine processes every few ms. */
export function watchPeakMemory(appPid: number): { maxMb(): number; close(): void } {
  let maxMb = 0;
  const timer = setInterval(() => {
    for (const pid of engineProcesses(appPid)) maxMb = Math.max(maxMb, peakMb(pid));
  }, 25);
  return { maxMb: () => maxMb, close: () => clearInterval(timer) };
}

// Measures a running Hearsay from outside: memory, open files, temporary files, child processes. Open files and child
// processes are available on Linux only.

import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { processTree } from "../../support/command-line.ts";
import type { HearsayProcess } from "../../support/hearsay-process.ts";
import type { HeapMetrics } from "./heap-probe.ts";

/** Arguments that make a process respond to `measureHeap`. */
export const probeArgs = [
  "--expose-gc",
  "--import",
  pathToFileURL(join(import.meta.dirname, "heap-probe.ts")).href,
];

export const canInspect = process.platform === "linux";

export async function measureHeap({ child }: HearsayProcess): Promise<HeapMetrics> {
  const response = once(child, "message");
  child.send({ type: "measure heap" });
  const [metrics] = (await response) as [HeapMetrics];
  return metrics;
}

export type Leftovers = {
  /** Their paths, or kinds such as `socket:[1]`. */
  openFiles: readonly string[];
  temporaryFiles: number;
  children: number;
};

export function measureLeftovers({ pid, dataDir }: HearsayProcess): Leftovers {
  return {
    openFiles: listOpenFiles(pid),
    temporaryFiles: countFiles(join(dataDir, "tmp")),
    children: processTree(pid).length - 1,
  };
}

export function listOpenFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))];
    } catch {
      // Closed meanwhile.
      return [];
    }
  });
}

/** Peak memory. */
export const peakRssBytes = ({ pid }: HearsayProcess): number =>
  1024 * Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

/** Folders are not counted: the app keeps its own one with a lock while it runs. */
function countFiles(dir: string): number {
  return readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  ).length;
}

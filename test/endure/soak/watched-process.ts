// What is measured of a running Hearsay from outside: memory, open files, temporary files, children. Open files and
// children are told by Linux alone.

import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { family } from "../../support/command-line.ts";
import type { HearsayProcess } from "../../support/hearsay-process.ts";
import type { HeapAnswer } from "./heap-probe.ts";

/** With these a process answers `measureHeap`. */
export const probeArgs = [
  "--expose-gc",
  "--import",
  pathToFileURL(join(import.meta.dirname, "heap-probe.ts")).href,
];

export const canWatch = process.platform === "linux";

export async function measureHeap({ child }: HearsayProcess): Promise<HeapAnswer> {
  const answered = once(child, "message");
  child.send({ type: "measure heap" });
  const [answer] = (await answered) as [HeapAnswer];
  return answer;
}

export type Leftovers = { openFiles: number; temporaryFiles: number; children: number };

export function leftoversOf({ pid, dataDir }: HearsayProcess): Leftovers {
  return {
    openFiles: readdirSync(`/proc/${pid}/fd`).length,
    temporaryFiles: filesBelow(join(dataDir, "tmp")),
    children: family(pid).length - 1,
  };
}

/** The largest its memory ever was. */
export const peakRssBytes = ({ pid }: HearsayProcess): number =>
  1024 * Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

/** Folders are the app's own; it keeps one with a lock while it runs. */
function filesBelow(dir: string): number {
  return readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  ).length;
}

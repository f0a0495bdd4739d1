// Reports of crashes, as Crashpad keeps them: minidumps in folders of its own.

import { readdirSync } from "node:fs";

/** How many there are in a folder and below it; none where it is missing. */
export function countCrashReports(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".dmp"),
    ).length;
  } catch {
    return 0;
  }
}

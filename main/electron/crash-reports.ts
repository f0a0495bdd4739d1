// Counts Crashpad's crash reports: minidumps in its folders.

import { readdirSync } from "node:fs";

/** Number of reports in a folder and below; 0 if it does not exist. */
export function countCrashReports(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".dmp"),
    ).length;
  } catch {
    return 0;
  }
}

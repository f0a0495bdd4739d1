// Answers readiness and health probes. Checks the disk at most once per second, and never blocks a probe on a disk that
// does not respond.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { toStorageError } from "../contract/errors.ts";
import type { LibraryHealth } from "../contract/library-state.ts";
import { writeFile } from "../storage/disk.ts";

export type Checks = {
  /** Disk of the data folder; `slow`: no response in time. */
  storage: "ok" | "full" | "read-only" | "failing" | "slow";
  /** The folder for uploads and temporary files. */
  temporaryFiles: "ok" | "failing";
  library: LibraryHealth;
};

export type Readiness = {
  /**
   * Whether requests can be served, and the result of each check; nothing in it is secret. A check that takes longer
   * than `waitMs` counts for the next probe.
   */
  check(waitMs: number): Promise<{ isReady: boolean; isHealthy: boolean; checks: Checks }>;
};

const cacheMs = 1000;
/** A disk that does not respond for this long is `slow`. Generous, since a busy machine may be slower. */
const slowAfterMs = 2000;

/** @param tempDir creates the folder again if it is missing */
export function createReadiness({
  tempDir,
  libraryHealth,
  now = () => performance.now(),
}: {
  tempDir(): string;
  libraryHealth(): LibraryHealth;
  now?(): number;
}): Readiness {
  type Disk = Omit<Checks, "library">;
  let lastResult: Disk = { storage: "ok", temporaryFiles: "ok" };
  let checkedAtMs = -Infinity;
  let pendingCheck: { startedMs: number; disk: Promise<Disk> } | undefined;

  async function checkDisk(): Promise<Disk> {
    try {
      const path = join(tempDir(), "probe");
      await writeFile(path, "probe");
      await rm(path, { force: true });
      lastResult = { storage: "ok", temporaryFiles: "ok" };
    } catch (error) {
      lastResult = { storage: toStorageStatus(error), temporaryFiles: "failing" };
    }
    checkedAtMs = now();
    return lastResult;
  }

  return {
    async check(waitMs) {
      if (now() - checkedAtMs >= cacheMs)
        pendingCheck ??= {
          startedMs: now(),
          disk: checkDisk().finally(() => (pendingCheck = undefined)),
        };
      const { disk: pending, startedMs = 0 } = pendingCheck ?? {};
      const result =
        pending === undefined ? lastResult : await withTimeout(pending, waitMs, undefined);
      const disk: Disk =
        result ??
        (now() - startedMs >= slowAfterMs ? { ...lastResult, storage: "slow" } : lastResult);
      const checks = { ...disk, library: libraryHealth() };
      const isReady =
        checks.storage === "ok" &&
        checks.temporaryFiles === "ok" &&
        checks.library !== "unavailable";
      return { isReady, isHealthy: isReady && checks.library === "ok", checks };
    },
  };
}

function toStorageStatus(error: unknown): Checks["storage"] {
  if (toStorageError(error)?.key === "storage_full") return "full";
  const { cause = error } = error as Error;
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  return ["EROFS", "EACCES", "EPERM"].includes(code) ? "read-only" : "failing";
}

async function withTimeout<T>(
  work: Promise<T>,
  limitMs: number,
  timeoutValue: undefined,
): Promise<T | undefined> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(timeoutValue), limitMs);
  return Promise.race([work, timeout.promise]).finally(() => clearTimeout(timer));
}

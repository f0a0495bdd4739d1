// What probes are told: whether the app can serve, and what is wrong where it cannot. Looks at the disk at most once a
// second, and never keeps a probe waiting for a disk that does not answer.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { storageFailure } from "../contract/errors.ts";
import type { LibraryHealth } from "../contract/library-state.ts";
import { writeFile } from "../storage/disk.ts";

export type Checks = {
  /** Of the data folder's disk; `slow`: it did not answer in time. */
  storage: "ok" | "full" | "read-only" | "failing" | "slow";
  /** The folder for uploads and work in progress. */
  temporaryFiles: "ok" | "failing";
  library: LibraryHealth;
};

export type Readiness = {
  /** Whether requests can be served, and what was found; nothing in it is secret. What takes longer than `waitMs` counts from the next time on. */
  check(waitMs: number): Promise<{ isReady: boolean; isWell: boolean; checks: Checks }>;
};

const freshMs = 1000;
/** A disk that has not answered for so long is `slow`: a machine at work may take its time. */
const slowMs = 2000;

/** @param tempDir makes the folder again where it vanished */
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
  let last: Disk = { storage: "ok", temporaryFiles: "ok" };
  let lookedAtMs = -Infinity;
  let looking: { since: number; disk: Promise<Disk> } | undefined;

  async function look(): Promise<Disk> {
    try {
      const path = join(tempDir(), "probe");
      await writeFile(path, "probe");
      await rm(path, { force: true });
      last = { storage: "ok", temporaryFiles: "ok" };
    } catch (error) {
      last = { storage: storageOf(error), temporaryFiles: "failing" };
    }
    lookedAtMs = now();
    return last;
  }

  return {
    async check(waitMs) {
      if (now() - lookedAtMs >= freshMs)
        looking ??= { since: now(), disk: look().finally(() => (looking = undefined)) };
      const { disk: pending, since = 0 } = looking ?? {};
      const found = pending === undefined ? last : await within(pending, waitMs, undefined);
      const disk: Disk = found ?? (now() - since >= slowMs ? { ...last, storage: "slow" } : last);
      const checks = { ...disk, library: libraryHealth() };
      const isReady =
        checks.storage === "ok" &&
        checks.temporaryFiles === "ok" &&
        checks.library !== "unavailable";
      return { isReady, isWell: isReady && checks.library === "ok", checks };
    },
  };
}

function storageOf(error: unknown): Checks["storage"] {
  if (storageFailure(error)?.key === "storage_full") return "full";
  const { cause = error } = error as Error;
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  return ["EROFS", "EACCES", "EPERM"].includes(code) ? "read-only" : "failing";
}

async function within<T>(
  work: Promise<T>,
  limitMs: number,
  late: undefined,
): Promise<T | undefined> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(late), limitMs);
  return Promise.race([work, timeout.promise]).finally(() => clearTimeout(timer));
}

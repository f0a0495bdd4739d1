// Folders that belong to one process: `<name>` and beside it `<name>.lock`, which the process holds as long as it
// uses the folder. What a killed process left is recognized by its lock, which nobody holds any more.

import { randomBytes } from "node:crypto";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { acquireTransientLock } from "./process-lock.ts";
import { mkdirSync } from "./disk.ts";

export type OwnedFolder = { readonly path: string; remove(): void };

const lockSuffix = ".lock";
/** A folder without a lock file was made by an older version, which may still be running. */
const minUnlockedAgeMs = 86_400_000;

/** @param parent exists */
export function createOwnedFolder(parent: string, prefix = ""): OwnedFolder {
  for (;;) {
    const path = join(parent, `${prefix}${randomBytes(8).toString("hex")}`);
    // The lock first: nobody ever sees the folder without it. Where somebody sweeping took it, another name is tried.
    const release = acquireTransientLock(`${path}${lockSuffix}`);
    if (release === undefined) continue;
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
    } catch (error) {
      release();
      throw error;
    }
    return {
      path,
      remove() {
        rmSync(path, { recursive: true, force: true, maxRetries: 5 });
        release();
      },
    };
  }
}

/** Removes the folders whose owners are gone. @param isOwnedName tells our folders by their names, without `.lock` */
export function sweepOwnedFolders(parent: string, isOwnedName: (name: string) => boolean): void {
  const names = new Set(
    readdirSync(parent).map((name) =>
      name.endsWith(lockSuffix) ? name.slice(0, -lockSuffix.length) : name,
    ),
  );
  for (const name of names) {
    if (!isOwnedName(name)) continue;
    const path = join(parent, name);
    const isLocked = statSync(`${path}${lockSuffix}`, { throwIfNoEntry: false }) !== undefined;
    if (
      !isLocked &&
      Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < minUnlockedAgeMs
    )
      continue;
    const release = acquireTransientLock(`${path}${lockSuffix}`);
    if (release === undefined) continue;
    try {
      rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    } finally {
      release();
    }
  }
}

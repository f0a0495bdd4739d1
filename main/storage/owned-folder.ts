// Folders owned by one process: `<name>`, and a lock `<name>.lock` that the process holds while it uses the folder. If
// no process holds the lock, the owner was killed.

import { randomBytes } from "node:crypto";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { acquireTransientLock } from "./process-lock.ts";
import { mkdirSync } from "./disk.ts";

export type OwnedFolder = { readonly path: string; remove(): void };

const lockSuffix = ".lock";
/** Folders without a lock file come from an older version, which may still be running. */
const minUnlockedAgeMs = 86_400_000;

/** @param parent must exist */
export function createOwnedFolder(parent: string, prefix = ""): OwnedFolder {
  for (;;) {
    const path = join(parent, `${prefix}${randomBytes(8).toString("hex")}`);
    // Take the lock first, so that the folder never exists without it. If another process is sweeping that name, try
    // another.
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

/** Deletes folders whose owner is gone. @param isOwnedName recognizes our folder names, without `.lock` */
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

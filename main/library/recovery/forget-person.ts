// Removes a person from the app's own copies of the library: backups, and damaged libraries that were set aside.

import { closeSync, openSync, readdirSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fsyncSync, openForWritingSync, writeSync } from "../../storage/disk.ts";
import { isDamageWhileOpening } from "../../storage/damage-detection.ts";
import { loadSqlite } from "../../storage/load-sqlite.ts";
import { listBackups, removePartialBackups } from "./backup-files.ts";

export type ForgottenPerson = {
  readonly id: string;
  /** The bytes of their voice prints, as stored. */
  readonly prints: readonly Uint8Array[];
};

/** Also the write-ahead logs of those that were set aside. */
export function listCopies(dataDir: string): { backups: string[]; setAside: string[] } {
  return {
    backups: listBackups(dataDir).map(({ path }) => path),
    setAside: readdirSync(dataDir)
      .filter((name) => /^hearsay-damaged-.*\.sqlite(?:-wal)?$/.test(name))
      .map((name) => join(dataDir, name)),
  };
}

/** @throws if a copy cannot be changed: call it again then */
export function forgetInCopies(dataDir: string, person: ForgottenPerson): void {
  // Left by a process that was killed.
  removePartialBackups(dataDir);
  const { backups, setAside } = listCopies(dataDir);
  for (const path of backups) {
    try {
      deletePerson(path, person.id);
    } catch (error) {
      // Nothing can be restored from it.
      if (!isDamageWhileOpening(error)) throw error;
      rmSync(path, { force: true });
    }
  }
  // SQLite cannot change a damaged file.
  for (const path of setAside) overwrite(path, person.prints);
}

function deletePerson(path: string, id: string): void {
  const sqlite = new (loadSqlite().DatabaseSync)(path, { timeout: 5000 });
  try {
    const hasPeople = sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'people'").get();
    if (hasPeople === undefined) return;
    sqlite.exec("PRAGMA secure_delete = ON");
    // Their prints, too.
    sqlite.prepare("DELETE FROM people WHERE id = ?").run(id);
  } finally {
    sqlite.close();
  }
}

const chunkBytes = 4 * 2 ** 20;

/** With zeros, wherever these bytes are. */
function overwrite(path: string, contents: readonly Uint8Array[]): void {
  const positions = contents.flatMap((content) =>
    find(path, content).map((position) => ({ position, length: content.length })),
  );
  if (positions.length === 0) return;
  const file = openForWritingSync(path, "r+");
  try {
    for (const { position, length } of positions) writeSync(file, new Uint8Array(length), position);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function find(path: string, content: Uint8Array): number[] {
  const positions = new Set<number>();
  const chunk = Buffer.alloc(chunkBytes);
  const file = openSync(path, "r");
  try {
    // Chunks overlap, so that what lies across their border is found.
    for (let start = 0; ; start += chunkBytes - content.length + 1) {
      const bytes = chunk.subarray(0, readSync(file, chunk, 0, chunkBytes, start));
      for (let at = bytes.indexOf(content); at >= 0; at = bytes.indexOf(content, at + 1))
        positions.add(start + at);
      if (bytes.length < chunkBytes) return [...positions];
    }
  } finally {
    closeSync(file);
  }
}

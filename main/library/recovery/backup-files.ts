// Backup files of the library in `backups/`: names, order, creation and deletion.

import { closeSync, existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { loadSqlite } from "../../storage/load-sqlite.ts";
import {
  diskReserveBytes,
  freeBytesSync,
  fsyncSync,
  mkdirSync,
  openForWritingSync,
  renameSync,
} from "../../storage/disk.ts";
import { isDamageWhileOpening } from "../../storage/damage-detection.ts";

export type LibraryBackup = { readonly path: string; readonly createdAtMs: number };

export const backupsDir = (dataDir: string): string => join(dataDir, "backups");
/** Number of days to keep, one backup each. */
const maxBackupDays = 5;
const partialSuffix = ".partial";

/** For example `library-2026-11-22T10-15-00.000Z.sqlite`: names sort by time. */
const backupName = /^library-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.sqlite$/;
export const backupPath = (dataDir: string, createdAtMs: number): string =>
  join(
    backupsDir(dataDir),
    `library-${new Date(createdAtMs).toISOString().replaceAll(":", "-")}.sqlite`,
  );

/** Newest first. */
export function listBackups(dataDir: string): LibraryBackup[] {
  const names = ignoreMissing(() => readdirSync(backupsDir(dataDir))) ?? [];
  return names
    .flatMap((name) => {
      const [, day, hour, minute, second] = backupName.exec(name) ?? [];
      const createdAtMs =
        day === undefined ? NaN : Date.parse(`${day}T${hour}:${minute}:${second}`);
      return Number.isNaN(createdAtMs)
        ? []
        : [{ path: join(backupsDir(dataDir), name), createdAtMs }];
    })
    .toSorted((one, other) => other.createdAtMs - one.createdAtMs);
}

/** Keeps the newest backup of each day, for `maxBackupDays` days. Also deletes partial files. */
export function removeOldBackups(dataDir: string): void {
  const days = new Set<string>();
  for (const { path, createdAtMs } of listBackups(dataDir)) {
    const day = new Date(createdAtMs).toDateString();
    if (days.has(day) || days.size >= maxBackupDays)
      for (const file of [path, `${path}-journal`]) rmSync(file, { force: true });
    days.add(day);
  }
  removePartialBackups(dataDir);
}

export function removePartialBackups(dataDir: string): void {
  for (const name of ignoreMissing(() => readdirSync(backupsDir(dataDir))) ?? [])
    if (name.endsWith(partialSuffix)) rmSync(join(backupsDir(dataDir), name), { force: true });
}

/** True if the disk has room for a backup and keeps `diskReserveBytes` free. */
export function hasRoomForBackup(dataDir: string, libraryPath: string): boolean {
  const sizeBytes = [libraryPath, `${libraryPath}-wal`].reduce(
    (sum, path) => sum + (ignoreMissing(() => statSync(path).size) ?? 0),
    0,
  );
  return freeBytesSync(dataDir) > sizeBytes + diskReserveBytes;
}

/**
 * Writes a verified backup. Reads in one transaction, which does not block writers.
 * @throws SQLite's error if the library is damaged or the disk is full; Error if the backup is invalid
 */
export function writeBackup(libraryPath: string, toPath: string): void {
  const partial = `${toPath}${partialSuffix}`;
  const { DatabaseSync } = loadSqlite();
  try {
    rmSync(partial, { force: true });
    mkdirSync(join(partial, ".."), { recursive: true, mode: 0o700 });
    // Created with private permissions first; SQLite accepts an empty file.
    closeSync(openForWritingSync(partial, "wx", 0o600));
    const library = new DatabaseSync(libraryPath, { timeout: 5000 });
    try {
      library.prepare("VACUUM INTO ?").run(partial);
    } finally {
      library.close();
    }
    if (!isBackupIntact(partial)) throw new Error("the copy of the library is not readable");
    const file = openForWritingSync(partial, "r+");
    fsyncSync(file);
    closeSync(file);
    renameSync(partial, toPath);
  } finally {
    rmSync(partial, { force: true });
  }
}

/** True if the file can be read completely. @throws if the disk fails, rather than the content being damaged */
export function isBackupIntact(
  path: string,
  check: "quick_check" | "integrity_check" = "quick_check",
): boolean {
  try {
    return withReadOnlyDatabase(
      path,
      (database) => database.prepare(`PRAGMA ${check}(1)`).get()?.[check] === "ok",
    );
  } catch (error) {
    if (isDamageWhileOpening(error)) return false;
    throw error;
  }
}

export const readSchemaVersion = (path: string): number =>
  withReadOnlyDatabase(path, (sqlite) =>
    Number(sqlite.prepare("PRAGMA user_version").get()?.["user_version"]),
  );

/** True if the library contains no user data. Older versions may lack tables. */
export function isEmpty(sqlite: Pick<DatabaseSync, "prepare">): boolean {
  const tables = sqlite
    .prepare(
      `SELECT name FROM sqlite_schema
       WHERE type = 'table' AND name IN ('items', 'api_keys', 'channels', 'pronunciations', 'people')`,
    )
    .all();
  return tables.every(
    ({ name }) => sqlite.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() === undefined,
  );
}

/** The same for a library that is not open. Does not wait for locks. */
export const isLibraryEmpty = (path: string): boolean => withReadOnlyDatabase(path, isEmpty, 0);

/** Time of the last write. */
export const lastChangedAtMs = (libraryPath: string): number =>
  Math.max(
    ...[libraryPath, `${libraryPath}-wal`].map(
      (path) => ignoreMissing(() => statSync(path).mtimeMs) ?? 0,
    ),
  );

function withReadOnlyDatabase<T>(
  path: string,
  read: (sqlite: DatabaseSync) => T,
  busyTimeoutMs = 5000,
): T {
  // With a journal, its last change was interrupted, and SQLite undoes that first.
  const readOnly = !existsSync(`${path}-journal`);
  const sqlite = new (loadSqlite().DatabaseSync)(path, { timeout: busyTimeoutMs, readOnly });
  try {
    return read(sqlite);
  } finally {
    sqlite.close();
  }
}

function ignoreMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

// Replaces a damaged, empty or missing library by its newest intact backup plus what can be salvaged. The damaged file
// is kept. A crash during the restore leaves one of the two libraries complete.

import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { libraryNotice, type LibraryNotice } from "../../contract/library-state.ts";
import { copyFileSync, renameSync } from "../../storage/disk.ts";
import { checkStartupReads, damageMarkerPath } from "./library-check.ts";
import {
  isBackupIntact,
  type LibraryBackup,
  listBackups,
  readSchemaVersion,
} from "./backup-files.ts";
import { type Database, openDatabase } from "../../storage/database.ts";
import { restoreOrphanedItems } from "../archive/orphaned-items.ts";
import { migrations } from "../../storage/migrations.ts";
import { salvage } from "./salvage.ts";
import { isDamage } from "../../storage/damage-detection.ts";

/** The log methods that a child process can forward. */
export type RestoreLog = Record<"warn" | "error", (fields: object, message: string) => void>;

const noticesSettingName = "library-notice";
/** Limits the notices if the library is restored at every start. */
const maxNotices = 5;
/** The database and the two files that SQLite keeps with it. */
const fileSuffixes = ["", "-wal", "-shm"];

const damagedFileName = (atMs: number): string =>
  `hearsay-damaged-${new Date(atMs).toISOString().replaceAll(/[:.]/g, "-")}.sqlite`;

/** The new file while it is written, and when it is complete but not yet moved into place. */
const restoreDraftPath = (path: string): string => `${path}.draft`;
const finishedRestorePath = (path: string): string => `${path}.restoring`;

/** After a crash, the complete new file may not be in place yet. */
export function finishInterruptedRestore(dataDir: string, path: string, atMs: number): void {
  removeDraft(path);
  const restored = finishedRestorePath(path);
  if (existsSync(path)) rmSync(restored, { force: true });
  else if (existsSync(restored)) {
    // The write-ahead log of the old file would be replayed into the new one.
    const newestDamagedFile = readdirSync(dataDir)
      .filter((name) => /^hearsay-damaged-.*\.sqlite$/.test(name))
      .toSorted()
      .at(-1);
    setAside(path, join(dataDir, newestDamagedFile ?? damagedFileName(atMs)));
    moveRestoredIntoPlace(path);
  }
}

function moveRestoredIntoPlace(path: string): void {
  // The marker refers to the old file. Deleted first: after a crash it would cause the new file to be set aside.
  rmSync(damageMarkerPath(path), { force: true });
  renameSync(finishedRestorePath(path), path);
}

function setAside(path: string, damagedPath: string): void {
  for (const suffix of fileSuffixes)
    if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${damagedPath}${suffix}`);
}

function removeDraft(path: string): void {
  for (const suffix of fileSuffixes) rmSync(`${restoreDraftPath(path)}${suffix}`, { force: true });
}

/**
 * Copies the library and its log unchanged, since opening them drops damaged data.
 * @returns the name of the copy
 * @throws if the disk fails: no partial copy is left then
 */
export function copyDamagedAside(dataDir: string, path: string, atMs: number): string {
  const name = damagedFileName(atMs);
  const filePairs = ["", "-wal"].map(
    (suffix) => [`${path}${suffix}`, join(dataDir, `${name}${suffix}`)] as const,
  );
  try {
    for (const [from, to] of filePairs) copyFileSync(from, to);
  } catch (error) {
    for (const [, to] of filePairs) rmSync(to, { force: true });
    throw error;
  }
  return name;
}

/** Stores a notice about a library whose newest changes were lost due to a damaged log. */
export function recordLostChanges(
  dataDir: string,
  database: Database,
  damagedCopyName: string,
  log: RestoreLog,
  atMs: number,
): void {
  database.change(() => {
    const notice = {
      atMs,
      setAside: damagedCopyName,
      salvagedItems: 0,
      foundItems: restoreOrphanedItems(dataDir, database),
      hasKeysAndUsage: false,
      lacksNewestChanges: true,
    };
    storeNotice(database, notice);
    log.error(
      notice,
      "the write-ahead log of the library was damaged: " +
        "its newest changes could not be read, a copy of both is set aside",
    );
  });
}

/** Notices that the user has not dismissed, newest first. */
export function readNotices({ sqlite }: Database): LibraryNotice[] {
  const row = sqlite.prepare("SELECT value FROM settings WHERE name = ?").get(noticesSettingName);
  try {
    // Older versions stored a single notice.
    return row === undefined ? [] : noticesSchema.parse(JSON.parse(String(row["value"])));
  } catch {
    return [];
  }
}

const noticesSchema = z.preprocess(
  (value) => (Array.isArray(value) ? value : [value]),
  z.array(libraryNotice),
);

function storeNotice(database: Database, notice: LibraryNotice): void {
  database.change(() => {
    const notices = [notice, ...readNotices(database)].slice(0, maxNotices);
    database.sqlite
      .prepare("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)")
      .run(noticesSettingName, JSON.stringify(notices));
  });
}

export function deleteNotices({ change, sqlite }: Database): void {
  change(() => sqlite.prepare("DELETE FROM settings WHERE name = ?").run(noticesSettingName));
}

/**
 * Sets the damaged library aside, and replaces it by the newest intact backup, or by an empty library.
 * @param isLogDamaged the library lacks its newest changes
 * @throws if the disk fails: nothing is changed then
 */
export function restoreLibrary(
  dataDir: string,
  path: string,
  log: RestoreLog,
  atMs: number,
  isLogDamaged = false,
): void {
  for (const backup of [...listBackups(dataDir), undefined]) {
    try {
      if (backup !== undefined && !isUsable(backup)) continue;
      restoreFromBackup(backup, dataDir, path, log, atMs, isLogDamaged);
      return;
    } catch (error) {
      if (backup === undefined || !isDamage(error)) throw error;
      log.warn(
        { err: error, backup: basename(backup.path) },
        "a copy of the library is damaged too",
      );
    }
  }
}

function isUsable({ path }: LibraryBackup): boolean {
  if (!isBackupIntact(path, "integrity_check")) return false;
  const schema = readSchemaVersion(path);
  // 0 means an empty file.
  return schema > 0 && schema <= migrations.length;
}

function restoreFromBackup(
  backup: LibraryBackup | undefined,
  dataDir: string,
  path: string,
  log: RestoreLog,
  atMs: number,
  isLogDamaged: boolean,
): void {
  const draft = restoreDraftPath(path);
  removeDraft(path);
  if (backup !== undefined) copyFileSync(backup.path, draft);
  const damagedPath = join(dataDir, damagedFileName(atMs));
  const draftDatabase = openDatabase(draft);
  let notice: LibraryNotice;
  try {
    checkStartupReads(draftDatabase.sqlite);
    const salvaged = salvage(path, draftDatabase, atMs);
    const foundItems = restoreOrphanedItems(dataDir, draftDatabase);
    notice = {
      atMs,
      ...(existsSync(path) ? { setAside: basename(damagedPath) } : {}),
      ...(backup === undefined ? {} : { copyMadeAtMs: backup.createdAtMs }),
      salvagedItems: salvaged.items,
      foundItems,
      hasKeysAndUsage: salvaged.hasKeysAndUsage && !isLogDamaged,
    };
    storeNotice(draftDatabase, notice);
    // Moves everything into the main file, since only that one is renamed.
    draftDatabase.sqlite.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
  } finally {
    draftDatabase.close();
  }
  renameSync(draft, finishedRestorePath(path));
  setAside(path, damagedPath);
  moveRestoredIntoPlace(path);
  log.error(
    notice,
    backup === undefined
      ? "the library was damaged and is set aside: there was no copy of it, a new one was begun"
      : "the library was damaged and is set aside: its newest good copy is used",
  );
}

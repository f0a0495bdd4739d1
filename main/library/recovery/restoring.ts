// Puts the newest good copy in the place of a damaged, empty or missing library, with what the damaged one still holds.
// The damaged file is kept. A crash in the midst of it leaves either library whole.

import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { libraryNotice, type LibraryNotice } from "../../contract/library-state.ts";
import { copyFileSync, renameSync } from "../../storage/disk.ts";
import { probe, suspicionPath } from "./checking.ts";
import { isSound, type LibraryCopy, listCopies, schemaOf } from "./copies.ts";
import { type Database, openDatabase } from "../../storage/database.ts";
import { bringBackFoundItems } from "../archive/found-items.ts";
import { migrations } from "../../storage/migrations.ts";
import { salvage } from "./salvage.ts";
import { isDamage } from "../../storage/watch-damage.ts";

/** The part of a log that a child process can pass on. */
export type RestoringLog = Record<"warn" | "error", (fields: object, message: string) => void>;

const noticeName = "library-notice";
/** A library that is restored at every start must not fill the window. */
const maxNotices = 5;
/** With a file beside it that SQLite keeps for each. */
const suffixes = ["", "-wal", "-shm"];

const asideName = (atMs: number): string =>
  `hearsay-damaged-${new Date(atMs).toISOString().replaceAll(/[:.]/g, "-")}.sqlite`;

/** What is being made, and what is made and only to be moved into its place. */
const draftPath = (path: string): string => `${path}.draft`;
const restoredPath = (path: string): string => `${path}.restoring`;

/** A crash during the restore left the new file beside the place of the old one. */
export function finishRestoring(dataDir: string, path: string, atMs: number): void {
  removeDraft(path);
  const restored = restoredPath(path);
  if (existsSync(path)) rmSync(restored, { force: true });
  else if (existsSync(restored)) {
    // The write-ahead log of the old file would be replayed into the new one.
    const last = readdirSync(dataDir)
      .filter((name) => /^hearsay-damaged-.*\.sqlite$/.test(name))
      .toSorted()
      .at(-1);
    setAside(path, join(dataDir, last ?? asideName(atMs)));
    putInPlace(path);
  }
}

function putInPlace(path: string): void {
  // It is about the old file, and would have the new one set aside too: gone first, lest a crash leaves it.
  rmSync(suspicionPath(path), { force: true });
  renameSync(restoredPath(path), path);
}

function setAside(path: string, asidePath: string): void {
  for (const suffix of suffixes)
    if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${asidePath}${suffix}`);
}

function removeDraft(path: string): void {
  for (const suffix of suffixes) rmSync(`${draftPath(path)}${suffix}`, { force: true });
}

/**
 * Copies the library and its log as they are, before opening them drops what is damaged.
 * @returns the copy's name
 * @throws where the disk is at fault: nothing is left of the copy then
 */
export function copyAside(dataDir: string, path: string, atMs: number): string {
  const name = asideName(atMs);
  const copied = ["", "-wal"].map(
    (suffix) => [`${path}${suffix}`, join(dataDir, `${name}${suffix}`)] as const,
  );
  try {
    for (const [from, to] of copied) copyFileSync(from, to);
  } catch (error) {
    for (const [, to] of copied) rmSync(to, { force: true });
    throw error;
  }
  return name;
}

/** Of a library that was opened without the newest changes, since its log was damaged. */
export function noteLostChanges(
  dataDir: string,
  database: Database,
  asideCopy: string,
  log: RestoringLog,
  atMs: number,
): void {
  database.change(() => {
    const notice = {
      atMs,
      setAside: asideCopy,
      salvagedItems: 0,
      foundItems: bringBackFoundItems(dataDir, database),
      hasKeysAndUsage: false,
      lacksNewestChanges: true,
    };
    storeNotice(database, notice);
    log.error(
      notice,
      "the write-ahead log of the library was damaged: its newest changes could not be read, a copy of both is set aside",
    );
  });
}

/** Those that the person has not read yet, newest first. */
export function storedNotices({ sqlite }: Database): LibraryNotice[] {
  const row = sqlite.prepare("SELECT value FROM settings WHERE name = ?").get(noticeName);
  try {
    // Older versions kept one alone.
    return row === undefined ? [] : storedForm.parse(JSON.parse(String(row["value"])));
  } catch {
    return [];
  }
}

const storedForm = z.preprocess(
  (value) => (Array.isArray(value) ? value : [value]),
  z.array(libraryNotice),
);

function storeNotice(database: Database, notice: LibraryNotice): void {
  database.change(() => {
    const notices = [notice, ...storedNotices(database)].slice(0, maxNotices);
    database.sqlite
      .prepare("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)")
      .run(noticeName, JSON.stringify(notices));
  });
}

export function forgetNotices({ change, sqlite }: Database): void {
  change(() => sqlite.prepare("DELETE FROM settings WHERE name = ?").run(noticeName));
}

/**
 * Sets the damaged library aside, and puts the newest good copy, or an empty one, in its place.
 * @param isLogDamaged what is read from the library lacks its newest changes
 * @throws where the disk is at fault: nothing was changed then
 */
export function restore(
  dataDir: string,
  path: string,
  log: RestoringLog,
  atMs: number,
  isLogDamaged = false,
): void {
  for (const copy of [...listCopies(dataDir), undefined]) {
    try {
      if (copy !== undefined && !isUsable(copy)) continue;
      restoreFrom(copy, dataDir, path, log, atMs, isLogDamaged);
      return;
    } catch (error) {
      if (copy === undefined || !isDamage(error)) throw error;
      log.warn({ err: error, copy: basename(copy.path) }, "a copy of the library is damaged too");
    }
  }
}

function isUsable({ path }: LibraryCopy): boolean {
  if (!isSound(path, "integrity_check")) return false;
  const schema = schemaOf(path);
  // An empty file has none.
  return schema > 0 && schema <= migrations.length;
}

function restoreFrom(
  copy: LibraryCopy | undefined,
  dataDir: string,
  path: string,
  log: RestoringLog,
  atMs: number,
  isLogDamaged: boolean,
): void {
  const draft = draftPath(path);
  removeDraft(path);
  if (copy !== undefined) copyFileSync(copy.path, draft);
  const asidePath = join(dataDir, asideName(atMs));
  const fresh = openDatabase(draft);
  let notice: LibraryNotice;
  try {
    probe(fresh.sqlite);
    const salvaged = salvage(path, fresh, atMs);
    const foundItems = bringBackFoundItems(dataDir, fresh);
    notice = {
      atMs,
      ...(existsSync(path) ? { setAside: basename(asidePath) } : {}),
      ...(copy === undefined ? {} : { copyMadeAtMs: copy.madeAtMs }),
      salvagedItems: salvaged.items,
      foundItems,
      hasKeysAndUsage: salvaged.hasKeysAndUsage && !isLogDamaged,
    };
    storeNotice(fresh, notice);
    // All of it in the one file that is moved.
    fresh.sqlite.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
  } finally {
    fresh.close();
  }
  renameSync(draft, restoredPath(path));
  setAside(path, asidePath);
  putInPlace(path);
  log.error(
    notice,
    copy === undefined
      ? "the library was damaged and is set aside: there was no copy of it, a new one was begun"
      : "the library was damaged and is set aside: its newest good copy is used",
  );
}

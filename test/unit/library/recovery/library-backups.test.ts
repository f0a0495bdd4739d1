import { mkdirSync, readdirSync, realpathSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { createHeadlessPlatform } from "../../../../main/cli/platform.ts";
import {
  backupsDir,
  backupPath,
  isBackupIntact,
  listBackups,
  removeOldBackups,
} from "../../../../main/library/recovery/backup-files.ts";
import { createLibraryBackups } from "../../../../main/library/recovery/library-backups.ts";
import { openDatabase } from "../../../../main/storage/database.ts";
import { libraryPath } from "../../../../main/library/recovery/open-library.ts";
import { listOpenFiles } from "../../../endure/soak/watched-process.ts";
import { quietLog } from "../../../support/app.ts";
import { openTestFolder } from "../../../support/test-data.ts";

const dayMs = 86_400_000;
const addChannel = "INSERT INTO channels VALUES ('a', '{}', 1)";

async function opened() {
  const dataDir = await openTestFolder();
  const path = libraryPath(dataDir);
  const database = openDatabase(path);
  onTestFinished(database.close);
  let nowMs = Date.parse("2026-11-01T12:00:00Z");
  let damage = 0;
  const copying = createLibraryBackups({
    dataDir,
    libraryPath: path,
    sqlite: database.sqlite,
    launchChild: createHeadlessPlatform(dataDir).launchChild,
    onDamage: () => (damage += 1),
    log: quietLog,
    now: () => nowMs,
  });
  onTestFinished(copying.close);
  const fill = (): void => database.change(() => database.sqlite.exec(addChannel));
  return {
    dataDir,
    path,
    database,
    fill,
    copying,
    later: (ms: number) => (nowMs += ms),
    damage: () => damage,
  };
}

it("makes one copy a day, in a child process, accessible only to its owner", async () => {
  const { dataDir, database, fill, copying, later } = await opened();
  fill();
  database.change(() => database.sqlite.exec("INSERT INTO settings VALUES ('a', 'b')"));
  // The copy does not wait for a writer with an open transaction.
  database.sqlite.exec("BEGIN IMMEDIATE; INSERT INTO settings VALUES ('unfinished', '')");
  expect(await copying.backUpIfNeeded()).toBe(true);
  database.sqlite.exec("COMMIT");
  expect(await copying.backUpIfNeeded()).toBe(true);
  const [copy, ...others] = listBackups(dataDir);
  expect(others).toEqual([]);
  expect(isBackupIntact(copy?.path ?? "")).toBe(true);
  expect(statSync(copy?.path ?? "").mode & 0o777).toBe(0o600);
  const backup = openDatabase(copy?.path ?? "");
  expect(
    backup.sqlite
      .prepare("SELECT name FROM settings")
      .all()
      .map((row) => row["name"]),
  ).toEqual(["a"]);
  backup.close();
  later(dayMs);
  expect(await copying.backUpIfNeeded()).toBe(true);
  expect(listBackups(dataDir)).toHaveLength(2);
});

it("keeps the newest copy of each of five days, and nothing unfinished", async () => {
  const { dataDir, fill, copying } = await opened();
  fill();
  expect(await copying.backUpIfNeeded()).toBe(true);
  const times = [0, 1, 2, 3, 4, 5, 6].map(
    (day) => Date.parse("2026-10-01T12:00:00Z") + day * dayMs,
  );
  for (const atMs of [...times, (times[6] ?? 0) + 1000])
    writeFileSync(backupPath(dataDir, atMs), "");
  writeFileSync(join(backupsDir(dataDir), "library-x.sqlite.partial"), "");
  removeOldBackups(dataDir);
  expect(readdirSync(backupsDir(dataDir)).map((name) => name.slice(8, 27))).toEqual([
    "2026-10-04T12-00-00",
    "2026-10-05T12-00-00",
    "2026-10-06T12-00-00",
    "2026-10-07T12-00-01",
    "2026-11-01T12-00-00",
  ]);
});

it("reports a library that cannot be read completely, and keeps the existing copies", async () => {
  const { dataDir, path, database, fill, copying, later, damage } = await opened();
  fill();
  expect(await copying.backUpIfNeeded()).toBe(true);
  database.close();
  writeFileSync(path, "no library".repeat(1000));
  later(dayMs);
  expect(await copying.backUpIfNeeded()).toBe(false);
  expect(damage()).toBe(1);
  expect(listBackups(dataDir)).toHaveLength(1);
  expect(readdirSync(backupsDir(dataDir))).toHaveLength(1);
});

it("makes no copy of an empty library, whether copies exist or not", async () => {
  const { dataDir, database, fill, copying, later } = await opened();
  expect(await copying.backUpIfNeeded()).toBe(false);
  expect(listBackups(dataDir)).toEqual([]);
  fill();
  expect(await copying.backUpIfNeeded()).toBe(true);
  const before = readdirSync(backupsDir(dataDir));
  database.change(() => database.sqlite.exec("DELETE FROM channels"));
  later(dayMs);
  expect(await copying.backUpIfNeeded()).toBe(false);
  expect(readdirSync(backupsDir(dataDir))).toEqual(before);
});

it.skipIf(process.platform !== "linux")("leaves no file open (needs Linux)", async () => {
  const { database, fill, copying, path } = await opened();
  const countOpen = (): number =>
    listOpenFiles(process.pid).filter((file) => file === realpathSync(path)).length;
  fill();
  // Holds a lock, as the app does while it serves requests.
  database.sqlite.exec("BEGIN; SELECT * FROM channels");
  expect(countOpen()).toBe(1);
  expect(await copying.backUpIfNeeded()).toBe(true);
  expect(countOpen()).toBe(1);
});

it("makes a copy even if the newest one cannot be read", async () => {
  const { dataDir, fill, copying } = await opened();
  fill();
  mkdirSync(backupPath(dataDir, Date.parse("2026-10-31T12:00:00Z")), { recursive: true });
  expect(await copying.backUpIfNeeded()).toBe(true);
  expect(isBackupIntact(listBackups(dataDir)[0]?.path ?? "")).toBe(true);
});

it("copies changes since the newest copy when the app stops, unless it ran only briefly", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "clearTimeout", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const { dataDir, path, fill, copying, later } = await opened();
  const changeAt = (ms: number): void =>
    [path, `${path}-wal`].forEach((file) => utimesSync(file, ms / 1000, ms / 1000));
  fill();
  copying.start();
  await copying.backUpAtExit();
  expect(listBackups(dataDir)).toEqual([]);
  vi.advanceTimersByTime(30_000);
  expect(await copying.backUpIfNeeded()).toBe(true);
  const [{ madeAtMs = 0 } = {}] = listBackups(dataDir);
  await copying.close();
  later(60_000);
  changeAt(madeAtMs - 1000);
  await copying.backUpAtExit();
  expect(listBackups(dataDir).map((copy) => copy.madeAtMs)).toEqual([madeAtMs]);
  changeAt(madeAtMs + 1000);
  await copying.backUpAtExit();
  expect(listBackups(dataDir).map((copy) => copy.madeAtMs)).toEqual([madeAtMs + 60_000]);
});

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { createNodePlatform } from "../../../../main/cli/platform.ts";
import {
  backupsDir,
  backupPath,
  isBackupIntact,
  listBackups,
  removeOldBackups,
} from "../../../../main/library/recovery/backup-files.ts";
import { createPeople } from "../../../../main/library/people.ts";
import { createLibraryBackups } from "../../../../main/library/recovery/library-backups.ts";
import { openDatabase } from "../../../../main/storage/database.ts";
import { loadSqlite } from "../../../../main/storage/load-sqlite.ts";
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
    launchChild: createNodePlatform(dataDir).launchChild,
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
  const [{ createdAtMs = 0 } = {}] = listBackups(dataDir);
  await copying.close();
  later(60_000);
  changeAt(createdAtMs - 1000);
  await copying.backUpAtExit();
  expect(listBackups(dataDir).map((copy) => copy.createdAtMs)).toEqual([createdAtMs]);
  changeAt(createdAtMs + 1000);
  await copying.backUpAtExit();
  expect(listBackups(dataDir).map((copy) => copy.createdAtMs)).toEqual([createdAtMs + 60_000]);
});

const voiceOf = (seed: number) => ({
  itemId: "a",
  title: "Talk",
  speechSec: 9,
  print: Float32Array.from({ length: 256 }, (_, i) => Math.sin(i + seed)),
});

it("forgets a person in all copies, and in libraries that were set aside", async () => {
  const { dataDir, path, database, fill, copying, later } = await opened();
  fill();
  expect(await copying.backUpIfNeeded()).toBe(true);
  const people = createPeople(database);
  const [gone, kept] = [voiceOf(1), voiceOf(2)];
  const { id } = people.remember("Adelheid", gone);
  people.remember("Bertram", kept);
  later(dayMs);
  expect(await copying.backUpIfNeeded()).toBe(true);
  writeFileSync(join(dataDir, "hearsay-damaged-2026.sqlite"), damagedCopy(path));
  writeFileSync(join(dataDir, "hearsay-damaged-2026.sqlite-wal"), readFileSync(`${path}-wal`));
  const copies = (): Buffer[] =>
    readdirSync(dataDir, { recursive: true, encoding: "utf8" })
      .filter((name) => /^backups.*sqlite$|damaged/.test(name))
      .map((name) => readFileSync(join(dataDir, name)));
  const countOf = (content: string | Float32Array): number =>
    copies().filter((bytes) =>
      bytes.includes(typeof content === "string" ? content : Buffer.from(content.buffer)),
    ).length;
  expect([copies().length, countOf(gone.print), countOf(kept.print)]).toEqual([4, 3, 3]);
  const partial = join(dataDir, "backups", "library-2026.sqlite.partial");
  writeFileSync(partial, Buffer.from(gone.print.buffer));
  const person = { id, prints: [new Uint8Array(gone.print.buffer)] };
  expect(await copying.forgetPerson(person, () => people.remove(id))).toBe(true);
  expect([copies().length, countOf(gone.print), countOf(kept.print)]).toEqual([4, 0, 3]);
  expect(existsSync(partial)).toBe(false);
  for (const { path: backup } of listBackups(dataDir)) {
    expect(readFileSync(backup).includes("Adelheid")).toBe(false);
    expect(isBackupIntact(backup, "integrity_check")).toBe(true);
  }
  expect(people.list().map(({ name }) => name)).toEqual(["Bertram"]);
});

it("forgets people and makes a copy one after the other", async () => {
  const { dataDir, database, fill, copying } = await opened();
  fill();
  const people = createPeople(database);
  const persons = ["Adelheid", "Bertram"].map((name, seed) => ({
    id: people.remember(name, voiceOf(seed)).id,
    prints: [],
  }));
  const forgotten = persons.map((person) =>
    copying.forgetPerson(person, () => people.remove(person.id)),
  );
  expect(await Promise.all([...forgotten, copying.backUpIfNeeded()])).toEqual([true, true, true]);
  expect(readFileSync(listBackups(dataDir)[0]?.path ?? "").includes("Adelheid")).toBe(false);
});

it("reads a copy of which a killed process left a journal", async () => {
  const { dataDir, database, fill, copying } = await opened();
  fill();
  const people = createPeople(database);
  for (let number = 0; number < 50; number++) people.remember(`${number}`, voiceOf(number));
  expect(await copying.backUpIfNeeded()).toBe(true);
  const [{ path: from = "" } = {}] = listBackups(dataDir);
  const backup = new (loadSqlite().DatabaseSync)(from);
  onTestFinished(() => backup.close());
  // Pages are written before the transaction ends.
  backup.exec("PRAGMA cache_size = 1; BEGIN; DELETE FROM people");
  const killed = join(dataDir, "killed.sqlite");
  for (const suffix of ["", "-journal"]) copyFileSync(`${from}${suffix}`, `${killed}${suffix}`);
  expect(isBackupIntact(killed)).toBe(true);
  expect(existsSync(`${killed}-journal`)).toBe(false);
});

/** With everything that is in the log, and a first page that SQLite cannot read. */
function damagedCopy(path: string): Buffer {
  return Buffer.concat([Buffer.alloc(4096, 1), readFileSync(`${path}-wal`)]);
}

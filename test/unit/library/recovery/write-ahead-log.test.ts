import {
  closeSync,
  copyFileSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createNodePlatform } from "../../../../main/cli/platform.ts";
import { isBackupIntact } from "../../../../main/library/recovery/backup-files.ts";
import type { Database } from "../../../../main/storage/database.ts";
import { createItems } from "../../../../main/library/items.ts";
import {
  type Library,
  libraryPath,
  openLibrary,
} from "../../../../main/library/recovery/open-library.ts";
import { hookWrites } from "../../../../main/storage/disk.ts";
import { quietLog } from "../../../support/app.ts";
import { openTestFolder } from "../../../support/test-data.ts";

const aside = "hearsay-damaged-2026-11-22T10-00-00-000Z.sqlite";
const frameBytes = 24 + 4096;

function open(dataDir: string): Library {
  const library = openLibrary({
    dataDir,
    isOwner: true,
    launchChild: createNodePlatform(dataDir).launchChild,
    log: quietLog,
    now: () => Date.parse("2026-11-22T10:00:00Z"),
    firstRetryMs: 5,
  });
  onTestFinished(library.close);
  return library;
}

const logOf = (dataDir: string): string => `${libraryPath(dataDir)}-wal`;
const countItems = (dataDir: string, { database }: Library): number =>
  createItems(database, { dataDir }).list().length;

function addItems(dataDir: string, database: Database, count: number): void {
  const items = createItems(database, { dataDir });
  for (let at = 0; at < count; at += 1)
    items.create({ kind: "transcript", title: `item ${at}`, source: "file", state: "done" });
}

/** Five items in the library's file and twenty in its log, as left by an app that is killed after `last`. */
async function killedApp(last: (database: Database) => void = () => {}): Promise<string> {
  const dataDir = await openTestFolder();
  const first = open(dataDir);
  addItems(dataDir, first.database, 5);
  first.close();
  const running = open(dataDir);
  addItems(dataDir, running.database, 20);
  last(running.database);
  const left = await openTestFolder();
  for (const pathOf of [libraryPath, logOf]) copyFileSync(pathOf(dataDir), pathOf(left));
  return left;
}

function change(path: string, work: (file: number, size: number) => void): void {
  const file = openSync(path, "r+");
  work(file, statSync(path).size);
  closeSync(file);
}

const overwrite = (path: string, at: number, length: number, byte = 0xa5): void =>
  change(path, (file) => writeSync(file, Buffer.alloc(length, byte), 0, length, at));
const flipBit = (path: string, at: number): void =>
  overwrite(path, at, 1, readFileSync(path).readUInt8(at) ^ 1);
const middleOf = (path: string): number => Math.floor(statSync(path).size / 2);

it("loses nothing of an intact log, and reports nothing", async () => {
  const dataDir = await killedApp();
  const library = open(dataDir);
  expect(library.state()).toEqual({ health: "ok" });
  expect(countItems(dataDir, library)).toBe(25);
});

it.each([
  ["is overwritten in its middle", (path: string) => overwrite(path, middleOf(path), 8192)],
  ["has one bit changed", (path: string) => flipBit(path, middleOf(path))],
  ["has an empty block", (path: string) => overwrite(path, middleOf(path), 4096, 0)],
])(
  "if the log %s, sets both files aside, keeps earlier transactions, and reports it until dismissed",
  async (_, damage) => {
    const dataDir = await killedApp();
    damage(logOf(dataDir));
    const [file, log] = [readFileSync(libraryPath(dataDir)), readFileSync(logOf(dataDir))];

    const library = open(dataDir);
    expect(library.state()).toEqual({
      health: "ok",
      notices: [
        {
          atMs: Date.parse("2026-11-22T10:00:00Z"),
          setAside: aside,
          salvagedItems: 0,
          foundItems: 0,
          hasKeysAndUsage: false,
          lacksNewestChanges: true,
        },
      ],
    });
    expect(countItems(dataDir, library)).toBeGreaterThan(5);
    expect(countItems(dataDir, library)).toBeLessThan(25);
    expect(readFileSync(join(dataDir, aside)).equals(file)).toBe(true);
    expect(readFileSync(join(dataDir, `${aside}-wal`)).equals(log)).toBe(true);
    library.close();

    const next = open(dataDir);
    expect(next.state().notices?.[0]?.lacksNewestChanges).toBe(true);
    next.dismissNotices();
    next.close();
    expect(open(dataDir).state()).toEqual({ health: "ok" });
  },
);

it.each([
  ["damaged", (path: string) => overwrite(path, 0, 32)],
  ["damaged in its checksum", (path: string) => flipBit(path, 31)],
])("reports a header that is %s", async (_, damage) => {
  const dataDir = await killedApp();
  damage(logOf(dataDir));
  const library = open(dataDir);
  expect(library.state().notices?.[0]?.lacksNewestChanges).toBe(true);
  expect(countItems(dataDir, library)).toBe(5);
});

/** Converts the log to that of a big-endian machine. */
function toBigEndian(path: string): void {
  const log = readFileSync(path);
  let sums = [0, 0] as [number, number];
  const add = (from: number, to: number): void => {
    for (let at = from; at < to; at += 8) {
      const first = (sums[0] + log.readUInt32BE(at) + sums[1]) >>> 0;
      sums = [first, (sums[1] + log.readUInt32BE(at + 4) + first) >>> 0];
    }
  };
  const store = (at: number): void =>
    sums.forEach((sum, which) => log.writeUInt32BE(sum, at + 4 * which));
  log.writeUInt32BE(0x377f0683, 0);
  add(0, 24);
  store(24);
  for (let at = 32; at < log.length; at += frameBytes) {
    add(at, at + 8);
    add(at + 24, at + frameBytes);
    store(at + 16);
  }
  writeFileSync(path, log);
}

it("reads a log of a big-endian machine", async () => {
  const [intact, damaged] = [await killedApp(), await killedApp()];
  for (const dataDir of [intact, damaged]) toBigEndian(logOf(dataDir));
  flipBit(logOf(damaged), middleOf(logOf(damaged)));
  const library = open(intact);
  expect(library.state()).toEqual({ health: "ok" });
  expect(countItems(intact, library)).toBe(25);
  expect(open(damaged).state().notices?.[0]?.lacksNewestChanges).toBe(true);
});

it("restores items whose files exist", async () => {
  const dataDir = await openTestFolder();
  const running = open(dataDir);
  addItems(dataDir, running.database, 20);
  const items = createItems(running.database, { dataDir });
  const { id } = items.create({
    kind: "transcript",
    title: "recorded",
    source: "file",
    state: "done",
  });
  const left = await openTestFolder();
  for (const pathOf of [libraryPath, logOf]) copyFileSync(pathOf(dataDir), pathOf(left));
  const folder = join(left, "library", id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "source.mp3"), "sound");
  overwrite(logOf(left), statSync(logOf(left)).size - 4 * frameBytes, 8);
  const library = open(left);
  expect(library.state().notices?.[0]).toMatchObject({ lacksNewestChanges: true, foundItems: 1 });
});

it("does not report an unfinished transaction at the end, with whole or partial frames", async () => {
  let committedBytes = 0;
  const dataDir = await killedApp(({ sqlite }) => {
    committedBytes = statSync(`${String(sqlite.location())}-wal`).size;
    sqlite.exec(
      `PRAGMA cache_size = 5;
       BEGIN IMMEDIATE;
       INSERT INTO usage (at_ms, model) VALUES (1, zeroblob(400000));
       INSERT INTO settings VALUES ('a', 'b')`,
    );
  });
  const path = logOf(dataDir);
  expect(statSync(path).size).toBeGreaterThan(committedBytes + 50 * frameBytes);
  overwrite(path, committedBytes + 20 * frameBytes, 8192);
  const library = open(dataDir);
  expect(library.state()).toEqual({ health: "ok" });
  expect(countItems(dataDir, library)).toBe(25);
});

it.each([
  [
    "is not complete",
    (path: string) => change(path, (file, size) => ftruncateSync(file, size - 100)),
  ],
  [
    "was not written in full",
    (path: string) => overwrite(path, statSync(path).size - 2000, 2000, 0),
  ],
])("does not report a last frame that %s", async (_, damage) => {
  const dataDir = await killedApp();
  damage(logOf(dataDir));
  const library = open(dataDir);
  expect(library.state()).toEqual({ health: "ok" });
  expect(countItems(dataDir, library)).toBeGreaterThanOrEqual(24);
});

it("does not report old frames that are already in the file, after those of a restarted log", async () => {
  const dataDir = await killedApp(({ sqlite }) =>
    sqlite.exec("PRAGMA wal_checkpoint(PASSIVE); INSERT INTO settings VALUES ('a', 'b')"),
  );
  const path = logOf(dataDir);
  // The salts of the first frame differ from those of the last, so the log was restarted.
  expect(
    readFileSync(path)
      .subarray(40, 48)
      .equals(readFileSync(path).subarray(-frameBytes + 8, -frameBytes + 16)),
  ).toBe(false);
  overwrite(path, middleOf(path), 8192);
  const library = open(dataDir);
  expect(library.state()).toEqual({ health: "ok" });
  expect(countItems(dataDir, library)).toBe(25);
});

it.each([
  ["usage", "key", "INSERT INTO usage (model, key)"],
  ["settings", "name", "INSERT INTO settings (value, name)"],
])(
  "restores a library of any size if the rest of its log mixes old and new pages of %s, and claims no keys or usage",
  async (table, column, insert) => {
    const dataDir = await killedApp(({ sqlite, setServing }) => {
      setServing(true);
      for (let at = 0; at < 500; at += 1)
        sqlite.exec(`${insert} VALUES ('', 'before ${at} ${"x".repeat(200)}')`);
      // Too large for a check at each start: its pages stay in the file as free pages.
      sqlite.exec(
        `INSERT INTO usage (at_ms, model) VALUES (-1, zeroblob(70000000));
         DELETE FROM usage WHERE at_ms = -1;
         PRAGMA wal_checkpoint(TRUNCATE)`,
      );
      for (let at = 0; at < 500; at += 4)
        sqlite.exec(
          `UPDATE ${table} SET ${column} = 'after ${at} ${"x".repeat(200)}' WHERE ${column} LIKE 'before ${at} %'`,
        );
      // Moved into the file, but still in the log.
      sqlite.exec("PRAGMA wal_checkpoint(PASSIVE)");
    });
    overwrite(logOf(dataDir), middleOf(logOf(dataDir)), 8192);
    const library = open(dataDir);
    expect(library.state()).toMatchObject({
      health: "ok",
      notices: [{ setAside: aside, hasKeysAndUsage: false }],
    });
    expect(library.state().notices?.[0]).not.toHaveProperty("lacksNewestChanges");
    expect(countItems(dataDir, library)).toBe(25);
    expect(isBackupIntact(library.path, "integrity_check")).toBe(true);
    expect(existsSync(join(dataDir, `${aside}-wal`))).toBe(true);
  },
);

it("leaves the log unchanged while there is no space for a copy of it", async () => {
  const dataDir = await killedApp();
  overwrite(logOf(dataDir), middleOf(logOf(dataDir)), 8192);
  const log = readFileSync(logOf(dataDir));
  let copies = 0;
  const makeRoom = hookWrites((operation) => {
    if (operation === "copyFile" && ++copies % 2 === 0)
      throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  });
  onTestFinished(makeRoom);
  const library = open(dataDir);
  expect(library.health()).toBe("unavailable");
  expect(readFileSync(logOf(dataDir)).equals(log)).toBe(true);
  expect(readdirSync(dataDir).filter((name) => name.startsWith("hearsay-damaged"))).toEqual([]);
  makeRoom();
  await library.opened;
  expect(library.state().notices?.[0]?.lacksNewestChanges).toBe(true);
  expect(existsSync(join(dataDir, `${aside}-wal`))).toBe(true);
});

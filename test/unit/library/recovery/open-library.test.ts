import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createNodePlatform } from "../../../../main/cli/platform.ts";
import {
  writeBackup,
  backupPath,
  isBackupIntact,
  listBackups,
} from "../../../../main/library/recovery/backup-files.ts";
import { openDatabase } from "../../../../main/storage/database.ts";
import { createDocuments } from "../../../../main/library/documents.ts";
import type { TranscribedSegment } from "../../../../main/library/transcript-rows.ts";
import { createPeople } from "../../../../main/library/people.ts";
import { createItems } from "../../../../main/library/items.ts";
import { migrations } from "../../../../main/storage/migrations.ts";
import {
  type Library,
  libraryPath,
  openLibrary,
} from "../../../../main/library/recovery/open-library.ts";
import { createSearch } from "../../../../main/library/search/search.ts";
import { createUsage } from "../../../../main/usage/records.ts";
import { createApiKeys } from "../../../../main/storage/settings/api-keys.ts";
import { createConfiguration } from "../../../../main/storage/settings/configuration.ts";
import { hookWrites } from "../../../../main/storage/disk.ts";
import { loadSqlite } from "../../../../main/storage/load-sqlite.ts";
import { quietLog } from "../../../support/app.ts";
import { openTestFolder } from "../../../support/test-data.ts";

const segment = (text: string): TranscribedSegment => ({
  startSec: 0,
  endSec: 1,
  text,
  words: [],
  language: "en",
  avgLogprob: 0,
  noSpeechProb: 0,
  compressionRatio: 1,
  isEdited: false,
});
const options = { model: "whisper-1", temperature: 0, translate: false };
const copyAtMs = Date.parse("2026-11-20T10:00:00Z");

function open(dataDir: string, isOwner = true): Library {
  const library = openLibrary({
    dataDir,
    isOwner,
    launchChild: createNodePlatform(dataDir).launchChild,
    log: quietLog,
    now: () => Date.parse("2026-11-22T10:00:00Z"),
  });
  onTestFinished(library.close);
  return library;
}

/** An item with audio and a transcript that takes several pages. */
function addItem(dataDir: string, library: Library, title: string): string {
  const items = createItems(library.database, { dataDir });
  const { id } = items.create({ kind: "transcript", title, source: "file", state: "done" });
  createDocuments(library.database).save(
    id,
    { durationSec: 1, language: "en", options, failed: [] },
    Array.from({ length: 200 }, (_, at) => segment(`${title} ${at} ${"word ".repeat(20)}`)),
  );
  writeFileSync(join(items.folder(id), "source.mp3"), "sound");
  return id;
}

const addUsage = ({ database }: Library, model: string): void =>
  database.write(
    () =>
      void database.sqlite
        .prepare("INSERT INTO usage (at_ms, key, model) VALUES (1, 'owner', ?)")
        .run(model),
  );
const titles = (dataDir: string, { database }: Library) =>
  createItems(database, { dataDir })
    .list()
    .map(({ title }) => title)
    .toSorted();

function overwrite(path: string, at: number, length: number): void {
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(length, 0xa5), 0, length, at);
  closeSync(file);
}

/** Byte offset of the root page of a table. */
function rootPageAt(path: string, table: string): number {
  const sqlite = new (loadSqlite().DatabaseSync)(path, { readOnly: true });
  const page = Number(
    sqlite.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table)?.["rootpage"],
  );
  const size = Number(sqlite.prepare("PRAGMA page_size").get()?.["page_size"]);
  sqlite.close();
  return (page - 1) * size;
}

/** Overwrites one page of the file with another one, as a misdirected write does. */
function overwriteByPage(path: string, fromAt: number, toAt: number): void {
  const page = Buffer.alloc(4096);
  const file = openSync(path, "r+");
  readSync(file, page, 0, page.length, fromAt);
  writeSync(file, page, 0, page.length, toAt);
  closeSync(file);
}

/** Offsets of the child pages of a table's root page. */
function childPagesAt(path: string, table: string): number[] {
  const root = readFileSync(path).subarray(rootPageAt(path, table)).subarray(0, 4096);
  expect(root[0], "an interior page").toBe(5);
  return Array.from(
    { length: root.readUInt16BE(3) },
    (_, cell) => (root.readUInt32BE(root.readUInt16BE(12 + 2 * cell)) - 1) * 4096,
  );
}

/** 400 items and 300 keys, and a copy with all of them. */
async function manyWithCopy(dataDir: string): Promise<void> {
  const library = open(dataDir);
  const items = createItems(library.database, { dataDir });
  library.database.change(() => {
    for (let at = 0; at < 400; at += 1)
      items.create({ kind: "transcript", title: `item ${at}`, source: "file", state: "done" });
  });
  const keys = await createApiKeys({ dataDir, database: library.database });
  library.database.change(() => {
    for (let at = 0; at < 300; at += 1)
      keys.create({ name: `key ${at}`, budgetCountsLocal: false });
  });
  writeBackup(library.path, backupPath(dataDir, copyAtMs));
  library.close();
}

const countOf = ({ database }: Library, table: string): number =>
  Number(database.sqlite.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.["count"]);

/** A library with a copy from two days ago, an item that is older than the copy and one that is newer. */
function libraryWithCopy(dataDir: string): { older: string; newer: string } {
  const library = open(dataDir);
  const older = addItem(dataDir, library, "older");
  addUsage(library, "before");
  writeBackup(library.path, backupPath(dataDir, copyAtMs));
  const newer = addItem(dataDir, library, "newer");
  addUsage(library, "after");
  createItems(library.database, { dataDir }).change(older, { title: "older, renamed" });
  library.database.close();
  return { older, newer };
}

it("opens an intact library unchanged", async () => {
  const dataDir = await openTestFolder();
  libraryWithCopy(dataDir);
  const library = open(dataDir);
  expect(library.state()).toEqual({ health: "ok", newestCopyMs: copyAtMs });
  expect(titles(dataDir, library)).toEqual(["newer", "older, renamed"]);
});

it("sets a damaged library aside, uses the newest copy and salvages what can be read", async () => {
  const dataDir = await openTestFolder();
  const { older } = libraryWithCopy(dataDir);
  const path = libraryPath(dataDir);
  const before = readFileSync(path);
  overwrite(path, rootPageAt(path, "segments"), 4096);
  const damaged = readFileSync(path);
  expect(damaged.equals(before)).toBe(false);

  const library = open(dataDir);
  const { health, notices } = library.state();
  const [notice] = notices ?? [];
  expect({ health, notice }).toEqual({
    health: "ok",
    notice: {
      atMs: Date.parse("2026-11-22T10:00:00Z"),
      setAside: "hearsay-damaged-2026-11-22T10-00-00-000Z.sqlite",
      copyMadeAtMs: copyAtMs,
      salvagedItems: 0,
      foundItems: 1,
      hasKeysAndUsage: true,
    },
  });
  expect(readFileSync(join(dataDir, notice?.setAside ?? "")).equals(damaged)).toBe(true);
  // Segments could not be read, so the copy's transcript stays. The newer item is there with its audio.
  expect(createDocuments(library.database).read(older).segments).toHaveLength(200);
  expect(createItems(library.database, { dataDir }).list()).toHaveLength(2);
  expect(
    library.database.sqlite
      .prepare("SELECT model FROM usage")
      .all()
      .map((row) => row["model"]),
  ).toEqual(["before", "after"]);
  expect(statSync(path).mode & 0o777).toBe(0o600);

  library.database.close();
  const again = open(dataDir);
  expect(again.state().notices).toEqual([notice]);
  again.dismissNotices();
  again.database.close();
  expect(open(dataDir).state().notices).toBeUndefined();
});

it("keeps earlier notices until they are dismissed", async () => {
  const dataDir = await openTestFolder();
  libraryWithCopy(dataDir);
  const path = libraryPath(dataDir);
  const restoredAt = (atMs: number) => {
    writeFileSync(`${path}.damaged`, "");
    const library = openLibrary({
      dataDir,
      isOwner: true,
      launchChild: createNodePlatform(dataDir).launchChild,
      log: quietLog,
      now: () => atMs,
    });
    onTestFinished(library.close);
    return library;
  };
  const first = restoredAt(1_000);
  // Older versions stored a single notice.
  first.database.change(() =>
    first.database.sqlite
      .prepare("UPDATE settings SET value = ? WHERE name = 'library-notice'")
      .run(JSON.stringify(first.state().notices?.[0])),
  );
  first.close();
  const second = restoredAt(2_000);
  expect(second.state().notices?.map(({ atMs }) => atMs)).toEqual([2_000, 1_000]);
  second.dismissNotices();
  expect(second.state().notices).toBeUndefined();
  second.close();
  expect(
    restoredAt(3_000)
      .state()
      .notices?.map(({ atMs }) => atMs),
  ).toEqual([3_000]);
});

it("salvages newer and changed items when only the usage table is damaged, and reports it", async () => {
  const dataDir = await openTestFolder();
  const { newer } = libraryWithCopy(dataDir);
  const path = libraryPath(dataDir);
  overwrite(path, rootPageAt(path, "usage"), 4096);
  const library = open(dataDir);
  expect(library.state().notices?.[0]).toMatchObject({
    salvagedItems: 2,
    foundItems: 0,
    hasKeysAndUsage: false,
  });
  expect(titles(dataDir, library)).toEqual(["newer", "older, renamed"]);
  expect(createDocuments(library.database).read(newer).segments).toHaveLength(200);
  expect(createSearch(library.database).search("newer").length).toBeGreaterThan(0);
});

it.each([
  ["overwritten at its beginning", (path: string) => overwrite(path, 0, 4096)],
  ["cut off", (path: string) => truncateSync(path, 9000)],
  [
    "replaced by a text",
    (path: string) =>
      writeFileSync(path, "this is no library at all, but a note of somebody\n".repeat(100)),
  ],
])("uses the copy when the file is %s", async (_, damage) => {
  const dataDir = await openTestFolder();
  libraryWithCopy(dataDir);
  damage(libraryPath(dataDir));
  const library = open(dataDir);
  expect(library.state()).toMatchObject({
    health: "ok",
    notices: [{ copyMadeAtMs: copyAtMs, foundItems: 1 }],
  });
  expect(titles(dataDir, library)).toContain("older");
});

it("skips a copy that is damaged too, and starts empty where no copy is left", async () => {
  const dataDir = await openTestFolder();
  libraryWithCopy(dataDir);
  copyFileSync(backupPath(dataDir, copyAtMs), backupPath(dataDir, copyAtMs + 1000));
  overwrite(backupPath(dataDir, copyAtMs + 1000), 4096, 8192);
  overwrite(libraryPath(dataDir), 0, 4096);
  const first = open(dataDir);
  expect(first.state().notices?.[0]?.copyMadeAtMs).toBe(copyAtMs);
  first.database.close();

  const other = await openTestFolder();
  writeFileSync(libraryPath(other), "nothing that could be read".repeat(1000));
  const library = open(other);
  expect(library.state()).toMatchObject({
    health: "ok",
    notices: [{ salvagedItems: 0, foundItems: 0 }],
  });
  expect(library.state().notices?.[0]).not.toHaveProperty("copyMadeAtMs");
});

it("rebuilds a damaged search index on its own, and keeps the library", async () => {
  const dataDir = await openTestFolder();
  libraryWithCopy(dataDir);
  const damaged = openDatabase(libraryPath(dataDir));
  damaged.sqlite.enableDefensive(false);
  damaged.sqlite.exec("DELETE FROM segment_words_data WHERE id > 10");
  damaged.close();
  const library = open(dataDir);
  expect(library.state().notices).toBeUndefined();
  expect(createSearch(library.database).search("newer").length).toBeGreaterThan(0);
});

it("restores a library that was marked as damaged, even if a check finds nothing", async () => {
  const dataDir = await openTestFolder();
  libraryWithCopy(dataDir);
  writeFileSync(`${libraryPath(dataDir)}.damaged`, "");
  const library = open(dataDir);
  expect(library.state()).toMatchObject({
    health: "ok",
    notices: [{ copyMadeAtMs: copyAtMs, salvagedItems: 2, hasKeysAndUsage: true }],
  });
  expect(titles(dataDir, library)).toEqual(["newer", "older, renamed"]);
  library.close();
  expect(existsSync(`${libraryPath(dataDir)}.damaged`)).toBe(false);
});

it("keeps the record of what left the machine after the copy was made", async () => {
  const dataDir = await openTestFolder();
  libraryWithCopy(dataDir);
  const damaged = openDatabase(libraryPath(dataDir));
  damaged.sqlite.exec(
    "INSERT INTO departures VALUES ('2026-11-21', 'cloud.test', 'channel', 'Cloud', 1, 2, 3, 4)",
  );
  damaged.close();
  writeFileSync(`${libraryPath(dataDir)}.damaged`, "");
  expect(countOf(open(dataDir), "departures")).toBe(1);
});

it("restores in the same start if another page replaced an empty index, which checks do not detect", async () => {
  const dataDir = await openTestFolder();
  libraryWithCopy(dataDir);
  const path = libraryPath(dataDir);
  overwriteByPage(
    path,
    rootPageAt(path, "pronunciations"),
    rootPageAt(path, "sqlite_autoindex_settings_1"),
  );
  expect(isBackupIntact(path, "integrity_check")).toBe(true);
  const library = open(dataDir);
  expect(library.state()).toMatchObject({ health: "ok", notices: [{ copyMadeAtMs: copyAtMs }] });
  expect(titles(dataDir, library)).toEqual(["newer", "older, renamed"]);
});

it.each(["items", "api_keys"])(
  "loses nothing of the copy when one page of %s was replaced by another",
  async (table) => {
    const dataDir = await openTestFolder();
    await manyWithCopy(dataDir);
    const path = libraryPath(dataDir);
    const [first = 0, second = 0] = childPagesAt(path, table);
    overwriteByPage(path, first, second);
    const library = open(dataDir);
    expect(library.state().notices?.[0]).toMatchObject({
      copyMadeAtMs: copyAtMs,
      hasKeysAndUsage: table === "items",
    });
    expect(titles(dataDir, library)).toHaveLength(400);
    expect(countOf(library, "api_keys")).toBe(300);
  },
);

it("keeps the people who were remembered last, and brings back nobody who was forgotten", async () => {
  const dataDir = await openTestFolder();
  const { database, path } = open(dataDir);
  const people = createPeople(database);
  const voice = { itemId: "a", title: "Talk", speechSec: 9, print: Float32Array.of(1, 0) };
  const { id } = people.remember("Ada", voice);
  writeBackup(path, backupPath(dataDir, copyAtMs));
  people.remember("Bob", voice);
  people.remove(id);
  const before = people.exportAll();
  database.close();
  overwrite(path, rootPageAt(path, "usage"), 4096);
  expect(createPeople(open(dataDir).database).exportAll()).toEqual(before);
});

it("moves items into the trash that were deleted after the copy was made", async () => {
  const dataDir = await openTestFolder();
  const { older } = libraryWithCopy(dataDir);
  const library = open(dataDir);
  library.database.change(() =>
    library.database.sqlite.prepare("DELETE FROM items WHERE id = ?").run(older),
  );
  library.close();
  const path = libraryPath(dataDir);
  overwrite(path, rootPageAt(path, "usage"), 4096);
  const mended = open(dataDir);
  expect(titles(dataDir, mended)).toEqual(["newer"]);
  expect(
    createItems(mended.database, { dataDir })
      .list({ isDeleted: true })
      .map(({ title }) => title),
  ).toEqual(["older"]);
});

it("keeps the copy's whole transcript when some of its segments cannot be found", async () => {
  const dataDir = await openTestFolder();
  const { older } = libraryWithCopy(dataDir);
  const path = libraryPath(dataDir);
  // The index for the segments is replaced by another table's empty one, so that no statement fails.
  overwriteByPage(path, rootPageAt(path, "takes_by_item"), rootPageAt(path, "segments_by_time"));
  const library = open(dataDir);
  expect(library.state().notices?.[0]?.copyMadeAtMs).toBe(copyAtMs);
  expect(createDocuments(library.database).read(older).segments).toHaveLength(200);
});

it.each([
  ["empty", (path: string) => truncateSync(path, 0)],
  ["missing", (path: string) => rmSync(path)],
])(
  "restores a library that is %s at the start of the app, but not in single commands",
  async (_, lose) => {
    const dataDir = await openTestFolder();
    libraryWithCopy(dataDir);
    lose(libraryPath(dataDir));
    expect(() => open(dataDir, false)).toThrow(
      expect.objectContaining({ key: "library_unavailable" }),
    );
    const library = open(dataDir);
    expect(library.state()).toMatchObject({
      health: "ok",
      notices: [{ copyMadeAtMs: copyAtMs, foundItems: 1, hasKeysAndUsage: false }],
    });
    expect(titles(dataDir, library)).toContain("older");
  },
);

it("skips an empty copy", async () => {
  const dataDir = await openTestFolder();
  libraryWithCopy(dataDir);
  writeFileSync(backupPath(dataDir, copyAtMs + 1000), "");
  truncateSync(libraryPath(dataDir), 0);
  expect(open(dataDir).state().notices?.[0]?.copyMadeAtMs).toBe(copyAtMs);
});

it.each(["settings", "channels", "api_keys", "items"])(
  "restores a library over 64 MB in the start that reads a damaged page of %s",
  async (table) => {
    const dataDir = await openTestFolder();
    libraryWithCopy(dataDir);
    const path = libraryPath(dataDir);
    const large = openDatabase(path);
    // Its pages stay in the file as free pages.
    large.sqlite.exec(
      "INSERT INTO usage (at_ms, model) VALUES (2, zeroblob(70000000)); DELETE FROM usage WHERE at_ms = 2",
    );
    large.close();
    expect(statSync(path).size).toBeGreaterThan(64 * 2 ** 20);
    overwrite(path, rootPageAt(path, table), 4096);
    const library = open(dataDir);
    expect(library.state()).toMatchObject({ health: "ok", notices: [{ copyMadeAtMs: copyAtMs }] });
    expect(titles(dataDir, library)).toHaveLength(2);
  },
);

it("continues a restore that a crash interrupted", async () => {
  const dataDir = await openTestFolder();
  libraryWithCopy(dataDir);
  const path = libraryPath(dataDir);
  renameSync(path, `${path}.restoring`);
  expect(titles(dataDir, open(dataDir))).toEqual(["newer", "older, renamed"]);
  expect(existsSync(`${path}.restoring`)).toBe(false);
});

it("keeps the restored library after a crash, even if the old one was marked as damaged", async () => {
  const dataDir = await openTestFolder();
  libraryWithCopy(dataDir);
  const path = libraryPath(dataDir);
  renameSync(path, `${path}.restoring`);
  writeFileSync(`${path}.damaged`, "");
  expect(open(dataDir).state()).toEqual({ health: "ok", newestCopyMs: copyAtMs });
  expect(existsSync(`${path}.damaged`)).toBe(false);
});

it("removes the damage mark of the old file before it moves the restored one into place", async () => {
  const dataDir = await openTestFolder();
  libraryWithCopy(dataDir);
  const path = libraryPath(dataDir);
  writeFileSync(`${path}.damaged`, "");
  const suspected: boolean[] = [];
  onTestFinished(
    hookWrites(
      (operation) => void (operation === "rename" && suspected.push(existsSync(`${path}.damaged`))),
    ),
  );
  open(dataDir);
  expect(suspected.at(-1)).toBe(false);
});

it("starts the restore again when a crash ended it before the file was created", async () => {
  const dataDir = await openTestFolder();
  libraryWithCopy(dataDir);
  const path = libraryPath(dataDir);
  rmSync(path);
  const goOn = hookWrites((operation) => {
    if (operation === "database") throw new Error("as if it ended here");
  });
  onTestFinished(goOn);
  expect(() => open(dataDir)).toThrow("cannot be opened");
  goOn();
  expect(readdirSync(dataDir).filter((name) => name.startsWith("hearsay.sqlite"))).not.toEqual([]);
  expect(open(dataDir).state()).toMatchObject({
    health: "ok",
    notices: [{ copyMadeAtMs: copyAtMs, foundItems: 1 }],
  });
  expect(readdirSync(dataDir).filter((name) => /draft|restoring/.test(name))).toEqual([]);
});

it("does not replay the write-ahead log of the old file into a restored one that a crash left behind", async () => {
  const dataDir = await openTestFolder();
  libraryWithCopy(dataDir);
  const path = libraryPath(dataDir);
  renameSync(path, `${path}.restoring`);
  // The log of another library, which contains all of its pages.
  const other = openDatabase(path);
  other.change(() => other.sqlite.exec("INSERT INTO settings VALUES ('whose', 'the old one')"));
  copyFileSync(`${path}-wal`, `${path}-kept`);
  other.close();
  rmSync(path);
  renameSync(`${path}-kept`, `${path}-wal`);
  const aside = join(dataDir, "hearsay-damaged-2026-11-22T09-00-00-000Z.sqlite");
  writeFileSync(aside, "damaged");
  expect(titles(dataDir, open(dataDir))).toEqual(["newer", "older, renamed"]);
  expect(statSync(`${aside}-wal`).size).toBeGreaterThan(4096);
});

it("detects damage in any statement, and repairs it at the next start", async () => {
  const dataDir = await openTestFolder();
  libraryWithCopy(dataDir);
  const path = libraryPath(dataDir);
  const at = rootPageAt(path, "takes");
  const library = open(dataDir);
  overwrite(path, at, 4096);
  expect(library.health()).toBe("ok");
  expect(() => library.database.sqlite.prepare("SELECT * FROM takes").all()).toThrow("malformed");
  expect(library.health()).toBe("damaged");
  library.database.close();
  const next = open(dataDir);
  expect(next.state()).toMatchObject({ health: "ok", notices: [{ copyMadeAtMs: copyAtMs }] });
  expect(titles(dataDir, next)).toEqual(["newer", "older, renamed"]);
  expect(readdirSync(dataDir).filter((name) => name.endsWith(".damaged"))).toEqual([]);
});

it("runs without a library that cannot be opened: only the owner has access", async () => {
  const dataDir = await openTestFolder();
  mkdirSync(libraryPath(dataDir));
  expect(() => open(dataDir, false)).toThrow("cannot be opened");
  const { database, health } = open(dataDir);
  expect(health()).toBe("unavailable");
  const keys = await createApiKeys({ dataDir, database, isUnavailable: () => true });
  expect(keys.verify(keys.key)?.isOwner).toBe(true);
  expect(() => keys.verify("hs-another-key")).toThrow(
    expect.objectContaining({ key: "library_unavailable" }),
  );
});

it("opens a library in the background as soon as possible, also for existing prepared statements", async () => {
  const dataDir = await openTestFolder();
  const before = open(dataDir);
  const made = await createApiKeys({ dataDir, database: before.database });
  const { secret } = made.create({ name: "phone", budgetCountsLocal: false });
  addItem(dataDir, before, "kept");
  before.close();
  const path = libraryPath(dataDir);
  renameSync(path, `${path}-away`);
  mkdirSync(path);

  let changes = 0;
  const library = openLibrary({
    dataDir,
    isOwner: true,
    launchChild: createNodePlatform(dataDir).launchChild,
    log: quietLog,
    onChange: () => (changes += 1),
    firstRetryMs: 5,
  });
  onTestFinished(library.close);
  const { database } = library;
  const keys = await createApiKeys({
    dataDir,
    database,
    isUnavailable: () => library.health() === "unavailable",
  });
  const items = createItems(database, { dataDir });
  const usage = createUsage(database, quietLog);
  onTestFinished(usage.close);
  const configuration = createConfiguration(database, quietLog);
  expect(items.list()).toEqual([]);
  expect(configuration.channels()).toEqual([]);
  expect(() => items.create({ kind: "transcript", title: "lost", source: "file" })).toThrow(
    expect.objectContaining({ key: "library_unavailable" }),
  );
  expect(() => keys.verify(secret)).toThrow(
    expect.objectContaining({ key: "library_unavailable" }),
  );
  usage.add({
    atMs: 1,
    key: "owner",
    endpoint: "speech",
    model: "tts-1",
    channel: "",
    audioSec: undefined,
    characters: undefined,
    status: 200,
    durationMs: 1,
    receivedBytes: 0,
    sentBytes: 0,
    spentUsd: undefined,
    savedUsd: undefined,
  });
  expect(usage.sum({ by: "model" })).toEqual([]);

  rmdirSync(path);
  renameSync(`${path}-away`, path);
  await library.opened;
  expect(library.health()).toBe("ok");
  expect(library.state().notices).toBeUndefined();
  expect(changes).toBe(1);
  expect(keys.verify(secret)?.name).toBe("phone");
  expect(items.list().map(({ title }) => title)).toEqual(["kept"]);
  items.create({ kind: "transcript", title: "after", source: "file" });
  expect(usage.sum({ by: "model" })).toMatchObject([{ group: "tts-1", requests: 1 }]);
  configuration.setRouting({ ...configuration.routing(), prefer: "cloud" });
  expect(configuration.routing().prefer).toBe("cloud");
});

it("restores and creates nothing while the disk itself fails", async () => {
  const dataDir = await openTestFolder();
  libraryWithCopy(dataDir);
  const path = libraryPath(dataDir);
  overwrite(path, rootPageAt(path, "segments"), 4096);
  const undo = hookWrites((operation) => {
    if (operation === "copyFile")
      throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  });
  onTestFinished(undo);
  const damaged = readFileSync(path);
  const library = openLibrary({
    dataDir,
    isOwner: true,
    launchChild: createNodePlatform(dataDir).launchChild,
    log: quietLog,
    firstRetryMs: 5,
  });
  onTestFinished(library.close);
  expect(library.health()).toBe("unavailable");
  expect(readFileSync(path).equals(damaged)).toBe(true);
  const writes = new Set<string>();
  hookWrites((operation) => void writes.add(operation));
  await library.opened;
  // A child process does the work, because this process serves requests.
  expect([...writes].filter((operation) => !["open", "chmod"].includes(operation))).toEqual([]);
  expect(library.state()).toMatchObject({ health: "ok", notices: [{ copyMadeAtMs: copyAtMs }] });
  expect(titles(dataDir, library)).toHaveLength(2);
});

it("rejects other keys while their table cannot be read, and admits the owner", async () => {
  const dataDir = await openTestFolder();
  const library = open(dataDir);
  const keys = await createApiKeys({ dataDir, database: library.database });
  const { secret } = keys.create({ name: "phone", budgetCountsLocal: false });
  expect(keys.verify(secret)?.name).toBe("phone");
  library.database.sqlite.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  overwrite(library.path, rootPageAt(library.path, "api_keys"), 4096);
  // Another connection writes something, so that the pages are read again.
  const other = openDatabase(library.path);
  other.change(() => other.sqlite.exec("INSERT INTO settings VALUES ('a', 'b')"));
  other.close();
  library.database.change(() => {});
  expect(() => keys.verify(secret)).toThrow(
    expect.objectContaining({ key: "library_unavailable" }),
  );
  expect(keys.verify(keys.key)?.isOwner).toBe(true);
});

it.each(Array.from({ length: migrations.length - 1 }, (_, at) => [at + 1, at % 2 === 0] as const))(
  "copies a library of schema %i before it migrates it (as its owner: %s), and loses nothing",
  async (schema, isOwner) => {
    const dataDir = await openTestFolder();
    const old = new (loadSqlite().DatabaseSync)(libraryPath(dataDir));
    for (const step of migrations.slice(0, schema)) old.exec(step);
    old.exec(
      `PRAGMA user_version = ${schema};
       INSERT INTO settings VALUES ('preferences', '{"theme":"dark"}');
       INSERT INTO usage (model) VALUES ('whisper-1')`,
    );
    old.close();
    const { database } = open(dataDir, isOwner);
    expect(database.sqlite.prepare("SELECT value FROM settings").get()?.["value"]).toBe(
      '{"theme":"dark"}',
    );
    expect(database.sqlite.prepare("SELECT count(*) AS count FROM usage").get()?.["count"]).toBe(1);
    const [copy] = listBackups(dataDir);
    const backup = new (loadSqlite().DatabaseSync)(copy?.path ?? "", { readOnly: true });
    expect(backup.prepare("PRAGMA user_version").get()?.["user_version"]).toBe(schema);
    backup.close();
  },
);

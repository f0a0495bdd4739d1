import { chmodSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished, vi } from "vitest";
import { storageFullError } from "../../../main/contract/errors.ts";
import { openDatabase, openExistingDatabase } from "../../../main/storage/database.ts";
import { migrations } from "../../../main/storage/migrations.ts";
import { runInOtherProcess, openTestLibrary } from "../../support/library.ts";
import { openTestFolder } from "../../support/test-data.ts";

const put = "INSERT INTO settings (name, value) VALUES (?, '1')";
const countSettings = "SELECT count(*) AS n FROM settings";

it.skipIf(process.platform === "win32")(
  "makes its files accessible only to the owner, also if they were open before",
  async () => {
    const path = join(await openTestFolder(), "library.db");
    const modes = () =>
      readdirSync(join(path, "..")).map((name) => statSync(join(path, "..", name)).mode & 0o777);
    const first = openTestLibrary(path);
    first.change(() => first.sqlite.prepare(put).run("a"));
    expect(modes()).toEqual([0o600, 0o600, 0o600]);
    first.close();
    chmodSync(path, 0o644);
    openTestLibrary(path);
    expect(modes()).toEqual([0o600, 0o600, 0o600]);
  },
);

it("does not wait when it opens an existing file", async () => {
  const path = join(await openTestFolder(), "library.db");
  openDatabase(path).close();
  const wait = vi.spyOn(Atomics, "wait");
  onTestFinished(() => wait.mockRestore());
  const { sqlite, close } = openExistingDatabase(path, () => {});
  expect(sqlite.prepare("PRAGMA busy_timeout").get()).toEqual({ timeout: 25 });
  close();
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; SELECT * FROM items");
  expect(() => openExistingDatabase(path, () => {})).toThrow("locked");
  expect(wait).not.toHaveBeenCalled();
});

it("keeps what was written from run to run", async () => {
  const path = join(await openTestFolder(), "library.db");
  const first = openTestLibrary(path);
  first.change(() => first.sqlite.prepare(put).run("a"));
  first.close();
  first.close();
  const second = openTestLibrary(path);
  expect(second.sqlite.prepare(countSettings).get()).toMatchObject({ n: 1 });
  expect(second.sqlite.prepare("PRAGMA journal_mode").get()).toMatchObject({ journal_mode: "wal" });
  expect(second.sqlite.prepare("PRAGMA foreign_keys").get()).toMatchObject({ foreign_keys: 1 });
});

it("has a new version after each change, but not after background writes", () => {
  const { sqlite, change, write, version } = openTestLibrary();
  const before = version();
  write(() => sqlite.prepare(put).run("a"));
  expect(version()).toBe(before);
  change(() => sqlite.prepare(put).run("b"));
  const after = version();
  expect(after).not.toBe(before);
  change(() => change(() => sqlite.prepare(put).run("c")));
  expect([before, after]).not.toContain(version());
});

it("rolls back all of a change that fails", () => {
  const { sqlite, change } = openTestLibrary();
  expect(() =>
    change(() => {
      sqlite.prepare(put).run("a");
      throw new Error("no");
    }),
  ).toThrow("no");
  expect(sqlite.prepare(countSettings).get()).toMatchObject({ n: 0 });
  change(() => sqlite.prepare(put).run("a"));
  expect(sqlite.prepare(countSettings).get()).toMatchObject({ n: 1 });
});

it("reports a full disk", () => {
  const { sqlite, change } = openTestLibrary();
  sqlite.exec("PRAGMA max_page_count = 1");
  const fill = () => change(() => sqlite.prepare(put).run("x".repeat(1_000_000)));
  expect(fill).toThrow(
    expect.objectContaining({ key: "storage_full", message: storageFullError().message }),
  );
  sqlite.exec("PRAGMA max_page_count = 100000");
  fill();
});

it("is created once by eight processes that start together, which then write in turn", async () => {
  const path = join(await openTestFolder(), "library.db");
  const source = `
    import { openDatabase, openExistingDatabase } from '$main/storage/database.ts';
    const { sqlite, change, close } = openDatabase(process.argv[1]);
    const statement = sqlite.prepare(${JSON.stringify(put)});
    for (let n = 0; n < 10; n += 1) change(() => statement.run(process.pid + ' ' + n));
    close();`;
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, () => runInOtherProcess(source, [path])),
  );
  expect(outcomes.map(({ stderr }) => stderr)).toEqual(Array.from({ length: 8 }, () => ""));
  expect(openTestLibrary(path).sqlite.prepare(countSettings).get()).toMatchObject({ n: 80 });
});

it("suppresses the warning about SQLite, and no other", async () => {
  const source = `
    const warnings = [];
    process.emitWarning = (text) => warnings.push(String(text));
    const original = process.emitWarning;
    const real = process.getBuiltinModule;
    process.getBuiltinModule = (name) => {
      process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning');
      process.emitWarning('something else', 'ExperimentalWarning');
      return real(name);
    };
    const { openDatabase } = await import('$main/storage/database.ts');
    openDatabase(':memory:').close();
    console.log(JSON.stringify({ warnings, restored: process.emitWarning === original }));`;
  const { stdout } = await runInOtherProcess(source, []);
  expect(JSON.parse(stdout)).toEqual({ warnings: ["something else"], restored: true });
  const open = `
    import { openDatabase } from '$main/storage/database.ts';
    openDatabase(':memory:').close();`;
  expect((await runInOtherProcess(open, [])).stderr).toBe("");
});

it("rejects a file of a newer version, and leaves it unchanged", async () => {
  const path = join(await openTestFolder(), "library.db");
  const newer = new DatabaseSync(path);
  newer.exec(`PRAGMA user_version = ${migrations.length + 1}`);
  newer.close();
  expect(() => openDatabase(path)).toThrow(
    expect.objectContaining({
      name: "AppError",
      message: expect.stringContaining("written by a newer Hearsay") as string,
    }),
  );
  const again = new DatabaseSync(path);
  expect(again.prepare("SELECT count(*) AS n FROM sqlite_schema").get()).toMatchObject({ n: 0 });
  again.close();
});

it("reports why it cannot be opened, without a path", async () => {
  const folder = await openTestFolder();
  const broken = join(folder, "broken.db");
  writeFileSync(broken, "This is no database. ".repeat(500));
  for (const [path, why] of [
    [broken, "file is not a database"],
    [folder, "unable to open database file"],
    [join(folder, "missing", "library.db"), "ENOENT"],
  ] as const) {
    expect(() => openDatabase(path)).toThrow(
      expect.objectContaining({
        name: "AppError",
        message: `The library in the data folder cannot be opened: ${why}.`,
      }),
    );
  }
});

it("does not wait for another program while it serves: it reports a busy library, and rolls nothing back", async () => {
  const path = join(await openTestFolder(), "library.db");
  const [here, other] = [openTestLibrary(path), openTestLibrary(path)];
  here.setServing(true);
  other.sqlite.exec("BEGIN IMMEDIATE");
  const startMs = performance.now();
  // The limit is for all of them together: a handler with many writes does not block other requests either.
  for (const name of Array.from({ length: 40 }, (_, at) => String(at))) {
    expect(() => here.change(() => here.sqlite.prepare(put).run(name))).toThrow(
      expect.objectContaining({ key: "storage_busy", retryAfterSec: 1 }),
    );
  }
  // With the default timeout, it would take 200 s.
  expect(performance.now() - startMs).toBeLessThan(2_000);
  other.sqlite.exec("COMMIT");
  here.change(() => here.sqlite.prepare(put).run("a"));
  expect(here.sqlite.prepare(countSettings).get()).toMatchObject({ n: 1 });
});

it("opens only existing files besides the main connection, and limits the wait of each write", async () => {
  const path = join(await openTestFolder(), "library.db");
  const damage: unknown[] = [];
  const open = () => openExistingDatabase(path, (error) => damage.push(error));
  expect(open).toThrow(expect.objectContaining({ key: "library_unavailable" }));
  writeFileSync(path, "");
  expect(open).toThrow(expect.objectContaining({ key: "library_unavailable" }));
  expect(damage).toHaveLength(2);
  expect(statSync(path).size).toBe(0);
  const other = openTestLibrary(path);
  const beside = open();
  other.sqlite.exec("BEGIN IMMEDIATE");
  const startMs = performance.now();
  for (const name of ["a", "b", "c", "d"])
    expect(() => beside.change(() => beside.sqlite.prepare(put).run(name))).toThrow(
      expect.objectContaining({ key: "storage_busy" }),
    );
  // With the default timeout, it would take 20 s.
  expect(performance.now() - startMs).toBeLessThan(2_000);
  other.sqlite.exec("COMMIT");
  beside.change(() => beside.sqlite.prepare(put).run("a"));
  beside.close();
  expect(other.sqlite.prepare(countSettings).get()).toMatchObject({ n: 1 });
});

it("commits nested changes together, and notifies afterwards", () => {
  const { sqlite, change, afterCommit } = openTestLibrary();
  const notifications: string[] = [];
  const both = (fails: boolean) =>
    change(() => {
      sqlite.prepare(put).run("outer");
      change(() => sqlite.prepare(put).run("inner"));
      afterCommit(() => notifications.push(String(sqlite.prepare(countSettings).get()?.["n"])));
      if (fails) throw new Error("no");
    });
  expect(() => both(true)).toThrow("no");
  expect({ notifications, n: sqlite.prepare(countSettings).get()?.["n"] }).toEqual({
    notifications: [],
    n: 0,
  });
  both(false);
  afterCommit(() => notifications.push("at once"));
  expect(notifications).toEqual(["2", "at once"]);
});

import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createMessage } from "../../../main/contract/messages/messages.ts";
import { createDocuments } from "../../../main/library/documents.ts";
import { createItems, type ItemsDeps } from "../../../main/library/items.ts";
import { openTestLibrary } from "../../support/library.ts";
import { createInProcessTasks } from "../../../main/library/process/tasks.ts";
import { openTestFolder } from "../../support/test-data.ts";
import { transcribedSegments, documentHeader } from "../../support/transcripts.ts";

const day = 86_400_000;

async function openItems(deps: Partial<ItemsDeps> = {}) {
  const dataDir = await openTestFolder();
  const database = openTestLibrary();
  const clock = { atMs: 1_000_000 };
  const items = createItems(database, { dataDir, now: () => clock.atMs, ...deps });
  return { dataDir, database, items, clock };
}

const talk = { kind: "transcript", title: "A talk", source: "file" } as const;

it("stores an item as created, with a folder of its own", async () => {
  const { items } = await openItems();
  const made = items.create({
    ...talk,
    tags: ["work"],
    channels: ["local"],
    hasMedia: true,
    durationSec: 12.5,
  });
  expect(made).toEqual({
    id: made.id,
    kind: "transcript",
    title: "A talk",
    source: "file",
    createdAtMs: 1_000_000,
    changedAtMs: 1_000_000,
    durationSec: 12.5,
    sizeBytes: 0,
    state: "waiting",
    progress: 0,
    isPartial: false,
    language: "",
    channels: ["local"],
    tags: ["work"],
    hasMedia: true,
  });
  expect(items.read(made.id)).toEqual(made);
  expect(statSync(items.folder(made.id)).isDirectory()).toBe(true);
});

it.skipIf(process.platform === "win32")(
  "makes its folder accessible only to its owner",
  async () => {
    const { items } = await openItems();
    expect(statSync(items.folder(items.create(talk).id)).mode & 0o077).toBe(0);
  },
);

it("lists the newest first, by kind and by state", async () => {
  const { items, clock } = await openItems();
  const first = items.create(talk);
  clock.atMs += 1;
  const second = items.create({
    kind: "narration",
    title: "A book",
    source: "text",
    state: "done",
  });
  expect(items.list().map(({ id }) => id)).toEqual([second.id, first.id]);
  expect(items.list({ kind: "transcript" }).map(({ id }) => id)).toEqual([first.id]);
  expect(items.list({ state: "done" }).map(({ id }) => id)).toEqual([second.id]);
  expect(items.list({ isDeleted: true })).toEqual([]);
});

describe("a change", () => {
  it("sets the fields that it names, and clears those that it names without a value", async () => {
    const { items, clock } = await openItems();
    const { id } = items.create(talk);
    items.change(id, {
      state: "failed",
      error: createMessage("audio.noTrack"),
      leftSec: 3,
    });
    expect(items.read(id)).toMatchObject({
      error: "The file has no audio track.",
      errorReference: { id: "audio.noTrack" },
    });
    clock.atMs += 5;
    const again = items.change(id, {
      state: "running",
      error: undefined,
      leftSec: undefined,
      tags: ["a"],
    });
    expect(again).toMatchObject({
      state: "running",
      tags: ["a"],
      title: "A talk",
      changedAtMs: 1_000_005,
    });
    expect(again).not.toHaveProperty("error");
    expect(again).not.toHaveProperty("errorReference");
    expect(again).not.toHaveProperty("leftSec");
  });

  it("is published, and so is progress, unless the item is gone", async () => {
    const itemEvents: unknown[] = [];
    const { items } = await openItems({
      onChange: ({ state, progress, leftSec }) => itemEvents.push([state, progress, leftSec]),
      onRemove: (id) => itemEvents.push(id),
    });
    const { id } = items.create(talk);
    items.change(id, { state: "running" });
    items.progress(id, 0.5, 20);
    items.remove(id);
    items.progress(id, 0.6, 10);
    expect(itemEvents).toEqual([
      ["waiting", 0, undefined],
      ["running", 0, undefined],
      ["running", 0.5, 20],
      id,
    ]);
  });

  it("to an unknown item is rejected", async () => {
    const { items } = await openItems();
    expect(() => items.change("0123456789abcdef", { title: "x" })).toThrow(
      expect.objectContaining({ key: "not_found" }),
    );
    expect(() => items.folder("../../etc")).toThrow(expect.objectContaining({ key: "not_found" }));
  });
});

describe("a removed item", () => {
  it("is listed only among the removed, and is restored unchanged", async () => {
    const { items } = await openItems();
    const made = items.create(talk);
    expect([items.remove(made.id), items.remove(made.id)]).toEqual([true, false]);
    expect([items.list(), items.find(made.id), items.list({ isDeleted: true })]).toEqual([
      [],
      undefined,
      [made],
    ]);
    expect(() => items.read(made.id)).toThrow(expect.objectContaining({ key: "not_found" }));
    expect(items.restore(made.id)).toEqual(made);
    expect(() => items.restore(made.id)).toThrow(expect.objectContaining({ key: "not_found" }));
    expect(items.list()).toEqual([made]);
  });

  it("is deleted after thirty days with its files and its transcript, and no other item is", async () => {
    const { database, items, clock } = await openItems();
    const documents = createDocuments(database);
    const [old, recent, present] = [items.create(talk), items.create(talk), items.create(talk)];
    for (const { id } of [old, recent, present]) {
      documents.save(id, documentHeader, transcribedSegments("one", "two"));
      writeFileSync(join(items.folder(id), "source.wav"), "sound");
    }
    items.remove(old.id);
    clock.atMs += day;
    items.remove(recent.id);
    expect(await items.purge(createInProcessTasks(database))).toBe(0);
    clock.atMs += 29 * day + 1;
    expect(await items.purge(createInProcessTasks(database))).toBe(1);
    expect(
      [old, recent, present].map(({ id }) => [documents.has(id), existsSync(items.folder(id))]),
    ).toEqual([
      [false, false],
      [true, true],
      [true, true],
    ]);
    for (const table of ["segments", "segment_words"])
      expect(database.sqlite.prepare(`SELECT count(*) AS n FROM ${table}`).get()).toMatchObject({
        n: 4,
      });
    expect(database.sqlite.prepare("SELECT count(*) AS n FROM item_words").get()).toMatchObject({
      n: 2,
    });
    expect(() => items.restore(old.id)).toThrow(expect.objectContaining({ key: "not_found" }));
  });
});

it("keeps removed items as long as the setting says, or until the user deletes them", async () => {
  const keep = { days: 0 };
  const { database, items, clock } = await openItems({ keepRemovedDays: () => keep.days });
  const tasks = createInProcessTasks(database);
  items.remove(items.create(talk).id);
  clock.atMs += 1000 * day;
  expect(await items.purge(tasks)).toBe(0);
  keep.days = 999;
  expect(await items.purge(tasks)).toBe(1);
});

it("permanently deletes chosen removed items or all of them, and none that is in the library", async () => {
  const { database, items } = await openItems();
  const tasks = createInProcessTasks(database);
  const [present, first, second, third] = Array.from({ length: 4 }, () => items.create(talk).id);
  const removedIds = [first, second, third] as string[];
  items.removeAll(removedIds);
  const chosen = [present, first, "0123456789abcdef"] as string[];
  expect(await items.deleteRemoved(tasks, chosen)).toEqual([first]);
  expect(existsSync(items.folder(first as string))).toBe(false);
  expect(items.list({ isDeleted: true }).map(({ id }) => id)).toEqual([third, second]);
  expect((await items.deleteRemoved(tasks)).toSorted()).toEqual([second, third].toSorted());
  expect([items.list({ isDeleted: true }), items.list().map(({ id }) => id)]).toEqual([
    [],
    [present],
  ]);
});

it("is not deleted when it was restored while others are being deleted", async () => {
  const { database, items, clock } = await openItems();
  const made = [items.create(talk), items.create(talk)];
  items.removeAll(made.map(({ id }) => id));
  clock.atMs += 31 * 86_400_000;
  const tasks = createInProcessTasks(database);
  const dropped: string[] = [];
  const count = await items.purge({
    async dropItem(id) {
      dropped.push(id);
      await tasks.dropItem(id);
      items.restoreAll(made.map((item) => item.id));
    },
  });
  const [remaining] = items.list();
  expect([count, dropped.length, items.list().length]).toEqual([1, 1, 1]);
  expect(existsSync(items.folder(remaining?.id ?? ""))).toBe(true);
  // The task that deletes its row does not delete it either.
  await tasks.dropItem(remaining?.id ?? "");
  expect(items.list()).toEqual([remaining]);
});

it("counts the bytes of all files of an item", async () => {
  const { items } = await openItems();
  const { id } = items.create(talk);
  mkdirSync(join(items.folder(id), "takes"));
  writeFileSync(join(items.folder(id), "source.wav"), Buffer.alloc(1000));
  writeFileSync(join(items.folder(id), "takes", "a.wav"), Buffer.alloc(234));
  await items.updateSize(id);
  expect([items.read(id).sizeBytes, items.totalBytes()]).toEqual([1234, 1234]);
  items.remove(id);
  expect(items.totalBytes()).toBe(1234);
});

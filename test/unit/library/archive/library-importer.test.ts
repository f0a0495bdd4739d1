import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { zipSync } from "fflate";
import { expect, it, onTestFinished } from "vitest";
import type { StoredPerson } from "../../../../main/contract/people.ts";
import { createNodePlatform } from "../../../../main/cli/platform.ts";
import { libraryEntries } from "../../../../main/server/app-api/library-archive.ts";
import { createDocuments } from "../../../../main/library/documents.ts";
import { createLibraryImporter } from "../../../../main/library/archive/library-importer.ts";
import { appError } from "../../../support/app-error.ts";
import type { AsyncLibraryTasks } from "../../../../main/library/library-tasks.ts";
import { restoreOrphanedItems } from "../../../../main/library/archive/orphaned-items.ts";
import { createItems } from "../../../../main/library/items.ts";
import { createNarrations } from "../../../../main/library/narrations.ts";
import { createPeople } from "../../../../main/library/people.ts";
import { createVocabulary } from "../../../../main/library/vocabulary.ts";
import { createSearch } from "../../../../main/library/search/search.ts";
import { readCompleteItem } from "../../../../main/library/archive/complete-item.ts";
import { createInProcessTasks } from "../../../../main/library/process/tasks.ts";
import { zipArchive } from "../../../../main/library/archive/zip.ts";
import { hookWrites } from "../../../../main/storage/disk.ts";
import { neverAborted } from "../../../support/app.ts";
import { openTestLibrary } from "../../../support/library.ts";
import { openTestFolder } from "../../../support/test-data.ts";

async function opened(wrap: (tasks: AsyncLibraryTasks) => AsyncLibraryTasks = (tasks) => tasks) {
  const dataDir = await openTestFolder();
  const database = openTestLibrary();
  const items = createItems(database, { dataDir });
  const vocabulary = createVocabulary(database);
  const people = createPeople(database);
  const progress: { done: number; total: number }[] = [];
  const tasks = wrap(createInProcessTasks(database));
  mkdirSync(join(dataDir, "tmp"));
  const importing = createLibraryImporter({
    database,
    items,
    tasks,
    vocabulary,
    people,
    launchChild: createNodePlatform(dataDir).launchChild,
    tempDir: () => join(dataDir, "tmp"),
    onProgress: (each) => progress.push(each),
  });
  return {
    dataDir,
    database,
    items,
    tasks,
    documents: createDocuments(database),
    narrations: createNarrations(database),
    vocabulary,
    people,
    importing,
    progress,
  };
}
type Opened = Awaited<ReturnType<typeof opened>>;

async function archiveOf(
  from: Opened,
  itemIds?: readonly string[],
  people: readonly StoredPerson[] = [],
): Promise<string> {
  const path = join(from.dataDir, "archive.zip");
  const deps = { ...from, vocabulary: from.vocabulary.list };
  await pipeline(zipArchive(libraryEntries(deps, itemIds, people)), createWriteStream(path));
  return path;
}

function fill({ items, documents, narrations, vocabulary }: Opened): string[] {
  const talk = items.create({
    kind: "transcript",
    title: 'Größe: a/b "talk"',
    source: "file",
    state: "done",
    tags: ["work", "straße"],
    channels: ["local"],
    language: "en",
    hasMedia: true,
  });
  writeFileSync(join(items.folder(talk.id), "source.mp3"), "sound");
  writeFileSync(join(items.folder(talk.id), "peaks.bin"), "peaks");
  const word = { word: "hello", startSec: 0, endSec: 0.5, probability: 0.9 };
  const segment = {
    startSec: 0,
    endSec: 1,
    text: "hello there",
    words: [word],
    language: "en",
    avgLogprob: -0.2,
    noSpeechProb: 0.1,
    compressionRatio: 1.2,
    isEdited: false,
    speaker: "Ada",
  };
  documents.save(
    talk.id,
    {
      durationSec: 12.5,
      language: "en",
      options: { model: "whisper-1", temperature: 0, translate: false },
      failed: [{ startSec: 3, endSec: 4, message: "lost" }],
    },
    [segment, { ...segment, startSec: 2, endSec: 3, text: "again" }],
  );
  documents.apply(talk.id, {
    revision: 1,
    put: [{ ...segment, id: 1_000_000, startSec: 5, endSec: 6, text: "added", isEdited: true }],
    remove: [1],
  });

  const book = items.create({ kind: "narration", title: "Book", source: "text", state: "done" });
  narrations.create(book.id, {
    script: "# One\n\nA sentence.",
    options: { model: "tts-1-hd", voice: "nova", speed: 1 },
  });
  const takeId = "11111111-2222-3333-4444-555555555555";
  mkdirSync(join(items.folder(book.id), "takes"));
  writeFileSync(join(items.folder(book.id), "takes", `${takeId}.wav`), "take");
  writeFileSync(join(items.folder(book.id), "book.json"), '{"title":"","author":"Ada"}');
  narrations.addTake({
    id: takeId,
    itemId: book.id,
    sentenceId: "s1",
    content: "c1",
    durationSec: 1.5,
    madeAtMs: 5,
    model: "tts-1-hd",
    channel: "local",
    spokenBy: "ef_dora",
  });
  narrations.setNote(book.id, "s1", { chosenTake: takeId, missed: ["sentence"] });
  vocabulary.replace([{ word: "Hearsay", says: "/x/", heard: "hear say" }]);
  const working = items.create({
    kind: "transcript",
    title: "in work",
    source: "recording",
    state: "recording",
  });
  return [talk.id, book.id, working.id];
}

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), "utf8")])
    .toSorted();

it("restores everything that was exported", async () => {
  const [from, to] = [await opened(), await opened()];
  const ids = fill(from);
  to.vocabulary.replace([{ word: "own", says: "mine", heard: "" }]);
  expect(await to.importing.run(await archiveOf(from), neverAborted())).toEqual({
    restored: 3,
    existing: 0,
    failed: [],
  });
  for (const id of ids) {
    await from.items.updateSize(id);
    const { item, ...rest } = readCompleteItem(to.database.sqlite, id) ?? {};
    const { item: wanted, ...wantedRest } = readCompleteItem(from.database.sqlite, id) ?? {};
    expect(rest).toEqual(wantedRest);
    expect(item).toEqual({
      ...wanted,
      ...(wanted?.state === "recording" ? { state: "cancelled" } : {}),
    });
    expect(filesOf(to.items.folder(id))).toEqual(filesOf(from.items.folder(id)));
  }
  expect(to.vocabulary.list().map(({ word }) => word)).toEqual(["own", "Hearsay"]);
  expect(
    createSearch(to.database).search("again added").length +
      createSearch(to.database).search("added").length,
  ).toBeGreaterThan(0);
  const last = to.progress.at(-1);
  expect(last?.done).toBe(last?.total);
  expect(readdirSync(join(to.dataDir, "tmp"))).toEqual([]);
});

it("takes people along only if they were asked for", async () => {
  const [from, to] = [await opened(), await opened()];
  fill(from);
  from.people.remember("Ada", {
    itemId: "a",
    title: "Talk",
    speechSec: 9,
    print: Float32Array.from([0.5, -0.25]),
  });
  await to.importing.run(await archiveOf(from), neverAborted());
  expect(to.people.list()).toEqual([]);
  await to.importing.run(await archiveOf(from, undefined, from.people.exportAll()), neverAborted());
  expect(to.people.exportAll()).toEqual(from.people.exportAll());
});

it("restores items of which only the files exist, and keeps those files unless the item was used since", async () => {
  const [from, to] = [await opened(), await opened()];
  const [talk = "", book = ""] = fill(from);
  from.items.change(talk, { hasMedia: false });
  const path = await archiveOf(from, [talk, book]);
  mkdirSync(join(to.items.folder(talk)), { recursive: true });
  writeFileSync(join(to.items.folder(talk), "source.mp3"), "found");
  writeFileSync(join(to.items.folder(talk), "peaks.bin"), "found");
  mkdirSync(join(to.items.folder(book), "takes"), { recursive: true });
  expect(restoreOrphanedItems(to.dataDir, to.database)).toBe(2);

  expect(await to.importing.run(path, neverAborted())).toEqual({
    restored: 2,
    existing: 0,
    failed: [],
  });
  expect(to.documents.read(talk)).toEqual(from.documents.read(talk));
  expect(to.narrations.read(book)).toEqual(from.narrations.read(book));
  expect(filesOf(to.items.folder(talk))).toEqual([
    ["peaks.bin", "found"],
    ["source.mp3", "found"],
  ]);
  expect(filesOf(to.items.folder(book))).toEqual(filesOf(from.items.folder(book)));
  expect(to.items.read(talk)).toMatchObject({
    state: "done",
    title: 'Größe: a/b "talk"',
    hasMedia: true,
  });
  expect(to.items.read(talk).error).toBeUndefined();

  to.database.sqlite.prepare("DELETE FROM items").run();
  expect(restoreOrphanedItems(to.dataDir, to.database)).toBe(2);
  to.items.remove(book);
  to.items.change(talk, { state: "running", error: undefined });
  expect(await to.importing.run(path, neverAborted())).toEqual({
    restored: 0,
    existing: 2,
    failed: [],
  });
});

it("leaves existing items unchanged, also removed ones", async () => {
  const from = await opened();
  const [talk = "", book = ""] = fill(from);
  const path = await archiveOf(from);
  from.items.change(talk, { title: "renamed since" });
  from.items.remove(book);
  expect(await from.importing.run(path, neverAborted())).toEqual({
    restored: 0,
    existing: 3,
    failed: [],
  });
  expect(from.items.read(talk).title).toBe("renamed since");
  expect(from.items.find(book)).toBeUndefined();
});

const id = "0123456789abcdef";
const item = {
  id,
  kind: "transcript",
  title: "x",
  source: "file",
  createdAtMs: 1,
  changedAtMs: 1,
  durationSec: 0,
  sizeBytes: 0,
  state: "done",
  progress: 1,
  isPartial: false,
  language: "",
  channels: [],
  tags: [],
  hasMedia: false,
};
const json = (value: unknown) => Buffer.from(JSON.stringify(value));

async function hostile(
  files: Record<string, Uint8Array>,
  wrap?: (tasks: AsyncLibraryTasks) => AsyncLibraryTasks,
): Promise<{ to: Opened; path: string }> {
  const to = await opened(wrap);
  const path = join(to.dataDir, "hostile.zip");
  writeFileSync(path, zipSync(files));
  return { to, path };
}

it("writes only into the folder of its item", async () => {
  const { to, path } = await hostile({
    [`x ${id}/item.json`]: json(item),
    [`x ${id}/files/..\\..\\evil`]: json(1),
    [`x ${id}/files/.hidden`]: json(1),
    [`x ${id}/files/a/b/c/d`]: json(1),
    [`x ${id}/other.txt`]: json(1),
    "loose.txt": json(1),
  });
  await expect(to.importing.run(path, neverAborted())).rejects.toMatchObject({
    key: "invalid_request",
  });
  const { to: next, path: good } = await hostile({
    [`x ${id}/item.json`]: json(item),
    [`x ${id}/files/.hidden`]: json(1),
    [`x ${id}/files/a/b/c/d`]: json(1),
    [`x ${id}/other.txt`]: json(1),
    "loose.txt": json(1),
  });
  expect(await next.importing.run(good, neverAborted())).toEqual({
    restored: 1,
    existing: 0,
    failed: [],
  });
  expect(filesOf(next.items.folder(id))).toEqual([]);
  const { to: third, path: up } = await hostile({
    [`x ${id}/item.json`]: json(item),
    "../../evil": json(1),
  });
  await expect(third.importing.run(up, neverAborted())).rejects.toMatchObject({
    key: "invalid_request",
  });
  expect(existsSync(join(third.dataDir, "..", "evil"))).toBe(false);
});

it.each<[string, Record<string, Uint8Array>]>([
  [
    "another id than its folder",
    { [`x ${id}/item.json`]: json({ ...item, id: "fedcba9876543210" }) },
  ],
  ["no item", { [`x ${id}/document.json`]: json({}) }],
  ["fields of other kinds", { [`x ${id}/item.json`]: json({ ...item, createdAtMs: "yesterday" }) }],
  [
    "a broken transcript",
    { [`x ${id}/item.json`]: json(item), [`x ${id}/document.json`]: Buffer.from('{"revision"') },
  ],
])("counts an item with %s as failed", async (_, files) => {
  const { to, path } = await hostile({
    ...files,
    "y fedcba9876543211/item.json": json({ ...item, id: "fedcba9876543211" }),
  });
  expect(await to.importing.run(path, neverAborted())).toEqual({
    restored: 1,
    existing: 0,
    failed: [id],
  });
  expect(existsSync(to.items.folder(id))).toBe(false);
});

it("rejects files that are not archives, damaged ones, and those that unpack to too much", async () => {
  const to = await opened();
  const path = join(to.dataDir, "no.zip");
  writeFileSync(path, "no archive");
  await expect(to.importing.run(path, neverAborted())).rejects.toMatchObject({
    key: "invalid_request",
  });
  const bytes = zipSync({ [`x ${id}/item.json`]: json(item) }, { level: 0 });
  const at = Buffer.from(bytes).indexOf('"title":"x"');
  bytes[at + 9] = "y".charCodeAt(0);
  writeFileSync(path, bytes);
  await expect(to.importing.run(path, neverAborted())).rejects.toMatchObject({
    key: "invalid_request",
    message: expect.stringContaining("checksum") as unknown,
  });
  const claiming = Buffer.from(zipSync({ [`x ${id}/item.json`]: json(item) }));
  // The size of its only file, in the central directory at the end.
  claiming.writeUInt32LE(65 * 2 ** 20, claiming.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 24);
  writeFileSync(path, claiming);
  await expect(to.importing.run(path, neverAborted())).rejects.toMatchObject({
    key: "invalid_request",
    message: expect.stringContaining("too large") as unknown,
  });
  expect(to.items.list()).toEqual([]);
  expect(readdirSync(join(to.dataDir, "tmp"))).toEqual([]);
});

it("stores nothing in the library that was not validated in the child process", async () => {
  const given: string[] = [];
  const files = {
    [`x ${id}/item.json`]: json(item),
    [`x ${id}/document.json`]: json({ segments: "none" }),
    "y fedcba9876543211/item.json": json({ ...item, id: "fedcba9876543211" }),
    "library.json": json({ pronunciations: 5 }),
  };
  const { to, path } = await hostile(files, (tasks) => ({
    ...tasks,
    importItem: (from, toDir) => (given.push(from), tasks.importItem(from, toDir)),
  }));
  expect(await to.importing.run(path, neverAborted())).toEqual({
    restored: 1,
    existing: 0,
    failed: [id, "library.json"],
  });
  expect(given).toEqual([expect.stringMatching(/fedcba9876543211$/)]);
});

/** Like a process that ends before it reports its result. */
const lost = (tasks: AsyncLibraryTasks): AsyncLibraryTasks => ({
  ...tasks,
  async importItem(fromDir, toDir) {
    await tasks.importItem(fromDir, toDir);
    throw appError("storage_unavailable", "The process that did it is gone.");
  },
});

it("counts an existing item as restored, even if its process reported an error", async () => {
  const { to, path } = await hostile(
    {
      [`x ${id}/item.json`]: json(item),
      [`x ${id}/files/source.mp3`]: json(1),
      "y fedcba9876543211/item.json": json({ ...item, id: "fedcba9876543211" }),
    },
    lost,
  );
  expect(await to.importing.run(path, neverAborted())).toEqual({
    restored: 2,
    existing: 0,
    failed: [],
  });
  expect(filesOf(to.items.folder(id))).toEqual([["source.mp3", "1"]]);
});

it.each<[string, [string, string]]>([
  ["two files of one name", ["a", "a"]],
  ["a file and a folder of one name", ["a", "a/x"]],
  ["a folder and a file of one name", ["a/x", "a"]],
])("rejects an archive with %s", async (_, [first, second]) => {
  const to = await opened();
  const path = join(to.dataDir, "clash.zip");
  const entries = async function* () {
    for (const name of ["item.json", `files/${first}`, `files/${second}`])
      yield {
        name: `x ${id}/${name}`,
        modifiedAtMs: 0,
        sizeBytes: 4,
        isCompressed: true,
        bytes: async function* () {
          yield Buffer.from("text");
        },
      };
  };
  await pipeline(zipArchive(entries()), createWriteStream(path));
  await expect(to.importing.run(path, neverAborted())).rejects.toMatchObject({
    key: "invalid_request",
    message: expect.stringContaining("two files with the same name") as unknown,
  });
});

const failure = (errcode: number) => Object.assign(new Error("from SQLite"), { errcode });
const [busy, full] = [5, 13];

/** Lets `count` database writes fail after `afterwards` successful ones. @returns how many failed */
function failWrites(errcode: number, count: number, afterwards = 0): () => number {
  let seen = 0;
  onTestFinished(
    hookWrites((operation) => {
      if (operation !== "database") return;
      seen += 1;
      if (seen > afterwards && seen <= afterwards + count) throw failure(errcode);
    }),
  );
  return () => Math.max(0, Math.min(count, seen - afterwards));
}

it("waits for a library that another program is writing to", async () => {
  const [from, to] = [await opened(), await opened()];
  const ids = fill(from);
  const path = await archiveOf(from);
  const failed = failWrites(busy, 4);
  expect(await to.importing.run(path, neverAborted())).toEqual({
    restored: 3,
    existing: 0,
    failed: [],
  });
  expect(failed()).toBe(4);
  for (const one of ids)
    expect(filesOf(to.items.folder(one))).toEqual(filesOf(from.items.folder(one)));
});

it("reports what was imported before the disk was full, leaves nothing of the rest, and imports it later", async () => {
  const [from, to] = [await opened(), await opened()];
  const ids = fill(from);
  const path = await archiveOf(from);
  // The writes of one item and of its size succeed.
  failWrites(full, 1, 2);
  const outcome = await to.importing.run(path, neverAborted());
  expect(outcome).toMatchObject({
    restored: 1,
    existing: 0,
    failed: [],
    stopped: { left: 2, message: expect.stringContaining("no room") as unknown },
  });
  const known = to.items.list().map((each) => each.id);
  expect(ids.filter((one) => existsSync(to.items.folder(one)))).toEqual(
    ids.filter((one) => known.includes(one)),
  );
  expect(await to.importing.run(path, neverAborted())).toEqual({
    restored: 2,
    existing: 1,
    failed: [],
  });
  for (const one of ids)
    expect(filesOf(to.items.folder(one))).toEqual(filesOf(from.items.folder(one)));
});

it("leaves existing files without an item unchanged when it fails", async () => {
  const [from, to] = [await opened(), await opened()];
  const [talk = ""] = fill(from);
  const path = await archiveOf(from, [talk]);
  mkdirSync(to.items.folder(talk), { recursive: true });
  writeFileSync(join(to.items.folder(talk), "source.mp3"), "own");
  const release = hookWrites((operation) => {
    if (operation === "database") throw failure(full);
  });
  onTestFinished(release);
  expect(await to.importing.run(path, neverAborted())).toMatchObject({
    restored: 0,
    stopped: { left: 1 },
  });
  expect(filesOf(to.items.folder(talk))).toEqual([["source.mp3", "own"]]);
  release();
  expect(await to.importing.run(path, neverAborted())).toEqual({
    restored: 1,
    existing: 0,
    failed: [],
  });
  expect(filesOf(to.items.folder(talk))).toEqual([
    ["peaks.bin", "peaks"],
    ["source.mp3", "own"],
  ]);
});

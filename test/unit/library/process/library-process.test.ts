import { existsSync, rmSync, symlinkSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createNodePlatform } from "../../../../main/cli/platform.ts";
import { createDocuments } from "../../../../main/library/documents.ts";
import { createItems } from "../../../../main/library/items.ts";
import { createNarrations } from "../../../../main/library/narrations.ts";
import { createLibraryProcess } from "../../../../main/library/process/library-process.ts";
import { createInProcessTasks } from "../../../../main/library/process/tasks.ts";
import type { ChildPort } from "../../../../main/platform.ts";
import { hookWrites } from "../../../../main/storage/disk.ts";
import { isRunning } from "../../../support/child-processes.ts";
import { countTurnsDuring } from "../../../support/event-loop.ts";
import { openTestLibrary } from "../../../support/library.ts";
import { openTestFolder } from "../../../support/test-data.ts";
import { transcribedSegments, documentHeader } from "../../../support/transcripts.ts";

const segmentCount = 3_000;
const { launchChild } = createNodePlatform(tmpdir());

async function opened() {
  const dataDir = await openTestFolder();
  const path = join(dataDir, "library.sqlite");
  const database = openTestLibrary(path);
  const items = createItems(database, { dataDir });
  const documents = createDocuments(database);
  const documentChanges: [string, number][] = [];
  const own = createLibraryProcess({
    path,
    launchChild,
    onDocument: (itemId, revision) => documentChanges.push([itemId, revision]),
    onDamage: () => {},
  });
  onTestFinished(() => own.close());
  const { id } = items.create({ kind: "transcript", title: "Long", source: "file" });
  documents.save(
    id,
    documentHeader,
    transcribedSegments(
      ...Array.from({ length: segmentCount }, (_, at) => `sentence ${at} of the kettle`),
    ),
  );
  return {
    path,
    database,
    items,
    documents,
    narrations: createNarrations(database),
    documentChanges,
    own,
    tasks: own.tasks,
    id,
  };
}

/** Also returns the child processes that it starts. */
async function watched(limits: { stallMs?: number; closeTimeoutMs?: number } = {}) {
  const { path, items, documents, id } = await opened();
  const children: ChildPort[] = [];
  const launch = (...args: Parameters<typeof launchChild>): ChildPort => {
    const child = launchChild(...args);
    children.push(child);
    return child;
  };
  const own = createLibraryProcess({
    path,
    launchChild: launch,
    onDocument: () => {},
    onDamage: () => {},
    ...limits,
  });
  onTestFinished(own.close);
  return { ...own, items, documents, id, children };
}

const replacement = { find: "kettle", replaceBy: "pot", isCaseSensitive: false, isPreview: false };
const asBytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

it("does not stop its timers when the size of the log cannot be read", async () => {
  const path = join(await openTestFolder(), "library.sqlite");
  // Reading the size fails with ELOOP.
  symlinkSync(`${path}-wal`, `${path}-wal`);
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const own = createLibraryProcess({ path, launchChild, onDocument: () => {}, onDamage: () => {} });
  onTestFinished(() => own.close());
  expect(vi.advanceTimersByTime(60_000).getTimerCount()).toBe(2);
});

describe("the library's process", () => {
  // On a loaded machine, this process may get no turn meanwhile.
  it("does not block the event loop while it works", { retry: 3 }, async () => {
    const { tasks, documents, id, database } = await opened();
    expect(
      await countTurnsDuring(() => createInProcessTasks(database).search("sentence")),
    ).toBeLessThan(5);
    const { segments } = documents.read(id);
    const works = {
      search: () => tasks.search("sentence"),
      export: () => tasks.exportTranscript(id, "Long", "docx"),
      document: () => tasks.readDocument(id),
      change: () =>
        tasks.changeDocument(
          id,
          asBytes({
            revision: 1,
            put: segments.map((segment) => ({ ...segment, speaker: "Ada" })),
            remove: [],
          }),
        ),
      replace: () => tasks.replace(replacement),
      drop: () => (database.sqlite.exec("UPDATE items SET deleted_at_ms = 1"), tasks.dropItem(id)),
    };
    const turns: Record<string, number> = {};
    for (const [name, work] of Object.entries(works)) turns[name] = await countTurnsDuring(work);
    // More than any work in this process leaves; how many more depends on the machine.
    expect(Object.entries(turns).filter(([, count]) => count <= 5)).toEqual([]);
  });

  it("makes changes visible to the app, and notifies about them, before it responds", async () => {
    const { tasks, documents, documentChanges, id } = await opened();
    const { matches } = await tasks.replace(replacement);
    expect(matches).toHaveLength(segmentCount);
    expect(documentChanges).toEqual([[id, 2]]);
    expect(documents.read(id)).toMatchObject({
      revision: 2,
      segments: expect.arrayContaining([
        expect.objectContaining({ text: "sentence 7 of the pot" }),
      ]),
    });
    expect(JSON.parse(Buffer.from(await tasks.readDocument(id)).toString())).toEqual(
      documents.read(id),
    );
  });

  it("changes all or nothing", async () => {
    const { tasks, documents, database, documentChanges, id } = await opened();
    const before = documents.read(id);
    database.sqlite.exec(
      `CREATE TRIGGER broken BEFORE UPDATE ON segments WHEN old.id = ${segmentCount - 1}
       BEGIN SELECT RAISE(ABORT, 'broken'); END`,
    );
    await expect(tasks.replace(replacement)).rejects.toThrow("broken");
    expect(documents.read(id)).toEqual(before);
    expect(documentChanges).toEqual([]);
  });

  it("fails with the same errors as an in-process task", async () => {
    const { tasks, id } = await opened();
    await expect(tasks.readDocument("none")).rejects.toMatchObject({
      name: "AppError",
      key: "not_found",
      param: "id",
    });
    await expect(
      tasks.changeDocument(id, asBytes({ revision: 9, put: [], remove: [] })),
    ).rejects.toMatchObject({ key: "conflict", param: "revision" });
    await expect(tasks.changeDocument(id, Buffer.from("{"))).rejects.toMatchObject({
      key: "invalid_request",
    });
  });

  it("calls the same write hook as every other write", async () => {
    const { tasks, documents, id } = await opened();
    const unhook = hookWrites(() => {
      throw Object.assign(new Error("full"), { code: "ENOSPC" });
    });
    await expect(tasks.replace(replacement)).rejects.toMatchObject({ code: "ENOSPC" });
    unhook();
    expect(documents.read(id).revision).toBe(1);
  });

  it("finishes active tasks before it closes, and rejects new ones", async () => {
    const { tasks, own, documents, id } = await opened();
    const replacing = tasks.replace(replacement);
    await own.close();
    await replacing;
    expect(documents.read(id).revision).toBe(2);
    await expect(tasks.search("pot")).rejects.toMatchObject({ key: "closing" });
  });

  it("works again after it was idle", async () => {
    const { path } = await opened();
    const own = createLibraryProcess({
      path,
      launchChild,
      onDocument: () => {},
      onDamage: () => {},
      idleMs: 0,
    });
    onTestFinished(own.close);
    for (const word of ["spoon", "pot"]) {
      expect(await own.tasks.search(word)).toEqual([]);
      await expect.poll(own.isRunning).toBe(false);
    }
  });

  it("writes a script, and moves the changes from the write-ahead log into the file", async () => {
    const { tasks, items, narrations, database } = await opened();
    const options = { model: "tts-1", voice: "nova", speed: 1 };
    const { id } = items.create({ kind: "narration", title: "Book", source: "text" }, (itemId) =>
      narrations.create(itemId, { script: "One.", options }),
    );
    expect(
      await tasks.changeNarration(id, { revision: 1, script: "Two.".repeat(500_000), options }),
    ).toBe(2);
    const logPages = (): number =>
      Number(database.sqlite.prepare("PRAGMA wal_checkpoint(PASSIVE)").get()?.["log"]);
    await tasks.checkpoint();
    expect(logPages()).toBe(0);
    expect(narrations.read(id)).toMatchObject({ revision: 2, script: "Two.".repeat(500_000) });
  });

  it("creates no library where the file is missing, and reports it", async () => {
    const { path, database } = await opened();
    const damage: unknown[] = [];
    const { tasks, close } = createLibraryProcess({
      path,
      launchChild,
      onDocument: () => {},
      onDamage: (error) => damage.push(error),
    });
    onTestFinished(close);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    await expect(tasks.search("kettle")).rejects.toMatchObject({ key: "library_unavailable" });
    expect(existsSync(path)).toBe(false);
    expect(damage).toHaveLength(1);
    database.close();
  });

  it("rejects a library with another schema", async () => {
    const path = join(await openTestFolder(), "library.sqlite");
    const made = new DatabaseSync(path);
    made.exec("PRAGMA user_version = 1; CREATE TABLE items (id)");
    const damage: unknown[] = [];
    const { tasks, close } = createLibraryProcess({
      path,
      launchChild,
      onDocument: () => {},
      onDamage: (error) => damage.push(error),
    });
    onTestFinished(close);
    await expect(tasks.search("kettle")).rejects.toMatchObject({ key: "library_unavailable" });
    expect(damage).toHaveLength(1);
    expect(made.prepare("PRAGMA user_version").get()).toEqual({ user_version: 1 });
    made.close();
  });

  it("repeats idempotent tasks when the process is lost, and reports other changes as interrupted", async () => {
    const { items, documents, id, children, tasks } = await watched();
    const reading = tasks.search("kettle");
    children[0]?.kill();
    expect((await reading).length).toBeGreaterThan(0);
    expect(children).toHaveLength(2);
    const changing = tasks.replace(replacement);
    children[1]?.kill();
    await expect(changing).rejects.toMatchObject({
      key: "storage_unavailable",
      cause: { message: expect.stringContaining("the library's process") },
    });
    expect(documents.read(id).revision).toBe(1);
    items.remove(id);
    const ending = tasks.dropItem(id);
    children[2]?.kill();
    await ending;
    expect(children).toHaveLength(4);
    expect(() => documents.read(id)).toThrow(expect.objectContaining({ key: "not_found" }));
  });

  it("gives up on a process that does not respond in time", async () => {
    // The start alone takes longer than that.
    const { children, tasks } = await watched({ stallMs: 1 });
    await expect(tasks.search("kettle")).rejects.toMatchObject({
      key: "storage_unavailable",
      cause: { message: expect.stringContaining("answered nothing") },
    });
    expect(children).toHaveLength(2);
  });

  it.skipIf(process.platform === "win32")(
    "ends a stopped process, and uses another one",
    async () => {
      const { children, tasks } = await watched();
      await tasks.search("kettle");
      process.kill(children[0]?.pid ?? 0, "SIGSTOP");
      expect((await tasks.search("kettle")).length).toBeGreaterThan(0);
      expect(children).toHaveLength(2);
      await expect.poll(() => isRunning(children[0]?.pid ?? 0)).toBe(false);
    },
  );

  it.skipIf(process.platform === "win32")("closes even if its process is stopped", async () => {
    const { children, tasks, close } = await watched({ closeTimeoutMs: 100 });
    await tasks.search("kettle");
    process.kill(children[0]?.pid ?? 0, "SIGSTOP");
    const changing = tasks.replace(replacement);
    changing.catch(() => {});
    await close();
    await expect(changing).rejects.toMatchObject({ key: "storage_unavailable" });
    await expect.poll(() => isRunning(children[0]?.pid ?? 0)).toBe(false);
  });
});

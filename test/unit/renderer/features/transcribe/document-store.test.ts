// The open transcript: undo, saving in the background, changes by others. The app is a document in memory that checks
// revisions like the real one.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiError } from "../../../../../renderer/api/error.ts";
import { t } from "../../../../../renderer/messages/messages.ts";
import type {
  DocumentChange,
  DocumentSegment,
} from "../../../../../main/contract/transcript-document.ts";
import { createDocumentStore } from "../../../../../renderer/features/transcribe/document/document-store.ts";
import { editText, merge } from "../../../../../renderer/features/transcribe/document/edits.ts";
import { applyPatch } from "../../../../../renderer/features/transcribe/document/segments.ts";
import { segment } from "./segments.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function appWith(segments: readonly DocumentSegment[]) {
  const app = {
    revision: 1,
    segments,
    failures: [] as ApiError[],
    changes: [] as DocumentChange[],
    async read() {
      return {
        revision: app.revision,
        durationSec: 10,
        language: "en",
        options: { model: "whisper-1", temperature: 0, translate: false },
        segments: structuredClone([...app.segments]),
        failed: [],
      };
    },
    async change(change: DocumentChange) {
      const failure = app.failures.shift();
      if (failure !== undefined) throw failure;
      if (change.revision !== app.revision)
        throw new ApiError(409, "conflict", { message: "changed meanwhile" });
      app.changes.push(change);
      app.write(change);
      return { revision: app.revision };
    },
    /** A change by another window. */
    write(change: Pick<DocumentChange, "put" | "remove">) {
      app.segments = applyPatch(app.segments, structuredClone(change));
      app.revision += 1;
    },
    texts: () => app.segments.map((one) => one.text),
  };
  return app;
}

async function opened(
  segments = [segment(1, 0, 1, "one"), segment(2, 1, 2, "two"), segment(3, 2, 3, "three")],
) {
  const app = appWith(segments);
  const store = createDocumentStore(app);
  await store.load();
  const texts = () => store.getState().segments.map((one) => one.text);
  const type = (id: number, text: string, together?: string) => {
    const one = store.getState().segments.find((each) => each.id === id);
    if (one !== undefined) store.edit("edit", editText(one, text), { mergeKey: together });
  };
  return { app, store, texts, type };
}

it("shows a change at once and saves only what changed, soon after", async () => {
  const { app, store, texts, type } = await opened();
  type(2, "zwei");
  expect(texts()).toEqual(["one", "zwei", "three"]);
  expect(store.getState().saving).toBe("unsaved");
  await vi.advanceTimersByTimeAsync(500);
  expect(app.changes.map(({ put, remove }) => [put.map((one) => one.id), remove])).toEqual([
    [[2], []],
  ]);
  expect(app.texts()).toEqual(["one", "zwei", "three"]);
  expect(store.getState().saving).toBe("saved");
});

it("undoes and redoes edits and merges in one order, and saves that too", async () => {
  const { app, store, texts, type } = await opened();
  type(1, "eins");
  const [first, second] = store.getState().segments;
  if (first !== undefined && second !== undefined) store.edit("merge", merge(first, second));
  expect(texts()).toEqual(["eins two", "three"]);
  expect(store.getState()).toMatchObject({ undoName: "merge", redoName: undefined });
  store.undo();
  store.undo();
  store.undo();
  expect(texts()).toEqual(["one", "two", "three"]);
  store.redo();
  expect(store.getState()).toMatchObject({ undoName: "edit", redoName: "merge" });
  await store.save();
  expect(app.texts()).toEqual(["eins", "two", "three"]);
});

it("undoes the typing of one visit to a segment in one step", async () => {
  const { store, texts, type } = await opened();
  type(1, "o", "visit 1");
  type(1, "on", "visit 1");
  type(1, "only", "visit 1");
  type(1, "only!", "visit 2");
  store.undo();
  expect(texts()[0]).toBe("only");
  store.undo();
  expect(texts()[0]).toBe("one");
});

it("clears the redo steps after another change", async () => {
  const { store, type } = await opened();
  type(1, "eins");
  store.undo();
  type(2, "zwei");
  expect(store.getState().redoName).toBeUndefined();
});

it("retries until the app accepts a change, and reports it meanwhile", async () => {
  const { app, store, type } = await opened();
  app.failures = [
    new ApiError(0, "offline", { message: "The app does not answer." }),
    new ApiError(500, "", { message: "broken" }),
  ];
  type(1, "eins");
  await vi.advanceTimersByTimeAsync(400);
  expect(store.getState()).toMatchObject({
    saving: "retrying",
    message: "The app does not answer.",
  });
  await vi.advanceTimersByTimeAsync(4000);
  expect(store.getState()).toMatchObject({ saving: "saved", message: undefined });
  expect(app.texts()[0]).toBe("eins");
});

it("keeps what was typed during a save", async () => {
  const { app, store, type } = await opened();
  type(1, "eins");
  const saved = store.save();
  type(2, "zwei");
  await saved;
  expect(app.texts()).toEqual(["eins", "zwei", "three"]);
});

it("keeps showing what was saved while an older response was on its way", async () => {
  const { app, store, texts, type } = await opened();
  const { read } = app;
  app.read = async () => {
    const before = await read();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return before;
  };
  void store.load();
  type(1, "eins");
  await vi.advanceTimersByTimeAsync(5000);
  expect(texts()).toEqual(["eins", "two", "three"]);
  expect(app.texts()).toEqual(["eins", "two", "three"]);
  expect(store.getState()).toMatchObject({ saving: "saved" });
});

it("reports changes being sent as unsaved, and those typed since for the case that the first arrive", async () => {
  const { app, store, type } = await opened();
  type(1, "eins");
  const { change } = app;
  app.change = async (given) => {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return change(given);
  };
  const saved = store.save();
  await vi.advanceTimersByTimeAsync(100);
  const shown = () =>
    store.unsaved().map(({ revision, put }) => [revision, put.map((one) => one.text)]);
  expect(shown()).toEqual([[1, ["eins"]]]);
  type(2, "zwei");
  expect(shown()).toEqual([
    [1, ["eins", "zwei"]],
    [2, ["zwei"]],
  ]);
  await vi.advanceTimersByTimeAsync(5000);
  await saved;
  expect(shown()).toEqual([]);
});

it("keeps a segment that was transcribed while an older response was on its way", async () => {
  const { app, store, texts } = await opened();
  const before = await app.read();
  app.read = async () => {
    store.addTranscribed([segment(4, 3, 4, "four")]);
    return before;
  };
  await store.load();
  expect(texts()).toEqual(["one", "two", "three", "four"]);
});

it("stops retrying when the app rejects a change, and keeps the text", async () => {
  const { app, store, texts, type } = await opened();
  app.failures = [new ApiError(404, "not_found", { message: "There is no such item." })];
  type(1, "eins");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(store.getState()).toMatchObject({ saving: "stuck", message: "There is no such item." });
  expect(texts()[0]).toBe("eins");
  expect(store.unsaved().map(({ put }) => put.map((one) => one.text))).toEqual([["eins"]]);
  await store.save();
  expect(app.texts()[0]).toBe("eins");
});

/** Unsaved changes here, and a change by another window: one segment changed, one added. */
async function inConflict() {
  const test = await opened();
  test.app.write({ put: [segment(3, 2, 3, "drei"), segment(4, 3, 4, "four")], remove: [] });
  test.type(1, "eins");
  await test.store.save();
  test.type(2, "zwei");
  await vi.advanceTimersByTimeAsync(60_000);
  return test;
}

it("keeps both versions after a change elsewhere, until the user chooses one", async () => {
  const { app, store, texts } = await inConflict();
  expect(texts()).toEqual(["eins", "zwei", "three"]);
  expect(app.texts()).toEqual(["one", "two", "drei", "four"]);
  expect(store.getState()).toMatchObject({
    saving: "conflict",
    message: t("transcribe.conflict"),
  });
  // The app would refuse it.
  expect(store.unsaved()).toEqual([]);
});

it("saves the local version over the other one", async () => {
  const { app, store, texts } = await inConflict();
  store.keepLocal();
  await vi.advanceTimersByTimeAsync(500);
  expect(store.getState()).toMatchObject({ saving: "saved", message: undefined });
  expect(texts()).toEqual(["eins", "zwei", "three"]);
  expect(app.texts()).toEqual(["eins", "zwei", "three"]);
});

it("loads the other version as a step that can be undone", async () => {
  const { app, store, texts } = await inConflict();
  store.acceptRemote("load");
  await vi.advanceTimersByTimeAsync(500);
  expect(texts()).toEqual(["one", "two", "drei", "four"]);
  expect(store.getState()).toMatchObject({ saving: "saved", undoName: "load" });
  expect(app.changes).toEqual([]);
  store.undo();
  await vi.advanceTimersByTimeAsync(500);
  expect(texts()).toEqual(["eins", "zwei", "three"]);
  expect(app.texts()).toEqual(["eins", "zwei", "three"]);
});

it("follows further changes of the other version, and segments that are transcribed meanwhile", async () => {
  const { app, store, texts } = await inConflict();
  app.write({ put: [segment(4, 3, 4, "vier")], remove: [] });
  store.onRevision(app.revision);
  await vi.advanceTimersByTimeAsync(2000);
  store.addTranscribed([segment(5, 4, 5, "five")]);
  expect(texts()).toEqual(["eins", "zwei", "three", "five"]);
  store.acceptRemote("load");
  expect(texts()).toEqual(["one", "two", "drei", "vier", "five"]);
});

it("sees no conflict when the other version has the same changes", async () => {
  const { app, store, texts, type } = await opened();
  type(1, "eins");
  const [put] = store.getState().segments;
  if (put !== undefined) app.write({ put: [put, segment(3, 2, 3, "drei")], remove: [] });
  await store.save();
  expect(texts()).toEqual(["eins", "two", "drei"]);
  expect(store.getState().saving).toBe("saved");
});

it("sees no conflict with a new revision of the same segments", async () => {
  const { app, store, texts, type } = await opened();
  type(2, "zwei");
  app.write({ put: [], remove: [] });
  await store.save();
  expect(store.getState().saving).toBe("saved");
  expect([texts(), app.texts()]).toEqual([
    ["one", "zwei", "three"],
    ["one", "zwei", "three"],
  ]);
});

it("sees no conflict with a save of its own whose response did not arrive", async () => {
  const { app, store, type } = await opened();
  const { change } = app;
  app.change = async (given) => {
    app.change = change;
    await change(given);
    throw new ApiError(0, "offline", { message: "The app does not answer." });
  };
  type(1, "eins");
  await store.save();
  type(2, "zwei");
  await vi.advanceTimersByTimeAsync(5000);
  expect(store.getState().saving).toBe("saved");
  expect(app.texts()).toEqual(["eins", "zwei", "three"]);
});

it("adds segments during transcription, keeps edits, and duplicates nothing", async () => {
  const { store, texts, type } = await opened();
  type(3, "drei");
  store.addTranscribed([segment(3, 2, 3, "three"), segment(4, 3, 4, "four")]);
  store.addTranscribed([segment(4, 3, 4, "four")]);
  expect(texts()).toEqual(["one", "two", "drei", "four"]);
});

it("shows speakers that are announced again, but none over a change of its own", async () => {
  const { store, type } = await opened();
  const announce = (...speakers: string[]): void =>
    store.addTranscribed(
      speakers.map((speaker, at) => ({ ...segment(at + 1, at, at + 1, "announced"), speaker })),
    );
  const shown = () => store.getState().segments.map(({ speaker, text }) => `${speaker}: ${text}`);
  announce("A", "A");
  type(2, "zwei");
  announce("B", "B", "A");
  expect(shown()).toEqual(["B: one", "A: zwei", "A: three"]);
  store.edit("remove", { put: [], remove: [3] });
  announce("A", "B", "B");
  expect(shown()).toEqual(["A: one", "A: zwei"]);
});

it("reloads after an event with a later revision, but not after its own change", async () => {
  const { app, store, texts, type } = await opened();
  type(1, "eins");
  await store.save();
  let reads = 0;
  const { read } = app;
  app.read = () => {
    reads += 1;
    return read();
  };
  store.onRevision(app.revision);
  await vi.advanceTimersByTimeAsync(5000);
  expect(reads).toBe(0);
  const unchanged = store.getState().segments[1];
  app.write({ put: [segment(3, 2, 3, "drei")], remove: [] });
  store.onRevision(app.revision);
  await vi.advanceTimersByTimeAsync(5000);
  expect(texts()).toEqual(["eins", "two", "drei"]);
  expect(store.getState().segments[1]).toBe(unchanged);
});

it("reports why a document cannot be read", async () => {
  const app = appWith([]);
  const store = createDocumentStore({
    ...app,
    read: () =>
      Promise.reject(new ApiError(404, "not_found", { message: "There is no such item." })),
  });
  await store.load();
  expect(store.getState()).toMatchObject({ phase: "failed", message: "There is no such item." });
});

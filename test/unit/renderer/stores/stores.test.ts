import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Item } from "../../../../main/contract/library-item.ts";
import { t } from "../../../../renderer/messages/messages.ts";
import { removeAction, setAction, useActions } from "../../../../renderer/stores/actions.ts";
import {
  addIncomingFiles,
  sortFiles,
  takeIncomingFiles,
} from "../../../../renderer/stores/incoming.ts";
import { fileKind } from "../../../../renderer/stores/accepted-files.ts";
import type { PageName } from "../../../../renderer/stores/route.ts";
import {
  applyItemEvent,
  storeItem,
  loadItems,
  newestFirst,
  itemPath,
  useItems,
} from "../../../../renderer/stores/items.ts";
import {
  closePlayer,
  openInPlayer,
  playRange,
  play,
  seek,
  setRate,
  usePlayer,
  type Playback,
  type PlaybackReport,
} from "../../../../renderer/stores/player.ts";
import { logRequest, useRequests } from "../../../../renderer/stores/requests.ts";
import { parseRoute } from "../../../../renderer/stores/route.ts";
import { removeItemWithToast } from "../../../../renderer/stores/item-removal.ts";
import { toast, toastText, useToasts } from "../../../../renderer/stores/toasts.ts";
import { createUndoStack, useUndo } from "../../../../renderer/stores/undo.ts";

const item = (id: string, createdAtMs = 0, kind: Item["kind"] = "transcript"): Item => ({
  id,
  kind,
  title: id,
  source: "file",
  createdAtMs,
  changedAtMs: 0,
  durationSec: 1,
  sizeBytes: 1,
  state: "done",
  progress: 1,
  isPartial: false,
  language: "en",
  channels: ["local"],
  tags: [],
  hasMedia: true,
});

describe("routes", () => {
  it("are parsed, and anything unknown opens the first page", () => {
    const { page, rest, query } = parseRoute("#/library/a%20b?at=12.5");
    expect([page, rest, query.get("at")]).toEqual(["library", ["a b"], "12.5"]);
    expect(parseRoute("").page).toBe("transcribe");
    expect(parseRoute("#/nowhere/at-all").page).toBe("transcribe");
    expect(parseRoute("#/narrate/%E0%A4%A").rest).toEqual(["%E0%A4%A"]);
  });

  it("lead to the page of an item", () => {
    expect(itemPath({ id: "a/b", kind: "narration" })).toBe("/narrate/a%2Fb");
  });
});

const action = (title: string) => ({ id: "undo", title, run: () => undefined });
const shown = () => useActions.getState().actions.get("undo")?.title;

describe("actions", () => {
  it("of the same id: the later one applies, and the earlier one again when that is removed", () => {
    const [frame, page] = [Symbol("frame"), Symbol("page")];
    setAction(frame, action("the window’s"));
    setAction(page, action("the page’s"));
    setAction(frame, action("the window’s, changed"));
    expect(shown()).toBe("the page’s");
    removeAction(page);
    expect(shown()).toBe("the window’s, changed");
    removeAction(frame);
    expect(shown()).toBeUndefined();
  });
});

describe("undo", () => {
  it("goes back and forth, one step at a time", async () => {
    const stack = createUndoStack();
    const done: string[] = [];
    const step = (title: string) => ({
      title,
      undo: async () => void done.push(`-${title}`),
      redo: () => void done.push(`+${title}`),
    });
    stack.getState().push(step("a"));
    stack.getState().push(step("b"));
    await Promise.all([stack.getState().undo(), stack.getState().undo(), stack.getState().undo()]);
    await stack.getState().redo();
    expect(done).toEqual(["-b", "-a", "+a"]);
    stack.getState().push(step("c"));
    expect([stack.getState().past.map(({ title }) => title), stack.getState().future]).toEqual([
      ["a", "c"],
      [],
    ]);
  });

  it("reads the title of a step when it is shown", async () => {
    const stack = createUndoStack();
    let language = "en";
    stack.getState().push({
      get title() {
        return language;
      },
      undo: () => undefined,
      redo: () => undefined,
    });
    language = "de";
    expect(stack.getState().past.at(-1)?.title).toBe("de");
    await stack.getState().undo();
    language = "fr";
    expect(stack.getState().future.at(-1)?.title).toBe("fr");
  });

  it("undoes one step alone, wherever it is in the list, and only once", async () => {
    const stack = createUndoStack();
    const done: string[] = [];
    const step = (title: string) => ({
      title,
      undo: () => void done.push(`-${title}`),
      redo: () => void done.push(`+${title}`),
    });
    const first = stack.getState().push(step("a"));
    stack.getState().push(step("b"));
    await Promise.all([stack.getState().undo(first), stack.getState().undo(first)]);
    expect(done).toEqual(["-a"]);
    expect(
      [stack.getState().past, stack.getState().future].map((steps) =>
        steps.map(({ title }) => title),
      ),
    ).toEqual([["b"], ["a"]]);
  });

  it("offers to restore an item until that is done, and restores that item", async () => {
    const sent: string[] = [];
    vi.stubGlobal("fetch", async (address: string | URL, { method }: RequestInit = {}) => {
      sent.push(`${method} ${new URL(address, "http://localhost").pathname}`);
      return method === "DELETE" ? Response.json({ removed: true }) : Response.json(item("a"));
    });
    onTestFinished(() => {
      vi.unstubAllGlobals();
      useUndo.getState().clear();
      useToasts.setState({ toasts: [] });
    });
    await removeItemWithToast(item("a"), "removed a");
    useUndo
      .getState()
      .push({ title: "later", undo: () => void sent.push("later"), redo: () => undefined });
    useToasts
      .getState()
      .toasts.find(({ text }) => text === "removed a")
      ?.action?.run();
    await expect
      .poll(() => useToasts.getState().toasts.some(({ text }) => text === "removed a"))
      .toBe(false);
    expect(sent).toHaveLength(2);
    expect(useUndo.getState().past.map(({ title }) => title)).toEqual(["later"]);
  });

  it("keeps a step that failed, and reports it", async () => {
    const stack = createUndoStack();
    stack
      .getState()
      .push({ title: "a", undo: () => Promise.reject(new Error("no")), redo: () => undefined });
    await stack.getState().undo();
    expect(stack.getState().past).toHaveLength(1);
    const last = useToasts.getState().toasts.at(-1);
    expect(last && { ...last, text: toastText(last) }).toMatchObject({
      tone: "bad",
      text: t("frame.undo.failed", { title: "a", why: "no" }),
    });
  });
});

describe("items", () => {
  it("keep what events reported while the list was loading", async () => {
    const answer = Promise.withResolvers<Response>();
    vi.stubGlobal("fetch", () => answer.promise);
    onTestFinished(() => void vi.unstubAllGlobals());
    const loading = loadItems();
    applyItemEvent({ type: "item", item: { ...item("old", 1), title: "renamed" } });
    applyItemEvent({ type: "item", item: item("new", 2) });
    applyItemEvent({ type: "item-removed", id: "gone" });
    await new Promise((resolve) => setTimeout(resolve, 50));
    answer.resolve(Response.json({ items: [item("gone", 3), item("old", 1)], totalBytes: 7 }));
    await loading;
    expect(newestFirst(useItems.getState().byId).map(({ title }) => title)).toEqual([
      "new",
      "renamed",
    ]);
    expect(useItems.getState()).toMatchObject({ totalBytes: 7, isLoaded: true });
    useItems.setState({ byId: new Map() });
  });

  it("follow events in batches, and no event reverts a later response", async () => {
    applyItemEvent({ type: "item", item: item("a", 1) });
    applyItemEvent({ type: "item", item: item("b", 2, "narration") });
    await expect
      .poll(() => newestFirst(useItems.getState().byId).map(({ id }) => id))
      .toEqual(["b", "a"]);
    expect(newestFirst(useItems.getState().byId, "transcript").map(({ id }) => id)).toEqual(["a"]);
    applyItemEvent({ type: "item-removed", id: "b" });
    await expect.poll(() => [...useItems.getState().byId.keys()]).toEqual(["a"]);
    let changes = 0;
    const stop = useItems.subscribe(() => (changes += 1));
    for (let at = 0; at < 1000; at += 1)
      applyItemEvent({ type: "item", item: item(`many ${at}`, at) });
    storeItem({ ...item("many 7", 7), title: "newer" });
    stop();
    expect(changes).toBeLessThan(4);
    expect(useItems.getState().byId.get("many 7")?.title).toBe("newer");
    await expect.poll(() => useItems.getState().byId.size).toBe(1001);
    expect(useItems.getState().byId.get("many 7")?.title).toBe("newer");
  });
});

describe("incoming files", () => {
  it("are classified by name, then by type, and taken once by a page that takes them", () => {
    const typed = { name: "voice memo", type: "audio/x-anything" };
    expect([
      ...["a.MD", "b.epub", "b.vtt", "c.wav", "d", "e.png"].map((name) =>
        fileKind({ name, type: "" }),
      ),
      fileKind(typed),
    ]).toEqual(["script", "script", "script", "media", undefined, undefined, "media"]);
    const folder = {} as FileSystemEntry;
    expect([
      fileKind({ name: "vits-piper-de.tar.bz2", type: "" }),
      fileKind({ name: "vits-piper-de", type: "", folder }),
      fileKind({ name: "library.zip", type: "" }),
    ]).toEqual(["model", "model", "archive"]);
    const files = [new File([], "a.wav"), new File([], "b.txt"), new File([], "c.png")];
    const names = (page: PageName) => {
      const { accepted, refused } = sortFiles(files, page);
      return [accepted.map(({ file }) => file.name), refused.map(({ name }) => name)];
    };
    expect(names("narrate")).toEqual([["b.txt"], ["a.wav", "c.png"]]);
    expect(names("transcribe")).toEqual([["a.wav"], ["b.txt", "c.png"]]);
    addIncomingFiles(sortFiles(files, "settings").accepted);
    expect(takeIncomingFiles("media").map(({ name }) => name)).toEqual(["a.wav"]);
    expect(takeIncomingFiles("media")).toEqual([]);
    expect(takeIncomingFiles("script")).toHaveLength(1);
  });
});

describe("the request log", () => {
  it("is sorted by newest first and limited in length", () => {
    for (let count = 0; count < 1005; count += 1)
      logRequest({
        atMs: count,
        key: "owner",
        endpoint: "speech",
        model: "tts-1",
        channel: "local",
        status: 200,
        durationMs: 1,
      });
    const { requests } = useRequests.getState();
    expect([requests.length, requests[0]?.atMs]).toEqual([1000, 1004]);
  });
});

describe("the player", () => {
  const calls: string[] = [];
  let report: (now: PlaybackReport) => void;
  const playback = (name: string): Playback => ({
    play: async () => void calls.push(`${name} play`),
    pause: () => void calls.push(`${name} pause`),
    seek: (sec) => void calls.push(`${name} seek ${sec}`),
    setRate: (rate) => void calls.push(`${name} rate ${rate}`),
    currentSec: () => 0,
    close: () => void calls.push(`${name} close`),
  });
  const source = (id: string) => ({
    id,
    title: id,
    createPlayback: (onReport: typeof report) => {
      report = onReport;
      return playback(id);
    },
  });
  beforeEach(() => {
    closePlayer();
    setRate(1);
    calls.length = 0;
  });

  it("plays one source at a time, at the chosen rate", async () => {
    setRate(1.5);
    openInPlayer(source("a"));
    await play();
    openInPlayer(source("b"));
    expect(calls).toEqual(["a rate 1.5", "a play", "a close", "b rate 1.5"]);
  });

  it("continues when the same source is opened again", () => {
    openInPlayer(source("a"));
    report({ durationSec: 10, positionSec: 4 });
    openInPlayer({ ...source("a"), title: "new name" });
    expect(usePlayer.getState()).toMatchObject({ positionSec: 4, source: { title: "new name" } });
    expect(calls).toEqual(["a rate 1"]);
  });

  it("seeks within the available range", () => {
    openInPlayer(source("a"));
    report({ durationSec: 10 });
    seek(12);
    seek(-3);
    expect(calls.slice(1)).toEqual(["a seek 10", "a seek 0"]);
  });

  it("plays a range up to its end", () => {
    openInPlayer(source("a"));
    playRange({ fromSec: 4, toSec: 6 });
    report({ isPlaying: true });
    report({ positionSec: 5.9 });
    expect(calls.slice(1)).toEqual(["a seek 4", "a play"]);
    report({ positionSec: 6.05 });
    report({ isPlaying: false });
    expect(calls.slice(3)).toEqual(["a pause"]);
    report({ isPlaying: true });
    report({ positionSec: 6.2 });
    expect(calls).toHaveLength(4);
  });

  it.each([
    ["somebody pauses in it", () => report({ isPlaying: false })],
    ["somebody goes before it", () => seek(1)],
    ["somebody goes behind it", () => seek(9)],
    ["another range is played", () => playRange({ fromSec: 8, toSec: 20 })],
  ])("plays on after the end of a range where %s", (_, interrupt) => {
    openInPlayer(source("a"));
    playRange({ fromSec: 4, toSec: 6 });
    report({ isPlaying: true });
    interrupt();
    report({ isPlaying: true });
    report({ positionSec: 9 });
    report({ positionSec: 6.1 });
    expect(calls).not.toContain("a pause");
  });

  it("ignores reports of a closed source", () => {
    openInPlayer(source("a"));
    const late = report;
    openInPlayer(source("b"));
    late({ positionSec: 99 });
    expect(usePlayer.getState().positionSec).toBe(0);
  });

  it("shows an error until it plays again", async () => {
    openInPlayer(source("a"));
    report({ hasFailed: true, isPlaying: false });
    expect(usePlayer.getState().error).toBe("failed");
    await play();
    expect(usePlayer.getState().error).toBeUndefined();
  });
});

it("shows an identical notice once, but each one that can be undone", () => {
  useToasts.setState({ toasts: [] });
  const undo = { label: "Undo", run: () => undefined };
  for (let count = 0; count < 3; count += 1) toast({ tone: "bad", text: () => "It failed." });
  for (let count = 0; count < 2; count += 1) toast({ text: "Removed.", action: undo });
  expect(useToasts.getState().toasts).toHaveLength(3);
  useToasts.setState({ toasts: [] });
});

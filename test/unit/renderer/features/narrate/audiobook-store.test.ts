import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AudiobookDetailsChange } from "../../../../../main/contract/narration.ts";
import { ApiError } from "../../../../../renderer/api/error.ts";
import {
  type AudiobookDetails,
  type AudiobookDeps,
  createAudiobookStore,
} from "../../../../../renderer/features/narrate/export/audiobook-store.ts";
import { createUndoStack } from "../../../../../renderer/stores/undo.ts";

const png = (content: string): string => `data:image/png;base64,${content}`;
const options = { format: "mp3", perChapter: false, normalise: true, subtitles: "none" } as const;

/** An app that stores what it is sent. */
function appWith(first: Partial<AudiobookDetails>, deps: Partial<AudiobookDeps> = {}) {
  const held: { title: string | undefined; author: string; cover: string | undefined } = {
    title: undefined,
    author: "",
    cover: undefined,
    ...first,
  };
  const sent: AudiobookDetailsChange[] = [];
  const undo = createUndoStack();
  const file = createAudiobookStore({
    read: async () => ({ ...held }),
    async change(details) {
      sent.push(details);
      if (details.title !== undefined)
        held.title = details.title === "" ? undefined : details.title;
      if (details.author !== undefined) held.author = details.author;
      if (details.cover !== undefined)
        held.cover = details.cover === null ? undefined : png(details.cover);
    },
    exportFile: async () => "Book.mp3",
    undo: undo.getState(),
    ...deps,
  });
  return { file, held, sent, undo };
}

describe("the audiobook of a narration", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("removes a cover at once, still has none after a reload, and restores it by undo", async () => {
    const { file, sent, undo } = appWith({ author: "Jane", cover: png("AAAA") });
    await file.load();
    expect(file.getState()).toMatchObject({ author: "Jane", cover: png("AAAA") });
    const step = await file.setCover(undefined, "Remove cover");
    expect(sent).toEqual([{ cover: null }]);
    await file.load();
    expect(file.getState().cover).toBeUndefined();
    await undo.getState().undo(step);
    expect(sent).toEqual([{ cover: null }, { cover: "AAAA" }]);
    await file.load();
    expect(file.getState().cover).toBe(png("AAAA"));
  });

  it("shows the stored cover when the app rejects another, and offers nothing to undo", async () => {
    const { file, undo } = appWith(
      { cover: png("AAAA") },
      {
        change: () =>
          Promise.reject(new ApiError(400, "invalid_request", { message: "no picture" })),
      },
    );
    await file.load();
    expect(await file.setCover(png("BBBB"), "Choose cover")).toBeUndefined();
    expect(file.getState()).toMatchObject({ cover: png("AAAA"), error: "no picture" });
    expect([file.unsaved(), undo.getState().past]).toEqual([[], []]);
  });

  it("keeps text that is typed while it loads, and sends it a moment later", async () => {
    const { file, held, sent } = appWith({ author: "Jane" });
    const loading = file.load();
    file.setAuthor("J");
    await loading;
    expect(file.getState().author).toBe("J");
    file.setAuthor("Joan");
    expect([file.unsaved(), file.isInUse()]).toEqual([[{ author: "Joan" }], true]);
    await vi.advanceTimersByTimeAsync(1000);
    expect([held.author, sent.length, file.isInUse()]).toEqual(["Joan", 1, false]);
  });

  it("reports pending changes in their latest state as unsaved, since either request may arrive last, and nothing else", async () => {
    let answered = Promise.withResolvers<void>();
    const { file } = appWith({ author: "Jane" }, { change: () => answered.promise });
    await file.load();
    const first = file.setCover(png("AAAA"), "Choose cover");
    await vi.advanceTimersByTimeAsync(0);
    const second = file.setCover(undefined, "Remove cover");
    expect(file.unsaved()).toEqual([{ cover: null }]);
    file.setAuthor("Joan");
    // The cover is a change of its own and comes last, since it may be too large to be sent.
    expect(file.unsaved()).toEqual([{ author: "Joan" }, { cover: null }]);
    answered.resolve();
    await Promise.all([first, second]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(file.unsaved()).toEqual([]);

    await file.setCover(png("AAAA"), "Choose cover");
    answered = Promise.withResolvers();
    file.setAuthor("Jane Roe");
    const third = file.save();
    await vi.advanceTimersByTimeAsync(0);
    expect(file.unsaved()).toEqual([{ author: "Jane Roe" }]);
    answered.resolve();
    await third;
  });

  it("uses the typed title for its files, and the narration's own title again when it is cleared", async () => {
    const { file, held, sent } = appWith({ title: "Two waters" });
    await file.load();
    file.setTitle("Three waters");
    expect([file.getState().title, file.unsaved()]).toEqual([
      "Three waters",
      [{ title: "Three waters" }],
    ]);
    await vi.advanceTimersByTimeAsync(1000);
    expect([held.title, file.unsaved()]).toEqual(["Three waters", []]);
    file.setTitle(undefined);
    await file.save();
    await file.load();
    expect([sent, file.getState().title]).toEqual([
      [{ title: "Three waters" }, { title: "" }],
      undefined,
    ]);
  });

  it("is exported with what was typed last, and not when that could not be saved", async () => {
    let isAway = false;
    const made: string[] = [];
    const { file, held } = appWith(
      {},
      { exportFile: async () => (made.push(held.author), "Book.mp3") },
    );
    await file.load();
    file.setAuthor("Jane");
    await file.exportFile(options);
    expect([made, file.getState()]).toMatchObject([
      ["Jane"],
      { savedName: "Book.mp3", exportProgress: undefined, error: undefined },
    ]);

    const other = appWith(
      {},
      {
        change: () =>
          isAway
            ? Promise.reject(new ApiError(0, "offline", { message: "away" }))
            : Promise.resolve(),
      },
    );
    await other.file.load();
    isAway = true;
    other.file.setAuthor("Jane");
    await other.file.exportFile(options);
    expect(other.file.getState()).toMatchObject({
      savedName: undefined,
      exportProgress: undefined,
      error: "away",
    });
  });

  it("reports its progress, and ends without a message when it is cancelled", async () => {
    const { file } = appWith(
      {},
      {
        exportFile: (_, signal) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener("abort", () => reject(new DOMException("", "AbortError"))),
          ),
      },
    );
    file.setExportProgress(0.3);
    expect(file.getState().exportProgress).toBeUndefined();
    const making = file.exportFile(options);
    await vi.advanceTimersByTimeAsync(0);
    expect(file.getState().exportProgress).toEqual({ sinceMs: Date.now(), progress: undefined });
    file.setExportProgress(0.5);
    expect(file.getState().exportProgress?.progress).toBe(0.5);
    file.cancel();
    await making;
    expect(file.getState()).toMatchObject({
      exportProgress: undefined,
      savedName: undefined,
      error: undefined,
    });
  });

  it("is cancelled at once, also while its details are still being saved", async () => {
    const answered = Promise.withResolvers<void>();
    const made: string[] = [];
    const { file } = appWith(
      {},
      {
        change: () => answered.promise,
        exportFile: async (_, signal) => (signal.throwIfAborted(), made.push("one"), "Book.mp3"),
      },
    );
    await file.load();
    file.setAuthor("Jane");
    const making = file.exportFile(options);
    await vi.advanceTimersByTimeAsync(0);
    file.cancel();
    await making;
    expect(file.getState()).toMatchObject({
      exportProgress: undefined,
      savedName: undefined,
      error: undefined,
    });
    expect(file.unsaved()).toEqual([{ author: "Jane" }]);
    answered.resolve();
    await file.save();
    expect([made, file.unsaved()]).toEqual([[], []]);
  });

  it("is cancelled at once even if the export does not react to the abort", async () => {
    const done = Promise.withResolvers<string>();
    const { file } = appWith({}, { exportFile: () => done.promise });
    const making = file.exportFile(options);
    await vi.advanceTimersByTimeAsync(0);
    file.cancel();
    await making;
    done.resolve("Book.mp3");
    await vi.advanceTimersByTimeAsync(0);
    expect(file.getState()).toMatchObject({ exportProgress: undefined, savedName: undefined });
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Pronunciation } from "../../../../../main/contract/narration.ts";
import {
  createPronunciationStore,
  toEntries,
} from "../../../../../renderer/features/narrate/panel/pronunciation-store.ts";

describe("the list of pronunciations", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("contains only complete rows, the last one for each word", () => {
    expect(
      toEntries([
        { word: "Leicester ", says: " Lester" },
        { word: "half", says: " " },
        { word: "leicester", says: "Lesta" },
      ]),
    ).toEqual([{ word: "leicester", says: "Lesta" }]);
  });

  it("is sent a moment after typing, and again when that fails", async () => {
    const written: (readonly Pronunciation[])[] = [];
    let isAway = true;
    const store = createPronunciationStore({
      read: async () => [{ word: "Worcester", says: "Wooster" }],
      async write(entries) {
        if (isAway) throw new Error("away");
        written.push(entries);
      },
    });
    await store.load();
    const key = store.add();
    store.change(key, { word: "Leicester" });
    await vi.advanceTimersByTimeAsync(1000);
    store.change(key, { says: "Lester" });
    await vi.advanceTimersByTimeAsync(1000);
    expect(store.getState()).toMatchObject({ error: "away", isSaving: false });
    isAway = false;
    await vi.advanceTimersByTimeAsync(6000);
    expect(written).toEqual([
      [
        { word: "Leicester", says: "Lester" },
        { word: "Worcester", says: "Wooster" },
      ],
    ]);
    expect(store.getState().error).toBeUndefined();
  });

  it("keeps what another window added, changed and removed", async () => {
    let held: readonly Pronunciation[] = [
      { word: "Worcester", says: "Wooster" },
      { word: "Thames", says: "Tems" },
      { word: "Leicester", says: "Lester" },
    ];
    const store = createPronunciationStore({
      read: async () => held,
      write: async (entries) => void (held = entries),
    });
    await store.load();
    held = [
      { word: "Greenwich", says: "Grennitch" },
      { word: "Worcester", says: "Wuster" },
      { word: "Leicester", says: "Lester" },
    ];
    const [, , leicester] = store.getState().rows;
    store.remove(leicester?.key ?? 0);
    store.change(store.add("Slough"), { says: "Slau" });
    await vi.advanceTimersByTimeAsync(1000);
    expect(held.toSorted((one, other) => one.word.localeCompare(other.word))).toEqual([
      { word: "Greenwich", says: "Grennitch" },
      { word: "Slough", says: "Slau" },
      { word: "Worcester", says: "Wuster" },
    ]);
    expect(toEntries(store.getState().rows)).toEqual(held);
  });

  it("shows changes of another window when it is opened again, and keeps rows that are being typed", async () => {
    let held: readonly Pronunciation[] = [{ word: "Worcester", says: "Wooster" }];
    const store = createPronunciationStore({ read: async () => held, write: async () => {} });
    await store.load();
    store.add("Slough");
    held = [...held, { word: "Thames", says: "Tems" }];
    await store.load();
    expect(store.getState().rows.map(({ word }) => word)).toEqual([
      "Slough",
      "Worcester",
      "Thames",
    ]);
  });

  it("never overwrites a list that could not be read", async () => {
    const write = vi.fn<() => Promise<void>>(async () => {});
    const store = createPronunciationStore({
      read: async () => Promise.reject(new Error("away")),
      write,
    });
    await store.load();
    store.add("word");
    await store.save();
    expect(write).not.toHaveBeenCalled();
  });
});

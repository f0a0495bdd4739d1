import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { VocabularyEntry } from "../../../../main/contract/vocabulary.ts";
import { createVocabularyStore, toEntries } from "../../../../renderer/stores/vocabulary-store.ts";

describe("the vocabulary while it is edited", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("contains only rows with a word, the last one for each word", () => {
    expect(
      toEntries([
        { word: "Leicester ", says: " Lester", heard: "" },
        { word: " ", says: "nothing", heard: "" },
        { word: "Okonkwo", says: " ", heard: "" },
        { word: "leicester", says: "Lesta", heard: "" },
      ]),
    ).toEqual([
      { word: "leicester", says: "Lesta", heard: "" },
      { word: "Okonkwo", says: "", heard: "" },
    ]);
  });

  it("is sent a moment after typing, and again when that fails", async () => {
    const written: (readonly VocabularyEntry[])[] = [];
    let isAway = true;
    const store = createVocabularyStore({
      read: async () => [{ word: "Worcester", says: "Wooster", heard: "" }],
      async write(entries) {
        if (isAway) throw new Error("away");
        written.push(entries);
      },
    });
    await store.load();
    const key = store.add();
    store.change(key, { word: "Leicester" });
    await vi.advanceTimersByTimeAsync(1000);
    store.change(key, { says: "Lester", heard: "" });
    await vi.advanceTimersByTimeAsync(1000);
    expect(store.getState()).toMatchObject({ error: "away", isSaving: false });
    isAway = false;
    await vi.advanceTimersByTimeAsync(6000);
    expect(written).toEqual([
      [
        { word: "Leicester", says: "Lester", heard: "" },
        { word: "Worcester", says: "Wooster", heard: "" },
      ],
    ]);
    expect(store.getState().error).toBeUndefined();
  });

  it("adds pasted words that are not there yet", async () => {
    let held: readonly VocabularyEntry[] = [{ word: "Thames", says: "Tems", heard: "" }];
    const store = createVocabularyStore({
      read: async () => held,
      write: async (entries) => void (held = entries),
    });
    await store.load();
    expect(store.addAll(["thames", "Okonkwo"])).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(held).toEqual([
      { word: "Okonkwo", says: "", heard: "" },
      { word: "Thames", says: "Tems", heard: "" },
    ]);
  });

  it("keeps what another window added, changed and removed", async () => {
    let held: readonly VocabularyEntry[] = [
      { word: "Worcester", says: "Wooster", heard: "" },
      { word: "Thames", says: "Tems", heard: "" },
      { word: "Leicester", says: "Lester", heard: "" },
    ];
    const store = createVocabularyStore({
      read: async () => held,
      write: async (entries) => void (held = entries),
    });
    await store.load();
    held = [
      { word: "Greenwich", says: "Grennitch", heard: "" },
      { word: "Worcester", says: "Wuster", heard: "" },
      { word: "Leicester", says: "Lester", heard: "" },
    ];
    const [, , leicester] = store.getState().rows;
    store.remove(leicester?.key ?? 0);
    store.change(store.add("Slough"), { says: "Slau", heard: "" });
    await vi.advanceTimersByTimeAsync(1000);
    expect(held.toSorted((one, other) => one.word.localeCompare(other.word))).toEqual([
      { word: "Greenwich", says: "Grennitch", heard: "" },
      { word: "Slough", says: "Slau", heard: "" },
      { word: "Worcester", says: "Wuster", heard: "" },
    ]);
    expect(toEntries(store.getState().rows)).toEqual(held);
  });

  it("shows changes of another window when it is opened again, and keeps rows that are being typed", async () => {
    let held: readonly VocabularyEntry[] = [{ word: "Worcester", says: "Wooster", heard: "" }];
    const store = createVocabularyStore({ read: async () => held, write: async () => {} });
    await store.load();
    store.add("Slough");
    held = [...held, { word: "Thames", says: "Tems", heard: "" }];
    await store.load();
    expect(store.getState().rows.map(({ word }) => word)).toEqual([
      "Slough",
      "Worcester",
      "Thames",
    ]);
  });

  it("never overwrites a list that could not be read", async () => {
    const write = vi.fn<() => Promise<void>>(async () => {});
    const store = createVocabularyStore({
      read: async () => Promise.reject(new Error("away")),
      write,
    });
    await store.load();
    store.add("word");
    await store.save();
    expect(write).not.toHaveBeenCalled();
  });
});

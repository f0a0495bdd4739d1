// The vocabulary while it is edited; rows may be incomplete. Complete rows are sent shortly after typing, with retries,
// merged with changes from other windows.

import { createStore, type StoreApi } from "zustand/vanilla";
import type { VocabularyEntry } from "../../main/contract/vocabulary.ts";
import { messageOf } from "../api/error.ts";

export type WordRow = VocabularyEntry & { readonly key: number };
export type VocabularyState = {
  readonly rows: readonly WordRow[];
  readonly isLoaded: boolean;
  readonly isSaving: boolean;
  readonly error: string | undefined;
};

export type VocabularyStore = StoreApi<VocabularyState> & {
  /** Loads the app's list; what is typed here stays. */
  load(): Promise<void>;
  /** @returns the new row's key */
  add(word?: string): number;
  /** Adds words that are not there yet, and saves. @returns how many */
  addAll(words: readonly string[]): number;
  change(key: number, patch: Partial<VocabularyEntry>): void;
  remove(key: number): void;
  save(): Promise<void>;
  /** The whole list, if there are unsaved changes. */
  unsaved(): readonly VocabularyEntry[] | undefined;
};

export type VocabularyDeps = {
  read(): Promise<readonly VocabularyEntry[]>;
  write(entries: readonly VocabularyEntry[]): Promise<void>;
};

const saveDelayMs = 600;
const retryMs = 5000;

/** Rows with the same key are for the same word. */
const wordKey = ({ word }: Pick<VocabularyEntry, "word">): string => word.trim().toLowerCase();
const byWordKey = (entries: readonly VocabularyEntry[]): ReadonlyMap<string, VocabularyEntry> =>
  new Map(entries.map((entry) => [wordKey(entry), entry]));

const isSame = (stored: VocabularyEntry | undefined, { says, heard }: VocabularyEntry): boolean =>
  stored !== undefined && stored.says === says.trim() && stored.heard === heard.trim();

/** Rows with a word as the app stores them: trimmed, and only the last row for a word. */
export function toEntries(rows: readonly VocabularyEntry[]): readonly VocabularyEntry[] {
  const byWord = new Map<string, VocabularyEntry>();
  for (const row of rows) {
    const entry = { word: row.word.trim(), says: row.says.trim(), heard: row.heard.trim() };
    if (entry.word !== "") byWord.set(wordKey(entry), entry);
  }
  return [...byWord.values()];
}

export function createVocabularyStore({ read, write }: VocabularyDeps): VocabularyStore {
  const store = createStore<VocabularyState>(() => ({
    rows: [],
    isLoaded: false,
    isSaving: false,
    error: undefined,
  }));
  const { getState: get, setState: set } = store;
  let nextKey = 1;
  /** As the app had it when last read or saved. */
  let stored: readonly VocabularyEntry[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Requests run one after the other. */
  let lastRequest: Promise<void> = Promise.resolve();

  const scheduleSave = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void save(), ms);
  };

  const isDirty = (): boolean =>
    get().isLoaded && JSON.stringify(toEntries(get().rows)) !== JSON.stringify(stored);

  /** Merges the app's list: rows without local changes are replaced by the app's version. */
  function mergeRemote(entries: readonly VocabularyEntry[]): void {
    const [before, current] = [byWordKey(stored), byWordKey(entries)];
    const rows = get().rows.flatMap((row) => {
      const entryKey = wordKey(row);
      if (!isSame(before.get(entryKey), row)) return [row];
      const remoteEntry = current.get(entryKey);
      return remoteEntry === undefined ? [] : [{ ...row, ...remoteEntry }];
    });
    const entryKeys = new Set(rows.map(wordKey));
    const newEntries = entries.filter(
      (entry) => !entryKeys.has(wordKey(entry)) && !isSame(before.get(wordKey(entry)), entry),
    );
    stored = toEntries(entries);
    set({
      rows: [...rows, ...newEntries.map((entry) => ({ ...entry, key: nextKey++ }))],
      isLoaded: true,
      error: undefined,
    });
  }

  async function readAfter(previousRequest: Promise<void>): Promise<void> {
    await previousRequest;
    try {
      mergeRemote(await read());
    } catch (error) {
      set({ error: messageOf(error) });
    }
  }

  async function sendAfter(previousRequest: Promise<void>): Promise<void> {
    await previousRequest;
    if (!isDirty()) return;
    set({ isSaving: true });
    try {
      mergeRemote(await read());
      const entries = toEntries(get().rows);
      await write(entries);
      stored = entries;
      set({ isSaving: false, error: undefined });
    } catch (error) {
      set({ isSaving: false, error: messageOf(error) });
      scheduleSave(retryMs);
    }
  }

  function save(): Promise<void> {
    clearTimeout(timer);
    return (lastRequest = sendAfter(lastRequest));
  }

  return Object.assign(store, {
    load: () => (lastRequest = readAfter(lastRequest)),
    add(word = ""): number {
      const key = nextKey++;
      set({ rows: [{ key, word, says: "", heard: "" }, ...get().rows] });
      return key;
    },
    change(key: number, patch: Partial<VocabularyEntry>): void {
      set({ rows: get().rows.map((row) => (row.key === key ? { ...row, ...patch } : row)) });
      scheduleSave(saveDelayMs);
    },
    addAll(words: readonly string[]): number {
      const known = new Set(get().rows.map(wordKey));
      const newWords = words.filter((word) => !known.has(wordKey({ word })));
      const rows = newWords.map((word) => ({ key: nextKey++, word, says: "", heard: "" }));
      set({ rows: [...rows, ...get().rows] });
      scheduleSave(0);
      return rows.length;
    },
    remove(key: number): void {
      set({ rows: get().rows.filter((row) => row.key !== key) });
      scheduleSave(0);
    },
    save,
    unsaved: () => (isDirty() ? toEntries(get().rows) : undefined),
  });
}

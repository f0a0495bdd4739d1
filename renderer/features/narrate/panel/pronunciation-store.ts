// The list of pronunciations as it is edited: rows, some of them not complete yet. What is complete is sent a moment
// after it was typed, again until it is taken.

import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Pronunciation } from '../../../../main/contract/studio.ts';
import { messageOf } from '../../../api/error.ts';

export type WordRow = Pronunciation & { readonly key: number };
export type WordsState = { readonly rows: readonly WordRow[]; readonly isLoaded: boolean; readonly isSaving: boolean; readonly error: string | undefined };

export type PronunciationStore = StoreApi<WordsState> & {
  load(): Promise<void>;
  /** Answers its key. */
  add(word?: string): number;
  change(key: number, patch: Partial<Pronunciation>): void;
  remove(key: number): void;
  save(): Promise<void>;
};

export type PronunciationDeps = { read(): Promise<readonly Pronunciation[]>; write(entries: readonly Pronunciation[]): Promise<void> };

const saveDelayMs = 600;
const retryMs = 5000;

/** Rows that say something, as they are kept: without spaces around, of several rows for one word the last. */
export function entriesOf(rows: readonly Pronunciation[]): readonly Pronunciation[] {
  const byWord = new Map<string, Pronunciation>();
  for (const row of rows) {
    const entry = { word: row.word.trim(), says: row.says.trim() };
    if (entry.word !== '' && entry.says !== '') byWord.set(entry.word.toLowerCase(), entry);
  }
  return [...byWord.values()];
}

export function createPronunciationStore({ read, write }: PronunciationDeps): PronunciationStore {
  const store = createStore<WordsState>(() => ({ rows: [], isLoaded: false, isSaving: false, error: undefined }));
  const { getState: get, setState: set } = store;
  let nextKey = 1;
  let kept = '[]';
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> = Promise.resolve();

  const later = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void save(), ms);
  };

  async function send(earlier: Promise<void>): Promise<void> {
    await earlier;
    const entries = entriesOf(get().rows);
    const text = JSON.stringify(entries);
    if (text === kept) return;
    set({ isSaving: true });
    try {
      await write(entries);
      kept = text;
      set({ isSaving: false, error: undefined });
    } catch (error) {
      set({ isSaving: false, error: messageOf(error) });
      later(retryMs);
    }
  }

  function save(): Promise<void> {
    clearTimeout(timer);
    // Before they are read there is nothing that could be kept.
    if (get().isLoaded) sending = send(sending);
    return sending;
  }

  return Object.assign(store, {
    async load(): Promise<void> {
      if (get().isLoaded) return;
      try {
        const entries = await read();
        kept = JSON.stringify(entriesOf(entries));
        set({ rows: entries.map((entry) => ({ ...entry, key: nextKey++ })), isLoaded: true, error: undefined });
      } catch (error) {
        set({ error: messageOf(error) });
      }
    },
    add(word = ''): number {
      const key = nextKey++;
      set({ rows: [{ key, word, says: '' }, ...get().rows] });
      return key;
    },
    change(key: number, patch: Partial<Pronunciation>): void {
      set({ rows: get().rows.map((row) => (row.key === key ? { ...row, ...patch } : row)) });
      later(saveDelayMs);
    },
    remove(key: number): void {
      set({ rows: get().rows.filter((row) => row.key !== key) });
      later(0);
    },
    save,
  });
}

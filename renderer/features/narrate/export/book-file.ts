// What a narration's file is to be, author and cover as the app keeps them, and how far it is. It lives with the open
// narration: what is typed stays when the panel is closed, and the work goes on while other pages are shown.

import { createStore, type StoreApi } from 'zustand/vanilla';
import type { BookDetailsChange, NarrationExport } from '../../../../main/contract/studio.ts';
import { isAbort, messageOf } from '../../../api/error.ts';
import { createAutosave } from '../../../stores/autosave.ts';
import { type UndoState, type UndoStep, useUndo } from '../../../stores/undo.ts';

/** `cover` is a data address, which a picture element shows; undefined: none. */
export type BookDetails = { readonly author: string; readonly cover: string | undefined };

export type BookFileState = BookDetails & {
  /** As typed; undefined: the narration's own. */
  readonly title: string | undefined;
  /** The file that is being made; `part` is 0 to 1. */
  readonly making: { readonly sinceMs: number; readonly part: number } | undefined;
  /** The last one that was made. */
  readonly savedName: string | undefined;
  /** Why there is none, or why author or cover are not kept. */
  readonly error: string | undefined;
};

export type BookFile = StoreApi<BookFileState> & {
  /** Author and cover as the app has them, under what is typed here. */
  load(): Promise<void>;
  setTitle(title: string): void;
  setAuthor(author: string): void;
  /** Kept at once. Answers the step that takes it back; undefined where the app refused. `title` names it. */
  setCover(cover: string | undefined, title: string): Promise<UndoStep | undefined>;
  /** Puts it together and saves it. A failure is in `error`. */
  make(options: NarrationExport): Promise<void>;
  cancel(): void;
  /** The app tells how far it is. */
  told(part: number): void;
  /** What would be lost if the page went away now. */
  unsaved(): BookDetailsChange | undefined;
  save(): Promise<void>;
  /** Something of it is on its way. */
  isInUse(): boolean;
};

export type BookFileDeps = {
  read(): Promise<BookDetails>;
  /** Throws ApiError. */
  change(details: BookDetailsChange): Promise<unknown>;
  /** Answers the name it was saved under. */
  make(options: NarrationExport, signal: AbortSignal): Promise<string>;
  undo?: Pick<UndoState, 'push'>;
};

const base64Of = (address: string): string => address.slice(address.indexOf(',') + 1);

export function createBookFile({ read, change, make, undo = useUndo.getState() }: BookFileDeps): BookFile {
  const store = createStore<BookFileState>(() => ({ author: '', cover: undefined, title: undefined, making: undefined, savedName: undefined, error: undefined }));
  const { getState: get, setState: set } = store;
  /** As the app is known to have it; undefined: not read yet. */
  let kept: BookDetails | undefined;
  let stop: AbortController | undefined;

  const before = (): BookDetails => kept ?? { author: '', cover: undefined };
  const isDirty = (): boolean => get().author !== before().author || get().cover !== before().cover;
  /** Everything where a change is on its way, which may arrive or not. */
  function changed(isAll: boolean): BookDetailsChange {
    const { author, cover } = get();
    return { ...((isAll || author !== before().author) && { author }), ...((isAll || cover !== before().cover) && { cover: cover === undefined ? null : base64Of(cover) }) };
  }

  const autosave = createAutosave({
    isDirty,
    async send() {
      const { author, cover } = get();
      await change(changed(false));
      kept = { author, cover };
    },
    async read() {
      try {
        const fresh = await read();
        const { author, cover } = get();
        const known = before();
        kept = fresh;
        set({ author: author === known.author ? fresh.author : author, cover: cover === known.cover ? fresh.cover : cover, error: undefined });
      } catch (error) {
        set({ error: messageOf(error) });
      }
    },
    onTrouble(saving, error) {
      // A picture that was refused is not shown as if it were kept.
      set({ error, ...(saving === 'stuck' && { cover: kept?.cover }) });
    },
    onRest() {},
  });

  async function keepCover(cover: string | undefined): Promise<void> {
    set({ cover, error: undefined });
    await autosave.save();
  }

  return Object.assign(store, {
    load: autosave.load,
    setTitle: (title: string) => set({ title }),
    setAuthor(author: string): void {
      set({ author });
      autosave.changed();
    },
    async setCover(cover: string | undefined, title: string): Promise<UndoStep | undefined> {
      const earlier = get().cover;
      await keepCover(cover);
      if (get().cover !== cover) return undefined;
      return undo.push({ title, undo: () => keepCover(earlier), redo: () => keepCover(cover) });
    },
    async make(options: NarrationExport): Promise<void> {
      if (stop !== undefined) return;
      const own = new AbortController();
      stop = own;
      set({ making: { sinceMs: Date.now(), part: 0 }, savedName: undefined, error: undefined });
      try {
        await autosave.save();
        // The file would be without what is shown.
        if (isDirty()) throw new Error(get().error);
        const savedName = await make(options, own.signal);
        set({ savedName });
      } catch (error) {
        if (!isAbort(error)) set({ error: messageOf(error) });
      } finally {
        stop = undefined;
        set({ making: undefined });
      }
    },
    cancel: () => stop?.abort(),
    told(part: number): void {
      const { making } = get();
      if (making !== undefined) set({ making: { ...making, part } });
    },
    unsaved: () => (isDirty() || autosave.isSending() ? changed(autosave.isSending()) : undefined),
    save: autosave.save,
    isInUse: () => get().making !== undefined || isDirty(),
  });
}

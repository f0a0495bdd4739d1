// What a narration's file is to be, title, author and cover as the app keeps them, and how far it is. It lives with the open
// narration: what is typed stays when the panel is closed, and the work goes on while other pages are shown.

import { createStore, type StoreApi } from "zustand/vanilla";
import type { BookDetailsChange, NarrationExport } from "../../../../main/contract/studio.ts";
import { isAbort, messageOf } from "../../../api/error.ts";
import { createAutosave } from "../../../stores/autosave.ts";
import { type UndoState, type UndoStep, useUndo } from "../../../stores/undo.ts";

export type BookDetails = {
  /** Undefined: the narration's own. */
  readonly title: string | undefined;
  readonly author: string;
  /** A data address, which a picture element shows; undefined: none. */
  readonly cover: string | undefined;
};

export type BookFileState = BookDetails & {
  /** The file that is being made; `part` is 0 to 1, undefined until the app tells of it. */
  readonly making: { readonly sinceMs: number; readonly part: number | undefined } | undefined;
  /** The last one that was made. */
  readonly savedName: string | undefined;
  /** Why there is none, or why title, author or cover are not kept. */
  readonly error: string | undefined;
};

export type BookFile = StoreApi<BookFileState> & {
  /** Title, author and cover as the app has them, under what is typed here. */
  load(): Promise<void>;
  /** Undefined: the narration's own. */
  setTitle(title: string | undefined): void;
  setAuthor(author: string): void;
  /** Kept at once. Answers the step that takes it back; undefined where the app refused. `title` names it. */
  setCover(cover: string | undefined, title: string): Promise<UndoStep | undefined>;
  /** Puts it together and saves it. A failure is in `error`. */
  make(options: NarrationExport): Promise<void>;
  /** At once, whatever is waited for. */
  cancel(): void;
  /** The app tells how far it is. */
  told(part: number): void;
  /** What would be lost if the page went away now, each apart from the others: one that is too much to be sent then takes none along. */
  unsaved(): readonly BookDetailsChange[];
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
  undo?: Pick<UndoState, "push">;
};

const nothing: BookDetails = { title: undefined, author: "", cover: undefined };

type Field = keyof BookDetails;
/** As the app takes them; the picture last, as what fits is sent in this order. */
const sentAs = {
  title: ({ title = "" }) => ({ title }),
  author: ({ author }) => ({ author }),
  cover: ({ cover }) => ({
    cover: cover === undefined ? null : cover.slice(cover.indexOf(",") + 1),
  }),
} satisfies Record<Field, (details: BookDetails) => BookDetailsChange>;
const fields = Object.keys(sentAs) as Field[];

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
  );

export function createBookFile({
  read,
  change,
  make,
  undo = useUndo.getState(),
}: BookFileDeps): BookFile {
  const store = createStore<BookFileState>(() => ({
    ...nothing,
    making: undefined,
    savedName: undefined,
    error: undefined,
  }));
  const { getState: get, setState: set } = store;
  /** As the app is known to have it; undefined: not read yet. */
  let kept: BookDetails | undefined;
  let stop: AbortController | undefined;

  /** In the request that is on its way: each may arrive or not. */
  let onTheWay: readonly Field[] = [];

  const before = (): BookDetails => kept ?? nothing;
  const isChanged = (field: Field): boolean => get()[field] !== before()[field];
  const isDirty = (): boolean => fields.some(isChanged);
  const changes = (of: readonly Field[]): BookDetailsChange[] =>
    of.map((field) => sentAs[field](get()));

  const autosave = createAutosave({
    isDirty,
    async send() {
      const { title, author, cover } = get();
      onTheWay = fields.filter(isChanged);
      try {
        await change(changes(onTheWay).reduce((all, one) => ({ ...all, ...one })));
        kept = { title, author, cover };
      } finally {
        onTheWay = [];
      }
    },
    async read() {
      try {
        const fresh = await read();
        const { title, author, cover } = get();
        const typed = {
          ...(isChanged("title") && { title }),
          ...(isChanged("author") && { author }),
          ...(isChanged("cover") && { cover }),
        };
        kept = fresh;
        set({ ...fresh, ...typed, error: undefined });
      } catch (error) {
        set({ error: messageOf(error) });
      }
    },
    onTrouble(saving, error) {
      // A picture that was refused is not shown as if it were kept.
      set({ error, ...(saving === "stuck" && { cover: kept?.cover }) });
    },
    onRest() {},
  });

  async function keepCover(cover: string | undefined): Promise<void> {
    set({ cover, error: undefined });
    await autosave.save();
  }

  return Object.assign(store, {
    load: autosave.load,
    setTitle(title: string | undefined): void {
      set({ title });
      autosave.changed();
    },
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
      set({
        making: { sinceMs: Date.now(), part: undefined },
        savedName: undefined,
        error: undefined,
      });
      try {
        // What is sent to be kept is not broken off, nor waited for.
        const end = aborted(own.signal);
        await Promise.race([autosave.save(), end]);
        // The file would be without what is shown.
        if (isDirty()) throw new Error(get().error);
        set({ savedName: await Promise.race([make(options, own.signal), end]) });
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
    unsaved: () => changes(fields.filter((field) => onTheWay.includes(field) || isChanged(field))),
    save: autosave.save,
    isInUse: () => get().making !== undefined || isDirty(),
  });
}

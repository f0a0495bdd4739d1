// What a narration's file is to be, title, author and cover as the app keeps them, and how far it is. It lives with the open
// narration: what is typed stays when the panel is closed, and the work goes on while other pages are shown.

import { createStore, type StoreApi } from "zustand/vanilla";
import type { AudiobookDetailsChange, NarrationExport } from "../../../../main/contract/studio.ts";
import { isAbort, messageOf } from "../../../api/error.ts";
import { createAutosave } from "../../../stores/autosave.ts";
import { type UndoState, type UndoStep, useUndo } from "../../../stores/undo.ts";

export type AudiobookDetails = {
  /** Undefined: the narration's own. */
  readonly title: string | undefined;
  readonly author: string;
  /** A data address, which a picture element shows; undefined: none. */
  readonly cover: string | undefined;
};

export type AudiobookState = AudiobookDetails & {
  /** The file that is being made; `progress` is 0 to 1, undefined until the app tells of it. */
  readonly exportProgress:
    | { readonly sinceMs: number; readonly progress: number | undefined }
    | undefined;
  /** The last one that was made. */
  readonly savedName: string | undefined;
  /** Why there is none, or why title, author or cover are not kept. */
  readonly error: string | undefined;
};

export type AudiobookStore = StoreApi<AudiobookState> & {
  /** Title, author and cover as the app has them, under what is typed here. */
  load(): Promise<void>;
  /** Undefined: the narration's own. */
  setTitle(title: string | undefined): void;
  setAuthor(author: string): void;
  /** Kept at once. Answers the step that takes it back; undefined where the app refused. `title` names it. */
  setCover(cover: string | undefined, title: string): Promise<UndoStep | undefined>;
  /** Puts it together and saves it. A failure is in `error`. */
  exportFile(options: NarrationExport): Promise<void>;
  /** At once, whatever is waited for. */
  cancel(): void;
  /** The app tells how far it is. */
  setExportProgress(progress: number): void;
  /** What would be lost if the page went away now, each apart from the others: one that is too much to be sent then takes none along. */
  unsaved(): readonly AudiobookDetailsChange[];
  save(): Promise<void>;
  /** Something of it is on its way. */
  isInUse(): boolean;
};

export type AudiobookDeps = {
  read(): Promise<AudiobookDetails>;
  /** Throws ApiError. */
  change(details: AudiobookDetailsChange): Promise<unknown>;
  /** Answers the name it was saved under. */
  exportFile(options: NarrationExport, signal: AbortSignal): Promise<string>;
  undo?: Pick<UndoState, "push">;
};

const emptyDetails: AudiobookDetails = { title: undefined, author: "", cover: undefined };

type DetailField = keyof AudiobookDetails;
/** As the app takes them; the picture last, as what fits is sent in this order. */
const toChange = {
  title: ({ title = "" }) => ({ title }),
  author: ({ author }) => ({ author }),
  cover: ({ cover }) => ({
    cover: cover === undefined ? null : cover.slice(cover.indexOf(",") + 1),
  }),
} satisfies Record<DetailField, (details: AudiobookDetails) => AudiobookDetailsChange>;
const fields = Object.keys(toChange) as DetailField[];

const rejectOnAbort = (signal: AbortSignal) =>
  new Promise<never>((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
  );

export function createAudiobookStore({
  read,
  change,
  exportFile,
  undo = useUndo.getState(),
}: AudiobookDeps): AudiobookStore {
  const store = createStore<AudiobookState>(() => ({
    ...emptyDetails,
    exportProgress: undefined,
    savedName: undefined,
    error: undefined,
  }));
  const { getState: get, setState: set } = store;
  /** As the app is known to have it; undefined: not read yet. */
  let stored: AudiobookDetails | undefined;
  let exportAbort: AbortController | undefined;

  /** In the request that is on its way: each may arrive or not. */
  let inFlightFields: readonly DetailField[] = [];

  const storedDetails = (): AudiobookDetails => stored ?? emptyDetails;
  const isChanged = (field: DetailField): boolean => get()[field] !== storedDetails()[field];
  const isDirty = (): boolean => fields.some(isChanged);
  const toChanges = (changedFields: readonly DetailField[]): AudiobookDetailsChange[] =>
    changedFields.map((field) => toChange[field](get()));

  const autosave = createAutosave({
    isDirty,
    async send() {
      const { title, author, cover } = get();
      inFlightFields = fields.filter(isChanged);
      try {
        await change(toChanges(inFlightFields).reduce((all, one) => ({ ...all, ...one })));
        stored = { title, author, cover };
      } finally {
        inFlightFields = [];
      }
    },
    async read() {
      try {
        const fresh = await read();
        const { title, author, cover } = get();
        const localEdits = {
          ...(isChanged("title") && { title }),
          ...(isChanged("author") && { author }),
          ...(isChanged("cover") && { cover }),
        };
        stored = fresh;
        set({ ...fresh, ...localEdits, error: undefined });
      } catch (error) {
        set({ error: messageOf(error) });
      }
    },
    onSaveError(saving, error) {
      // A picture that was refused is not shown as if it were kept.
      set({ error, ...(saving === "stuck" && { cover: stored?.cover }) });
    },
    onIdle() {},
  });

  async function saveCover(cover: string | undefined): Promise<void> {
    set({ cover, error: undefined });
    await autosave.save();
  }

  return Object.assign(store, {
    load: autosave.load,
    setTitle(title: string | undefined): void {
      set({ title });
      autosave.markDirty();
    },
    setAuthor(author: string): void {
      set({ author });
      autosave.markDirty();
    },
    async setCover(cover: string | undefined, title: string): Promise<UndoStep | undefined> {
      const previousCover = get().cover;
      await saveCover(cover);
      if (get().cover !== cover) return undefined;
      return undo.push({
        title,
        undo: () => saveCover(previousCover),
        redo: () => saveCover(cover),
      });
    },
    async exportFile(options: NarrationExport): Promise<void> {
      if (exportAbort !== undefined) return;
      const abort = new AbortController();
      exportAbort = abort;
      set({
        exportProgress: { sinceMs: Date.now(), progress: undefined },
        savedName: undefined,
        error: undefined,
      });
      try {
        // What is sent to be kept is not broken off, nor waited for.
        const abortion = rejectOnAbort(abort.signal);
        await Promise.race([autosave.save(), abortion]);
        // The file would be without what is shown.
        if (isDirty()) throw new Error(get().error);
        set({ savedName: await Promise.race([exportFile(options, abort.signal), abortion]) });
      } catch (error) {
        if (!isAbort(error)) set({ error: messageOf(error) });
      } finally {
        exportAbort = undefined;
        set({ exportProgress: undefined });
      }
    },
    cancel: () => exportAbort?.abort(),
    setExportProgress(progress: number): void {
      const { exportProgress } = get();
      if (exportProgress !== undefined) set({ exportProgress: { ...exportProgress, progress } });
    },
    unsaved: () =>
      toChanges(fields.filter((field) => inFlightFields.includes(field) || isChanged(field))),
    save: autosave.save,
    isInUse: () => get().exportProgress !== undefined || isDirty(),
  });
}

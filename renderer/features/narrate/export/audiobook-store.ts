// The audiobook of a narration: title, author, cover as the app stores them, and the export in progress. It belongs to
// the open narration, so typed values survive closing the panel, and an export goes on while other pages are shown.

import { createStore, type StoreApi } from "zustand/vanilla";
import type {
  AudiobookDetailsChange,
  NarrationExport,
} from "../../../../main/contract/narration.ts";
import { isAbort, messageOf } from "../../../api/error.ts";
import { createAutosave } from "../../../stores/autosave.ts";
import { type UndoState, type UndoStep, useUndo } from "../../../stores/undo.ts";

export type AudiobookDetails = {
  /** Undefined: the narration's title. */
  readonly title: string | undefined;
  readonly author: string;
  /** A data URL; undefined: none. */
  readonly cover: string | undefined;
};

export type AudiobookState = AudiobookDetails & {
  /** The export in progress; `progress` is 0 to 1, undefined until the app reports it. */
  readonly exportProgress:
    | { readonly sinceMs: number; readonly progress: number | undefined }
    | undefined;
  /** Name of the last exported file. */
  readonly savedName: string | undefined;
  /** Why the export failed, or why the details are not saved. */
  readonly error: string | undefined;
};

export type AudiobookStore = StoreApi<AudiobookState> & {
  /** Loads the details; unsaved changes stay. */
  load(): Promise<void>;
  /** Undefined: the narration's title. */
  setTitle(title: string | undefined): void;
  setAuthor(author: string): void;
  /** Saves at once. `title` names the undo step. @returns the step that undoes it; undefined if the app refused */
  setCover(cover: string | undefined, title: string): Promise<UndoStep | undefined>;
  /** Exports and saves the file. A failure is in `error`. */
  exportFile(options: NarrationExport): Promise<void>;
  /** Takes effect at once, whatever is in progress. */
  cancel(): void;
  setExportProgress(progress: number): void;
  /**
   * Unsaved changes for the case that the page closes, one per field: a cover that is too large to be sent then does
   * not prevent the others.
   */
  unsaved(): readonly AudiobookDetailsChange[];
  save(): Promise<void>;
  /** Whether a request or export is in progress. */
  isInUse(): boolean;
};

export type AudiobookDeps = {
  read(): Promise<AudiobookDetails>;
  /** @throws ApiError */
  change(details: AudiobookDetailsChange): Promise<unknown>;
  /** @returns the name of the saved file */
  exportFile(options: NarrationExport, signal: AbortSignal): Promise<string>;
  undo?: Pick<UndoState, "push">;
};

const emptyDetails: AudiobookDetails = { title: undefined, author: "", cover: undefined };

type DetailField = keyof AudiobookDetails;
/** Fields as the app expects them. The cover is last, because the first ones that fit are sent when the page closes. */
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
  /** What the app has stored, as far as is known; undefined: not read yet. */
  let stored: AudiobookDetails | undefined;
  /** Fields of the request in progress, which may or may not arrive. */
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
      // Do not show a refused cover as if it were stored.
      set({ error, ...(saving === "stuck" && { cover: stored?.cover }) });
    },
    onIdle() {},
  });

  function edit(details: Partial<Pick<AudiobookDetails, "title" | "author">>): void {
    set(details);
    autosave.markDirty();
  }

  async function saveCover(cover: string | undefined): Promise<void> {
    set({ cover, error: undefined });
    await autosave.save();
  }

  const fileExport = createFileExport(store, {
    exportFile,
    async saveDetails() {
      await autosave.save();
      // The file would lack the unsaved details that are shown.
      if (isDirty()) throw new Error(get().error);
    },
  });

  return Object.assign(store, {
    load: autosave.load,
    setTitle: (title: string | undefined): void => edit({ title }),
    setAuthor: (author: string): void => edit({ author }),
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
    exportFile: fileExport.start,
    cancel: fileExport.cancel,
    setExportProgress: fileExport.setProgress,
    unsaved: () =>
      toChanges(fields.filter((field) => inFlightFields.includes(field) || isChanged(field))),
    save: autosave.save,
    isInUse: () => get().exportProgress !== undefined || isDirty(),
  });
}

/** The export in progress; at most one. */
function createFileExport(
  { getState: get, setState: set }: StoreApi<AudiobookState>,
  {
    exportFile,
    saveDetails,
  }: Pick<AudiobookDeps, "exportFile"> & {
    /** @throws if they are not saved */
    saveDetails(): Promise<void>;
  },
) {
  let running: AbortController | undefined;
  return {
    async start(options: NarrationExport): Promise<void> {
      if (running !== undefined) return;
      const controller = new AbortController();
      running = controller;
      set({
        exportProgress: { sinceMs: Date.now(), progress: undefined },
        savedName: undefined,
        error: undefined,
      });
      try {
        // Cancelling does not abort the save, but does not wait for it either.
        const abortion = rejectOnAbort(controller.signal);
        await Promise.race([saveDetails(), abortion]);
        set({ savedName: await Promise.race([exportFile(options, controller.signal), abortion]) });
      } catch (error) {
        if (!isAbort(error)) set({ error: messageOf(error) });
      } finally {
        running = undefined;
        set({ exportProgress: undefined });
      }
    },
    cancel: (): void => running?.abort(),
    setProgress(progress: number): void {
      const { exportProgress } = get();
      if (exportProgress !== undefined) set({ exportProgress: { ...exportProgress, progress } });
    },
  };
}

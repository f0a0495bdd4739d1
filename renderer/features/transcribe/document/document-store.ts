// Store of one open transcript: segments, one undo stack, and unsaved changes. If it was changed elsewhere meanwhile,
// it keeps both versions until the user chooses one. See stores/autosave.ts for when changes are sent, edits.ts for the
// changes themselves, document-versions.ts for what is unsaved.

import { createStore, type StoreApi } from "zustand/vanilla";
import type {
  DocumentChange,
  DocumentSegment,
  TranscriptDocument,
} from "../../../../main/contract/transcript-document.ts";
import { ApiError, isPermanentError, messageOf } from "../../../api/error.ts";
import { t } from "../../../messages/messages.ts";
import { type Autosave, createAutosave, type SaveState } from "../../../stores/autosave.ts";
import { createDocumentVersions, type DocumentVersions } from "./document-versions.ts";
import {
  applyPatch,
  compareByTime,
  diffSegments,
  invertPatch,
  isEmptyPatch,
  type Patch,
} from "./segments.ts";
import { createUndoSteps, type StepOptions } from "./undo-steps.ts";

export type DocumentState = {
  readonly phase: "loading" | "ready" | "failed";
  /** Why loading or saving failed. */
  readonly message: string | undefined;
  readonly segments: readonly DocumentSegment[];
  readonly document: Omit<TranscriptDocument, "segments" | "revision"> | undefined;
  readonly saving: SaveState;
  /** Titles of the next undo and redo step; undefined if there is none. */
  readonly undoName: string | undefined;
  readonly redoName: string | undefined;
};

export type DocumentStore = StoreApi<DocumentState> & {
  load(): Promise<void>;
  /** `name` is the title of the undo step. */
  edit(name: string, patch: Patch, options?: StepOptions): void;
  undo(): void;
  redo(): void;
  /** Adds segments from a running transcription; existing ones stay unchanged. */
  addTranscribed(segments: readonly DocumentSegment[]): void;
  /** The app announced this revision. */
  onRevision(revision: number): void;
  /** Ends a conflict by showing the version from elsewhere, as one undo step. */
  acceptRemote(name: string): void;
  /** Ends a conflict by saving the local version over the one from elsewhere. */
  keepLocal(): void;
  /** Sends unsaved changes at once; resolves when they are accepted, refused, or scheduled for a retry. */
  save(): Promise<void>;
  /**
   * Unsaved changes for the case that the page closes: two versions if a save is in progress, which may or may not
   * arrive; none in a conflict.
   */
  unsaved(): readonly DocumentChange[];
  close(): void;
};

export type DocumentDeps = {
  read(): Promise<TranscriptDocument>;
  /** @throws ApiError; status 409 if it was changed elsewhere */
  change(change: DocumentChange): Promise<{ revision: number }>;
};

const initialState: DocumentState = {
  phase: "loading",
  message: undefined,
  segments: [],
  document: undefined,
  saving: "saved",
  undoName: undefined,
  redoName: undefined,
};
const reloadDelayMs = 1000;

export function createDocumentStore(deps: DocumentDeps): DocumentStore {
  const store = createStore<DocumentState>(() => initialState);
  const { getState: get, setState: set } = store;
  const versions = createDocumentVersions();
  const undoSteps = createUndoSteps();
  /** Segments announced since the last read was requested; its response may lack them. */
  let transcribedSinceRead: DocumentSegment[] = [];

  const autosave = createAutosave({
    isDirty: () =>
      versions.hasUnsaved() && versions.remote() === undefined && get().phase === "ready",
    send,
    read,
    onSaveError: (saving, message) => set({ saving, message }),
    onIdle: () => reload.check(),
  });
  const reload = createReload(versions.revision, autosave);

  function applyLocally(patch: Patch | undefined): void {
    if (patch === undefined) return;
    versions.change(patch);
    set({
      segments: applyPatch(get().segments, patch),
      ...(versions.remote() === undefined && { saving: "unsaved", message: undefined }),
      ...undoSteps.names(),
    });
    autosave.markDirty();
  }

  const adopt = (fresh: TranscriptDocument): void =>
    set({ ...adoptedState(versions, fresh, get().segments), ...undoSteps.names() });

  async function read(): Promise<void> {
    reload.started();
    transcribedSinceRead = [];
    try {
      const document = await deps.read();
      reload.note(document.revision);
      const fresh = withTranscribed(document, transcribedSinceRead);
      if (versions.receive(fresh)) adopt(fresh);
      else set({ saving: "conflict", message: t("transcribe.conflict") });
    } catch (error) {
      if (get().phase !== "ready") set({ phase: "failed", message: messageOf(error) });
    }
  }

  async function send(): Promise<void> {
    try {
      versions.accepted((await deps.change(versions.nextChange())).revision);
      set({ saving: versions.hasUnsaved() ? "unsaved" : "saved", message: undefined });
    } catch (error) {
      const isConflict = error instanceof ApiError && error.status === 409;
      if (isPermanentError(error) && !isConflict) versions.refused();
      throw error;
    }
  }

  return Object.assign(store, {
    load: autosave.load,
    edit(name: string, patch: Patch, options?: StepOptions): void {
      if (isEmptyPatch(patch)) return;
      const backward = invertPatch(get().segments, patch);
      undoSteps.add({ ...options, name, forward: patch, backward });
      applyLocally(patch);
    },
    undo: () => applyLocally(undoSteps.undo()),
    redo: () => applyLocally(undoSteps.redo()),
    addTranscribed(segments: readonly DocumentSegment[]): void {
      transcribedSinceRead.push(...segments);
      if (get().phase !== "ready") return;
      const fresh = versions.addTranscribed(segments, get().segments);
      if (!isEmptyPatch(fresh)) set({ segments: applyPatch(get().segments, fresh) });
    },
    onRevision: reload.onRevision,
    acceptRemote(name: string): void {
      const remote = versions.remote();
      if (remote === undefined) return;
      const { segments } = get();
      const forward = diffSegments(segments, remote.segments);
      undoSteps.add({ name, forward, backward: invertPatch(segments, forward) });
      versions.discard();
      adopt(remote);
    },
    keepLocal(): void {
      const remote = versions.remote();
      if (remote === undefined) return;
      versions.rebase(remote, get().segments);
      adopt(remote);
      autosave.markDirty();
    },
    save: autosave.save,
    unsaved: versions.unsaved,
    close(): void {
      autosave.close();
      reload.close();
    },
  });
}

/** The app's document with unsaved changes on top. */
function adoptedState(
  versions: DocumentVersions,
  fresh: TranscriptDocument,
  shown: readonly DocumentSegment[],
): Partial<DocumentState> {
  const segments = versions.adopt(fresh, shown);
  const { segments: _, revision: __, ...document } = fresh;
  return {
    phase: "ready",
    saving: versions.hasUnsaved() ? "unsaved" : "saved",
    message: undefined,
    document,
    segments,
  };
}

/** Reads the document again, soon after a revision was announced that is newer than the known one. */
function createReload(
  knownRevision: () => number,
  { isSending, load }: Pick<Autosave, "isSending" | "load">,
) {
  let newestRevision = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  function note(revision: number): void {
    newestRevision = Math.max(newestRevision, revision);
  }

  function check(): void {
    // Events announce the window's own changes too, before their response arrives; checked again after the save.
    if (newestRevision <= knownRevision() || isSending() || timer !== undefined || isClosed) return;
    timer = setTimeout(() => void load(), reloadDelayMs);
  }

  return {
    note,
    check,
    onRevision(revision: number): void {
      note(revision);
      check();
    },
    started(): void {
      clearTimeout(timer);
      timer = undefined;
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** With segments that were announced while the document was read. */
function withTranscribed(
  document: TranscriptDocument,
  transcribed: readonly DocumentSegment[],
): TranscriptDocument {
  const ids = new Set(document.segments.map(({ id }) => id));
  const missing = transcribed.filter(({ id }) => !ids.has(id));
  return { ...document, segments: [...document.segments, ...missing].sort(compareByTime) };
}

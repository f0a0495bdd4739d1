// Store of one open transcript: segments, one undo stack, and unsaved changes. If it was changed elsewhere meanwhile, it
// keeps both versions until the user chooses one. See stores/autosave.ts for when changes are sent, edits.ts for the
// changes themselves.

import { createStore, type StoreApi } from "zustand/vanilla";
import type {
  DocumentChange,
  DocumentSegment,
  TranscriptDocument,
} from "../../../../main/contract/transcript-document.ts";
import { ApiError, isPermanentError, messageOf } from "../../../api/error.ts";
import { t } from "../../../messages/messages.ts";
import { createAutosave, type SaveState } from "../../../stores/autosave.ts";
import {
  applyPatch,
  compareByTime,
  containsPatch,
  diffSegments,
  invertPatch,
  isSameSegment,
  joinPatches,
  type Patch,
} from "./segments.ts";

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
  /** Consecutive edits with the same `mergeKey` are one undo step. `name` is the step's title. */
  edit(name: string, patch: Patch, mergeKey?: string): void;
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

type Step = {
  readonly name: string;
  readonly forward: Patch;
  readonly backward: Patch;
  readonly mergeKey: string | undefined;
};

const emptyPatch: Patch = { put: [], remove: [] };
const isEmptyPatch = (patch: Patch): boolean => patch.put.length === 0 && patch.remove.length === 0;

const reloadDelayMs = 1000;
const maxSteps = 500;

export function createDocumentStore(deps: DocumentDeps): DocumentStore {
  const store = createStore<DocumentState>(() => ({
    phase: "loading",
    message: undefined,
    segments: [],
    document: undefined,
    saving: "saved",
    undoName: undefined,
    redoName: undefined,
  }));
  const { getState: get, setState: set } = store;
  /** The segments and revision that the app has, as far as is known, and the changes it does not have yet. */
  let stored: readonly DocumentSegment[] = [];
  let revision = 0;
  let newestRevision = 0;
  let pending = emptyPatch;
  /** Being sent, or sent without a response; the app may have it or not. */
  let inFlight = emptyPatch;
  /** The version from elsewhere, during a conflict. */
  let remote: TranscriptDocument | undefined;
  /** Segments announced since the last read was requested; its response may lack them. */
  let transcribedSinceRead: DocumentSegment[] = [];
  let reloadTimer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  const undoSteps: Step[] = [];
  const redoSteps: Step[] = [];

  const autosave = createAutosave({
    isDirty: () => !isEmptyPatch(unsavedPatch()) && remote === undefined && get().phase === "ready",
    send,
    read,
    onSaveError: (saving, message) => set({ saving, message }),
    onIdle: () => newestRevision > revision && onRevision(newestRevision),
  });

  function unsavedPatch(): Patch {
    return joinPatches(inFlight, pending);
  }

  function applyLocally(patch: Patch): void {
    pending = joinPatches(pending, patch);
    set({
      segments: applyPatch(get().segments, patch),
      ...(remote === undefined && { saving: "unsaved", message: undefined }),
      undoName: undoSteps.at(-1)?.name,
      redoName: redoSteps.at(-1)?.name,
    });
    autosave.markDirty();
  }

  function pushStep(step: Step): void {
    undoSteps.push(step);
    if (undoSteps.length > maxSteps) undoSteps.shift();
  }

  /** Takes over the app's document, unless both it and this window have changed. */
  function receive(document: TranscriptDocument): void {
    newestRevision = Math.max(newestRevision, document.revision);
    const ids = new Set(document.segments.map(({ id }) => id));
    const missing = transcribedSinceRead.filter(({ id }) => !ids.has(id));
    const segments = [...document.segments, ...missing].sort(compareByTime);
    const isOwnRevision = document.revision === revision + 1 && !isEmptyPatch(inFlight);
    if (containsPatch(segments, unsavedPatch())) [inFlight, pending] = [emptyPatch, emptyPatch];
    // A save whose response did not arrive.
    else if (isOwnRevision && containsPatch(segments, inFlight)) inFlight = emptyPatch;
    else if (document.revision !== revision) {
      remote = { ...document, segments };
      set({ saving: "conflict", message: t("transcribe.conflict") });
      return;
    }
    adopt({ ...document, segments });
  }

  /** Shows the app's document with unsaved changes on top. Unchanged segments stay the same objects. */
  function adopt({ segments, revision: newRevision, ...document }: TranscriptDocument): void {
    const shownById = new Map(get().segments.map((segment) => [segment.id, segment]));
    stored = segments.map((segment) => {
      const shownSegment = shownById.get(segment.id);
      return shownSegment !== undefined && isSameSegment(shownSegment, segment)
        ? shownSegment
        : segment;
    });
    revision = newRevision;
    remote = undefined;
    const unsaved = unsavedPatch();
    set({
      phase: "ready",
      saving: isEmptyPatch(unsaved) ? "saved" : "unsaved",
      message: undefined,
      document,
      segments: applyPatch(stored, unsaved),
      undoName: undoSteps.at(-1)?.name,
      redoName: redoSteps.at(-1)?.name,
    });
  }

  async function read(): Promise<void> {
    clearTimeout(reloadTimer);
    reloadTimer = undefined;
    transcribedSinceRead = [];
    try {
      receive(await deps.read());
    } catch (error) {
      if (get().phase !== "ready") set({ phase: "failed", message: messageOf(error) });
    }
  }

  async function send(): Promise<void> {
    // What the app may have already is sent again unchanged, so that `receive` recognizes it.
    if (isEmptyPatch(inFlight)) [inFlight, pending] = [pending, emptyPatch];
    try {
      const response = await deps.change({
        revision,
        put: [...inFlight.put],
        remove: [...inFlight.remove],
      });
      stored = applyPatch(stored, inFlight);
      inFlight = emptyPatch;
      revision = response.revision;
      set({ saving: isEmptyPatch(pending) ? "saved" : "unsaved", message: undefined });
    } catch (error) {
      const isConflict = error instanceof ApiError && error.status === 409;
      if (isPermanentError(error) && !isConflict)
        [inFlight, pending] = [emptyPatch, unsavedPatch()];
      throw error;
    }
  }

  function onRevision(newRevision: number): void {
    newestRevision = Math.max(newestRevision, newRevision);
    // Events announce the window's own changes too, before their response arrives; checked again after the save.
    const knownRevision = remote?.revision ?? revision;
    if (
      newestRevision <= knownRevision ||
      autosave.isSending() ||
      reloadTimer !== undefined ||
      isClosed
    )
      return;
    reloadTimer = setTimeout(() => void autosave.load(), reloadDelayMs);
  }

  return Object.assign(store, {
    load: autosave.load,
    edit(name: string, patch: Patch, mergeKey?: string): void {
      if (isEmptyPatch(patch)) return;
      const backward = invertPatch(get().segments, patch);
      const last = undoSteps.at(-1);
      redoSteps.length = 0;
      if (last !== undefined && mergeKey !== undefined && last.mergeKey === mergeKey)
        undoSteps[undoSteps.length - 1] = {
          ...last,
          forward: joinPatches(last.forward, patch),
          backward: joinPatches(backward, last.backward),
        };
      else pushStep({ name, forward: patch, backward, mergeKey });
      applyLocally(patch);
    },
    undo(): void {
      const step = undoSteps.pop();
      if (step === undefined) return;
      redoSteps.push(step);
      applyLocally(step.backward);
    },
    redo(): void {
      const step = redoSteps.pop();
      if (step === undefined) return;
      // The next typing must start a step of its own.
      undoSteps.push({ ...step, mergeKey: undefined });
      applyLocally(step.forward);
    },
    addTranscribed(segments: readonly DocumentSegment[]): void {
      transcribedSinceRead.push(...segments);
      const knownIds = new Set([
        ...stored.map((segment) => segment.id),
        ...get().segments.map((segment) => segment.id),
      ]);
      const fresh: Patch = {
        put: segments.filter((segment) => !knownIds.has(segment.id)),
        remove: [],
      };
      if (isEmptyPatch(fresh) || get().phase !== "ready") return;
      stored = applyPatch(stored, fresh);
      if (remote !== undefined)
        remote = { ...remote, segments: [...applyPatch(remote.segments, fresh)] };
      set({ segments: applyPatch(get().segments, fresh) });
    },
    onRevision,
    acceptRemote(name: string): void {
      if (remote === undefined) return;
      const { segments } = get();
      const patch = diffSegments(segments, remote.segments);
      const backward = invertPatch(segments, patch);
      redoSteps.length = 0;
      pushStep({ name, forward: patch, backward, mergeKey: undefined });
      [inFlight, pending] = [emptyPatch, emptyPatch];
      adopt(remote);
    },
    keepLocal(): void {
      if (remote === undefined) return;
      [inFlight, pending] = [emptyPatch, diffSegments(remote.segments, get().segments)];
      adopt(remote);
      autosave.markDirty();
    },
    save: autosave.save,
    unsaved(): readonly DocumentChange[] {
      if (remote !== undefined) return [];
      const all = isEmptyPatch(inFlight)
        ? [{ revision, patch: pending }]
        : [
            { revision, patch: unsavedPatch() },
            { revision: revision + 1, patch: pending },
          ];
      return all.flatMap(({ revision: baseRevision, patch }) =>
        isEmptyPatch(patch)
          ? []
          : [{ revision: baseRevision, put: [...patch.put], remove: [...patch.remove] }],
      );
    },
    close(): void {
      autosave.close();
      isClosed = true;
      clearTimeout(reloadTimer);
    },
  });
}

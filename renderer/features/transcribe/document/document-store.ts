// Store of one open transcript: segments, one undo stack, and unsaved changes on top of changes made elsewhere. See
// stores/autosave.ts for when they are sent, edits.ts for the changes themselves.

import { createStore, type StoreApi } from "zustand/vanilla";
import type {
  DocumentChange,
  DocumentSegment,
  TranscriptDocument,
} from "../../../../main/contract/studio.ts";
import { messageOf } from "../../../api/error.ts";
import { createAutosave, type SaveState } from "../../../stores/autosave.ts";
import { compareByTime, invertPatch, joinPatches, type Patch, applyPatch } from "./segments.ts";

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
  /** Changes made elsewhere that conflicted with this window's, which were kept. */
  readonly overridden: readonly DocumentSegment[];
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
  /** Accepts the conflicting changes made elsewhere, as one undo step. */
  acceptRemote(name: string): void;
  keepLocal(): void;
  /** Sends unsaved changes at once; resolves when they are accepted, refused, or scheduled for a retry. */
  save(): Promise<void>;
  /**
   * Unsaved changes for the case that the page closes: two versions if a save is in progress, which may or may not
   * arrive.
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
const isSameSegment = (one: DocumentSegment, other: DocumentSegment): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

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
    overridden: [],
  }));
  const { getState: get, setState: set } = store;
  /** The segments and revision that the app has, as far as is known, and the changes it does not have yet. */
  let stored: readonly DocumentSegment[] = [];
  let revision = 0;
  let newestRevision = 0;
  let pending = emptyPatch;
  /** Being sent; the app may have it or not. */
  let inFlight = emptyPatch;
  /** Segments announced since the last read was requested; its response may lack them. */
  let transcribedSinceRead: DocumentSegment[] = [];
  let reloadTimer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  const undoSteps: Step[] = [];
  const redoSteps: Step[] = [];

  const autosave = createAutosave({
    isDirty: () => !isEmptyPatch(pending) && get().phase === "ready",
    send,
    read,
    onSaveError: (saving, message) => set({ saving, message }),
    onIdle: () => newestRevision > revision && onRevision(newestRevision),
  });

  function applyLocally(patch: Patch): void {
    pending = joinPatches(pending, patch);
    set({
      segments: applyPatch(get().segments, patch),
      saving: "unsaved",
      message: undefined,
      undoName: undoSteps.at(-1)?.name,
      redoName: redoSteps.at(-1)?.name,
    });
    autosave.markDirty();
  }

  /** Applies the app's document below unsaved changes. Unchanged segments stay the same objects. */
  function rebase({ segments, revision: newRevision, ...document }: TranscriptDocument): void {
    const shownById = new Map(get().segments.map((segment) => [segment.id, segment]));
    const storedById = new Map(stored.map((segment) => [segment.id, segment]));
    const ids = new Set(segments.map(({ id }) => id));
    const fresh = [...segments, ...transcribedSinceRead.filter(({ id }) => !ids.has(id))]
      .sort(compareByTime)
      .map((segment) => {
        const shownSegment = shownById.get(segment.id);
        return shownSegment !== undefined && isSameSegment(shownSegment, segment)
          ? shownSegment
          : segment;
      });
    const localIds = new Set([...pending.put.map((segment) => segment.id), ...pending.remove]);
    const remotelyChanged = fresh.filter((segment) => {
      const storedSegment = storedById.get(segment.id);
      return (
        localIds.has(segment.id) &&
        storedSegment !== undefined &&
        !isSameSegment(storedSegment, segment)
      );
    });
    stored = fresh;
    revision = newRevision;
    newestRevision = Math.max(newestRevision, newRevision);
    const overridden = [
      ...get().overridden.filter((one) => remotelyChanged.every((other) => other.id !== one.id)),
      ...remotelyChanged,
    ];
    set({
      phase: "ready",
      message: undefined,
      document,
      segments: applyPatch(fresh, pending),
      overridden,
    });
  }

  async function read(): Promise<void> {
    clearTimeout(reloadTimer);
    reloadTimer = undefined;
    transcribedSinceRead = [];
    try {
      rebase(await deps.read());
    } catch (error) {
      if (get().phase !== "ready") set({ phase: "failed", message: messageOf(error) });
    }
  }

  async function send(): Promise<void> {
    [inFlight, pending] = [pending, emptyPatch];
    try {
      const response = await deps.change({
        revision,
        put: [...inFlight.put],
        remove: [...inFlight.remove],
      });
      stored = applyPatch(stored, inFlight);
      revision = response.revision;
      set({ saving: isEmptyPatch(pending) ? "saved" : "unsaved", message: undefined });
    } catch (error) {
      pending = joinPatches(inFlight, pending);
      throw error;
    } finally {
      inFlight = emptyPatch;
    }
  }

  function onRevision(newRevision: number): void {
    newestRevision = Math.max(newestRevision, newRevision);
    // Events announce the window's own changes too, before their response arrives; checked again after the save.
    if (newestRevision <= revision || autosave.isSending() || reloadTimer !== undefined || isClosed)
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
      else undoSteps.push({ name, forward: patch, backward, mergeKey });
      if (undoSteps.length > maxSteps) undoSteps.shift();
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
      set({ segments: applyPatch(get().segments, fresh) });
    },
    onRevision,
    acceptRemote(name: string): void {
      const put = get().overridden;
      set({ overridden: [] });
      this.edit(name, { put, remove: [] });
    },
    keepLocal: () => set({ overridden: [] }),
    save: autosave.save,
    unsaved(): readonly DocumentChange[] {
      const all = isEmptyPatch(inFlight)
        ? [{ revision, patch: pending }]
        : [
            { revision, patch: joinPatches(inFlight, pending) },
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

// One transcript as it is open in the window: what is shown, one undo stack for every change, and what is unsaved on top
// of whatever somebody else changed meanwhile. When it is sent is stores/autosave.ts's work, what a change does to the
// text edits.ts's.

import { createStore, type StoreApi } from "zustand/vanilla";
import type {
  DocumentChange,
  DocumentSegment,
  TranscriptDocument,
} from "../../../../main/contract/studio.ts";
import { messageOf } from "../../../api/error.ts";
import { createAutosave, type Saving } from "../../../stores/autosave.ts";
import { inTimeOrder, inverse, joined, type Patch, patched } from "./segments.ts";

export type DocumentState = {
  readonly phase: "loading" | "ready" | "failed";
  /** Why it could not be read, or saved. */
  readonly message: string | undefined;
  readonly segments: readonly DocumentSegment[];
  readonly document: Omit<TranscriptDocument, "segments" | "revision"> | undefined;
  readonly saving: Saving;
  /** Names of the next steps back and forth; undefined where there is none. */
  readonly undoName: string | undefined;
  readonly redoName: string | undefined;
  /** What somebody else wrote where this window's text was kept. */
  readonly overridden: readonly DocumentSegment[];
};

export type DocumentStore = StoreApi<DocumentState> & {
  load(): Promise<void>;
  /** Changes with the same `together` that follow each other are one step back. `name` says what an undo would take back. */
  edit(name: string, patch: Patch, together?: string): void;
  undo(): void;
  redo(): void;
  /** Segments that came while the file is being heard; those there are already are left as they are. */
  heard(segments: readonly DocumentSegment[]): void;
  /** The app says its document has this revision now. */
  announced(revision: number): void;
  /** Takes over what somebody else wrote, as one step. */
  takeOther(name: string): void;
  keepOwn(): void;
  /** Sends what is unsaved at once; settles when it is taken, refused, or to be tried again later. */
  save(): Promise<void>;
  /** What would be lost if the page went away now: where a save is on its way, for the case that it does not arrive and that it does. */
  unsaved(): readonly DocumentChange[];
  close(): void;
};

export type DocumentDeps = {
  read(): Promise<TranscriptDocument>;
  /** Throws ApiError; status 409 where somebody else changed it. */
  change(change: DocumentChange): Promise<{ revision: number }>;
};

type Step = {
  readonly name: string;
  readonly forward: Patch;
  readonly backward: Patch;
  readonly together: string | undefined;
};

const nothing: Patch = { put: [], remove: [] };
const isNothing = (patch: Patch): boolean => patch.put.length === 0 && patch.remove.length === 0;
const same = (one: DocumentSegment, other: DocumentSegment): boolean =>
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
  /** What the app is known to hold, its revision, and what it does not have yet. */
  let held: readonly DocumentSegment[] = [];
  let revision = 0;
  let newestRevision = 0;
  let pending = nothing;
  /** On its way: the app may have it or not. */
  let sent = nothing;
  /** Since the document was asked for last: its answer may not know them. */
  let heardSince: DocumentSegment[] = [];
  let reloadTimer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  const past: Step[] = [];
  const future: Step[] = [];

  const autosave = createAutosave({
    isDirty: () => !isNothing(pending) && get().phase === "ready",
    send,
    read,
    onTrouble: (saving, message) => set({ saving, message }),
    onRest: () => newestRevision > revision && announced(newestRevision),
  });

  function show(patch: Patch): void {
    pending = joined(pending, patch);
    set({
      segments: patched(get().segments, patch),
      saving: "unsaved",
      message: undefined,
      undoName: past.at(-1)?.name,
      redoName: future.at(-1)?.name,
    });
    autosave.changed();
  }

  /** The app's document, with what it does not have yet on top. Segments that are as they were stay the same objects. */
  function rebase({ segments, revision: now, ...document }: TranscriptDocument): void {
    const known = new Map(get().segments.map((segment) => [segment.id, segment]));
    const before = new Map(held.map((segment) => [segment.id, segment]));
    const ids = new Set(segments.map(({ id }) => id));
    const fresh = [...segments, ...heardSince.filter(({ id }) => !ids.has(id))]
      .sort(inTimeOrder)
      .map((segment) => {
        const old = known.get(segment.id);
        return old !== undefined && same(old, segment) ? old : segment;
      });
    const ours = new Set([...pending.put.map((segment) => segment.id), ...pending.remove]);
    const theirs = fresh.filter((segment) => {
      const base = before.get(segment.id);
      return ours.has(segment.id) && base !== undefined && !same(base, segment);
    });
    held = fresh;
    revision = now;
    newestRevision = Math.max(newestRevision, now);
    const overridden = [
      ...get().overridden.filter((one) => theirs.every((other) => other.id !== one.id)),
      ...theirs,
    ];
    set({
      phase: "ready",
      message: undefined,
      document,
      segments: patched(fresh, pending),
      overridden,
    });
  }

  async function read(): Promise<void> {
    clearTimeout(reloadTimer);
    reloadTimer = undefined;
    heardSince = [];
    try {
      rebase(await deps.read());
    } catch (error) {
      if (get().phase !== "ready") set({ phase: "failed", message: messageOf(error) });
    }
  }

  async function send(): Promise<void> {
    [sent, pending] = [pending, nothing];
    try {
      const taken = await deps.change({ revision, put: [...sent.put], remove: [...sent.remove] });
      held = patched(held, sent);
      revision = taken.revision;
      set({ saving: isNothing(pending) ? "saved" : "unsaved", message: undefined });
    } catch (error) {
      pending = joined(sent, pending);
      throw error;
    } finally {
      sent = nothing;
    }
  }

  function announced(now: number): void {
    newestRevision = Math.max(newestRevision, now);
    // Own changes are announced too, before their answer is here: looked at again once they are through.
    if (newestRevision <= revision || autosave.isSending() || reloadTimer !== undefined || isClosed)
      return;
    reloadTimer = setTimeout(() => void autosave.load(), reloadDelayMs);
  }

  return Object.assign(store, {
    load: autosave.load,
    edit(name: string, patch: Patch, together?: string): void {
      if (isNothing(patch)) return;
      const backward = inverse(get().segments, patch);
      const last = past.at(-1);
      future.length = 0;
      if (last !== undefined && together !== undefined && last.together === together)
        past[past.length - 1] = {
          ...last,
          forward: joined(last.forward, patch),
          backward: joined(backward, last.backward),
        };
      else past.push({ name, forward: patch, backward, together });
      if (past.length > maxSteps) past.shift();
      show(patch);
    },
    undo(): void {
      const step = past.pop();
      if (step === undefined) return;
      future.push(step);
      show(step.backward);
    },
    redo(): void {
      const step = future.pop();
      if (step === undefined) return;
      // What is typed next is a step of its own.
      past.push({ ...step, together: undefined });
      show(step.forward);
    },
    heard(segments: readonly DocumentSegment[]): void {
      heardSince.push(...segments);
      const known = new Set([
        ...held.map((segment) => segment.id),
        ...get().segments.map((segment) => segment.id),
      ]);
      const fresh: Patch = {
        put: segments.filter((segment) => !known.has(segment.id)),
        remove: [],
      };
      if (isNothing(fresh) || get().phase !== "ready") return;
      held = patched(held, fresh);
      set({ segments: patched(get().segments, fresh) });
    },
    announced,
    takeOther(name: string): void {
      const put = get().overridden;
      set({ overridden: [] });
      this.edit(name, { put, remove: [] });
    },
    keepOwn: () => set({ overridden: [] }),
    save: autosave.save,
    unsaved(): readonly DocumentChange[] {
      const all = isNothing(sent)
        ? [{ revision, patch: pending }]
        : [
            { revision, patch: joined(sent, pending) },
            { revision: revision + 1, patch: pending },
          ];
      return all.flatMap(({ revision: on, patch }) =>
        isNothing(patch) ? [] : [{ revision: on, put: [...patch.put], remove: [...patch.remove] }],
      );
    },
    close(): void {
      autosave.close();
      isClosed = true;
      clearTimeout(reloadTimer);
    },
  });
}

// One transcript as it is open in the window: what is shown, one undo stack for every change, and saving behind the
// person's back. What is typed here is sent within half a second, again until it is taken, and put on top of whatever
// somebody else changed meanwhile. What a change does to the text is edits.ts's work.

import { createStore, type StoreApi } from 'zustand/vanilla';
import type { DocumentChange, DocumentSegment, TranscriptDocument } from '../../../../main/contract/studio.ts';
import { ApiError, isRefusal, messageOf } from '../../../api/error.ts';
import { inverse, joined, type Patch, patched } from './segments.ts';

export type DocumentState = {
  readonly phase: 'loading' | 'ready' | 'failed';
  /** Why it could not be read, or saved. */
  readonly message: string | undefined;
  readonly segments: readonly DocumentSegment[];
  readonly document: Omit<TranscriptDocument, 'segments' | 'revision'> | undefined;
  /** `stuck`: the app refused; nothing is tried again unasked. */
  readonly saving: 'saved' | 'unsaved' | 'retrying' | 'stuck';
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
  /** What would be lost if the page went away now. */
  unsaved(): DocumentChange | undefined;
  close(): void;
};

export type DocumentDeps = {
  read(): Promise<TranscriptDocument>;
  /** Throws ApiError; status 409 where somebody else changed it. */
  change(change: DocumentChange): Promise<{ revision: number }>;
};

type Step = { readonly name: string; readonly forward: Patch; readonly backward: Patch; readonly together: string | undefined };

const nothing: Patch = { put: [], remove: [] };
const isNothing = (patch: Patch): boolean => patch.put.length === 0 && patch.remove.length === 0;
const same = (one: DocumentSegment, other: DocumentSegment): boolean => one === other || JSON.stringify(one) === JSON.stringify(other);

const saveDelayMs = 400;
const reloadDelayMs = 1000;
const retryMs = [1000, 2000, 5000, 10_000, 30_000] as const;

export function createDocumentStore(deps: DocumentDeps): DocumentStore {
  const store = createStore<DocumentState>(() => ({ phase: 'loading', message: undefined, segments: [], document: undefined, saving: 'saved', undoName: undefined, redoName: undefined, overridden: [] }));
  const { getState: get, setState: set } = store;
  /** What the app is known to hold, its revision, and what it does not have yet. */
  let held: readonly DocumentSegment[] = [];
  let revision = 0;
  let newestRevision = 0;
  let pending = nothing;
  let sending: Promise<void> | undefined;
  let tries = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reloadTimer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  const past: Step[] = [];
  const future: Step[] = [];

  const later = (ms: number): void => {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(() => void save(), ms);
  };

  function show(patch: Patch): void {
    pending = joined(pending, patch);
    tries = 0;
    set({ segments: patched(get().segments, patch), saving: 'unsaved', message: undefined, undoName: past.at(-1)?.name, redoName: future.at(-1)?.name });
    later(saveDelayMs);
  }

  /** The app's document, with what it does not have yet on top. Segments that are as they were stay the same objects. */
  function rebase({ segments, revision: now, ...document }: TranscriptDocument): void {
    const known = new Map(get().segments.map((segment) => [segment.id, segment]));
    const before = new Map(held.map((segment) => [segment.id, segment]));
    const fresh = segments.map((segment) => {
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
    const overridden = [...get().overridden.filter((one) => theirs.every((other) => other.id !== one.id)), ...theirs];
    set({ phase: 'ready', message: undefined, document, segments: patched(fresh, pending), overridden });
  }

  async function load(): Promise<void> {
    clearTimeout(reloadTimer);
    reloadTimer = undefined;
    try {
      rebase(await deps.read());
    } catch (error) {
      if (get().phase !== 'ready') set({ phase: 'failed', message: messageOf(error) });
    }
  }

  /** One change on its way at a time. Answers whether to go on at once. */
  async function sendOnce(): Promise<boolean> {
    const patch = pending;
    pending = nothing;
    try {
      const taken = await deps.change({ revision, put: [...patch.put], remove: [...patch.remove] });
      held = patched(held, patch);
      revision = taken.revision;
      tries = 0;
      set({ saving: isNothing(pending) ? 'saved' : 'unsaved', message: undefined });
      return true;
    } catch (error) {
      pending = joined(patch, pending);
      if (error instanceof ApiError && error.status === 409 && tries < retryMs.length) {
        tries += 1;
        await load();
        return true;
      }
      if (isRefusal(error)) {
        set({ saving: 'stuck', message: messageOf(error) });
        return false;
      }
      set({ saving: 'retrying', message: messageOf(error) });
      later(retryMs[Math.min(tries, retryMs.length - 1)] ?? 0);
      tries += 1;
      return false;
    }
  }

  async function sendAll(): Promise<void> {
    while (!isNothing(pending) && (await sendOnce()));
    sending = undefined;
    if (newestRevision > revision) announced(newestRevision);
  }

  function save(): Promise<void> {
    clearTimeout(timer);
    if (isNothing(pending) || get().phase !== 'ready') return sending ?? Promise.resolve();
    sending ??= sendAll();
    return sending;
  }

  function announced(now: number): void {
    newestRevision = Math.max(newestRevision, now);
    // Own changes are announced too, before their answer is here: looked at again once they are through.
    if (newestRevision <= revision || sending !== undefined || reloadTimer !== undefined || isClosed) return;
    reloadTimer = setTimeout(() => void load(), reloadDelayMs);
  }

  return Object.assign(store, {
    load,
    edit(name: string, patch: Patch, together?: string): void {
      if (isNothing(patch)) return;
      const backward = inverse(get().segments, patch);
      const last = past.at(-1);
      future.length = 0;
      if (last !== undefined && together !== undefined && last.together === together) past[past.length - 1] = { ...last, forward: joined(last.forward, patch), backward: joined(backward, last.backward) };
      else past.push({ name, forward: patch, backward, together });
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
      const known = new Set([...held.map((segment) => segment.id), ...get().segments.map((segment) => segment.id)]);
      const fresh: Patch = { put: segments.filter((segment) => !known.has(segment.id)), remove: [] };
      if (isNothing(fresh) || get().phase !== 'ready') return;
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
    save,
    unsaved: (): DocumentChange | undefined => (isNothing(pending) ? undefined : { revision, put: [...pending.put], remove: [...pending.remove] }),
    close(): void {
      void save();
      isClosed = true;
      clearTimeout(timer);
      clearTimeout(reloadTimer);
    },
  });
}

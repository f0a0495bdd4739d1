// Store of one open narration: script, options, sentences. Merges local edits with changes made elsewhere; see
// stores/autosave.ts for when they are sent.

import { createStore, type StoreApi } from "zustand/vanilla";
import type {
  NarrateOptions,
  Narration,
  NarrationSentence,
} from "../../../../main/contract/studio.ts";
import { messageOf } from "../../../api/error.ts";
import { createAutosave, type SaveState } from "../../../stores/autosave.ts";
import { differs, mergeNarration, normalizeLineEndings, sameOptions } from "./merge-narration.ts";
import { createRevisionTracker } from "./revision-tracker.ts";
import { createSentenceUpdates, updateIn } from "./sentence-updates.ts";
import { shiftRanges } from "./text-ranges.ts";

export type NarrationState = {
  readonly phase: "loading" | "ready" | "failed";
  /** Why loading or saving failed. */
  readonly message: string | undefined;
  readonly script: string;
  readonly options: NarrateOptions;
  /** In order, positioned in `script`. Sentences being edited are missing until the app has split the script again. */
  readonly sentences: readonly NarrationSentence[];
  readonly unspeakable: readonly string[];
  /** The script's language, if the model cannot speak it. */
  readonly otherLanguage: string | undefined;
  /** Sentences that had audio and must be generated again, because something about them changed. */
  readonly stale: ReadonlySet<string>;
  readonly saving: SaveState;
  /** The other script of a conflict in which the local one was kept. */
  readonly remoteScript: string | undefined;
};

export type NarrationChange = {
  readonly revision: number;
  readonly script: string;
  readonly options: NarrateOptions;
};

export type NarrationStore = StoreApi<NarrationState> & {
  load(): Promise<void>;
  setScript(script: string): void;
  setOptions(options: NarrateOptions): void;
  /** A sentence got a take, or was checked again. */
  updateSentence(sentence: NarrationSentence): void;
  /** Applies a response with the current narration. If its script is newer, the narration is loaded again. */
  applyNarration(narration: Narration): void;
  /** The app announced this revision, or that pronunciations changed. */
  onRevision(revision: number): void;
  acceptRemote(): void;
  keepLocal(): void;
  /** Sends unsaved changes at once; resolves when they are accepted, refused, or scheduled for a retry. */
  save(): Promise<void>;
  /**
   * Unsaved changes for the case that the page closes: two versions if a save is in progress, which may or may not
   * arrive.
   */
  unsaved(): readonly NarrationChange[];
  close(): void;
};

export type NarrationDeps = {
  read(): Promise<Narration>;
  /** @throws ApiError; status 409 if it was changed elsewhere */
  change(change: NarrationChange): Promise<Narration>;
};

const initialState: NarrationState = {
  phase: "loading",
  message: undefined,
  script: "",
  options: { model: "tts-1-hd", voice: "nova", speed: 1 },
  sentences: [],
  unspeakable: [],
  otherLanguage: undefined,
  stale: new Set(),
  saving: "saved",
  remoteScript: undefined,
};

export function createNarrationStore(deps: NarrationDeps): NarrationStore {
  const store = createStore<NarrationState>(() => initialState);
  const { getState: get, setState: set } = store;
  /** The narration as the app has it, as far as is known. */
  let base: Narration | undefined;
  const updates = createSentenceUpdates();
  const isDirty = (): boolean => base !== undefined && differs(get(), base);
  const autosave = createAutosave({
    isDirty,
    send,
    read,
    onSaveError: (saving, message) => set({ saving, message }),
    onIdle: () => revisions.onIdle(),
  });
  const revisions = createRevisionTracker({
    current: () => base?.revision,
    isSending: autosave.isSending,
    reload: autosave.load,
  });

  function applyChange(patch: Partial<NarrationState>): void {
    set({ ...patch, saving: "unsaved", message: undefined });
    autosave.markDirty();
  }

  /** Applies the app's narration below local edits. `sinceUpdateCount`: number of updates when it was requested. */
  function rebase(fresh: Narration, sinceUpdateCount: number, isOwnResponse: boolean): void {
    const previous = base;
    base = { ...fresh, sentences: updates.applyNewer(fresh.sentences, sinceUpdateCount) };
    const merged = mergeNarration({ fresh: base, previous, local: get(), isOwnResponse });
    const isUnsaved = differs(merged, base);
    set({
      phase: "ready",
      message: undefined,
      ...merged,
      saving: isUnsaved ? "unsaved" : "saved",
    });
    if (isUnsaved && !autosave.isSending()) autosave.markDirty();
  }

  async function read(): Promise<void> {
    revisions.onRead();
    const sinceUpdateCount = updates.count();
    try {
      rebase(await deps.read(), sinceUpdateCount, false);
    } catch (error) {
      if (get().phase !== "ready") set({ phase: "failed", message: messageOf(error) });
    }
  }

  async function send(): Promise<void> {
    if (base === undefined) return;
    const { script, options } = get();
    const sinceUpdateCount = updates.count();
    const fresh = await deps.change({ revision: base.revision, script, options });
    revisions.onResponse(fresh.revision);
    rebase(fresh, sinceUpdateCount, true);
  }

  function updateSentence(sentence: NarrationSentence): void {
    updates.add(sentence);
    if (base !== undefined) base = { ...base, sentences: updateIn(base.sentences, sentence) };
    const stale = new Set(get().stale);
    const wasStale = stale.delete(sentence.id);
    set({ sentences: updateIn(get().sentences, sentence), ...(wasStale && { stale }) });
  }

  return Object.assign(store, {
    load: autosave.load,
    setScript(script: string): void {
      if (base === undefined || script === get().script) return;
      // From the current text: an edited sentence stays out until the app has split the script again.
      applyChange({ script, sentences: shiftRanges(get().sentences, get().script, script) });
    },
    setOptions(options: NarrateOptions): void {
      if (base !== undefined && !sameOptions(options, get().options)) applyChange({ options });
    },
    updateSentence,
    applyNarration: (narration: Narration): void =>
      narration.revision === base?.revision
        ? rebase(narration, updates.count(), false)
        : revisions.reloadSoon(),
    onRevision: revisions.onRevision,
    acceptRemote(): void {
      const { remoteScript } = get();
      if (remoteScript === undefined) return;
      set({ remoteScript: undefined });
      this.setScript(normalizeLineEndings(remoteScript));
    },
    keepLocal: () => set({ remoteScript: undefined }),
    save: autosave.save,
    unsaved: () =>
      base !== undefined && isDirty() ? unsavedChanges(base, get(), autosave.isSending()) : [],
    close(): void {
      autosave.close();
      revisions.close();
    },
  });
}

const unsavedChanges = (
  { revision }: Narration,
  { script, options }: NarrationState,
  isSending: boolean,
): readonly NarrationChange[] => {
  const change = { revision, script, options };
  return isSending ? [change, { ...change, revision: revision + 1 }] : [change];
};

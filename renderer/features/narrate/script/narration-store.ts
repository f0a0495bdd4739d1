// Store of one open narration: script, options, sentences. If it was changed elsewhere meanwhile, it keeps both
// versions until the user chooses one. See narration-versions.ts for what is unsaved, stores/autosave.ts for when it is
// sent.

import { createStore, type StoreApi } from "zustand/vanilla";
import type {
  NarrateOptions,
  Narration,
  NarrationSentence,
} from "../../../../main/contract/narration.ts";
import { ApiError, isPermanentError, messageOf } from "../../../api/error.ts";
import { t } from "../../../messages/messages.ts";
import { createAutosave, type SaveState } from "../../../stores/autosave.ts";
import { findEdit, shiftRanges } from "./text-ranges.ts";
import { createNarrationReload } from "./narration-reload.ts";
import {
  createNarrationVersions,
  isSameText,
  type NarrationChange,
  type NarrationResponse,
  type NarrationText,
  shownText,
} from "./narration-versions.ts";
import { isGenerated, staleIds, updateIn } from "./sentence-updates.ts";

export type NarrationState = {
  readonly phase: "loading" | "ready" | "failed";
  /** Why loading or saving failed. */
  readonly message: string | undefined;
  readonly script: string;
  readonly options: NarrateOptions;
  /** In order, positioned in `script`. Sentences being edited are missing until the app has split the script again. */
  readonly sentences: readonly NarrationSentence[];
  readonly unspeakable: readonly string[];
  /** Languages in the script that the model cannot speak. */
  readonly otherLanguages: readonly string[];
  /** Sentences that had audio and must be generated again, because something about them changed. */
  readonly stale: ReadonlySet<string>;
  readonly saving: SaveState;
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
  /** Ends a conflict by showing the version from elsewhere. */
  acceptRemote(): void;
  /** Ends a conflict by saving the local version over the one from elsewhere. */
  keepLocal(): void;
  /** Sends unsaved changes at once; resolves when they are accepted, refused, or scheduled for a retry. */
  save(): Promise<void>;
  /**
   * Unsaved changes for the case that the page closes: two versions if a save is in progress, which may or may not
   * arrive; none in a conflict.
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
  otherLanguages: [],
  stale: new Set(),
  saving: "saved",
};

export function createNarrationStore(deps: NarrationDeps): NarrationStore {
  const store = createStore<NarrationState>(() => initialState);
  const { getState: get, setState: set } = store;
  const versions = createNarrationVersions();

  const autosave = createAutosave({
    isDirty: () => versions.isDirty(get()),
    send,
    read,
    onSaveError: (saving, message) => set({ saving, message }),
    onIdle: () => reload.onIdle(),
  });
  const reload = createNarrationReload(() => versions.base()?.revision, autosave);

  function applyChange(patch: Partial<NarrationState>): void {
    set({
      ...patch,
      ...(versions.remote() === undefined && { saving: "unsaved", message: undefined }),
    });
    autosave.markDirty();
  }

  /** Takes over the app's narration, unless both it and this window have changed. */
  function receive(response: NarrationResponse): void {
    const text = versions.receive(response, get());
    if (text === undefined) set({ saving: "conflict", message: t("narrate.conflict") });
    else adopt(response, text);
  }

  /** Shows `text` with the app's sentences. */
  function adopt(response: NarrationResponse, text: NarrationText): void {
    const previous = versions.base();
    set(adoptedState(versions.adopt(response), text, previous, get()));
    if (versions.isDirty(text) && !autosave.isSending()) autosave.markDirty();
  }

  async function read(): Promise<void> {
    reload.started();
    const sinceUpdateCount = versions.updateCount();
    try {
      receive({ narration: await deps.read(), sinceUpdateCount });
    } catch (error) {
      if (get().phase !== "ready") set({ phase: "failed", message: messageOf(error) });
    }
  }

  async function send(): Promise<void> {
    const change = versions.nextChange(get());
    if (change === undefined) return;
    const sinceUpdateCount = versions.updateCount();
    try {
      const narration = await deps.change(change);
      versions.settled();
      reload.onOwnRevision(narration.revision);
      adopt({ narration, sinceUpdateCount }, get());
    } catch (error) {
      const isConflict = error instanceof ApiError && error.status === 409;
      if (isPermanentError(error) && !isConflict) versions.settled();
      throw error;
    }
  }

  return Object.assign(store, {
    load: autosave.load,
    setScript(script: string): void {
      if (versions.base() === undefined || script === get().script) return;
      // Shifts from the current text, so that a sentence stays out once it was edited, until the app has split the
      // script again.
      applyChange({ script, sentences: shiftRanges(get().sentences, get().script, script) });
    },
    setOptions(options: NarrateOptions): void {
      if (versions.base() !== undefined && !isSameText({ ...get(), options }, get()))
        applyChange({ options });
    },
    updateSentence(sentence: NarrationSentence): void {
      versions.updateSentence(sentence);
      set(updatedState(get(), sentence));
    },
    applyNarration(narration: Narration): void {
      if (narration.revision === versions.base()?.revision && versions.remote() === undefined)
        receive({ narration, sinceUpdateCount: versions.updateCount() });
      else reload.soon();
    },
    onRevision: reload.onRevision,
    acceptRemote(): void {
      const remote = versions.remote();
      if (remote !== undefined) adopt(remote, shownText(remote.narration));
    },
    keepLocal(): void {
      const remote = versions.remote();
      if (remote !== undefined) adopt(remote, get());
    },
    save: autosave.save,
    unsaved: () => versions.unsaved(get()),
    close(): void {
      autosave.close();
      reload.close();
    },
  });
}

/** Shows `text` with the app's sentences. */
function adoptedState(
  fresh: Narration,
  { script, options }: NarrationText,
  previous: Narration | undefined,
  state: NarrationState,
): Partial<NarrationState> {
  const { sentences, unspeakable, otherLanguages } = fresh;
  const previouslyGenerated = state.sentences.filter(
    (sentence) => isGenerated(sentence) || state.stale.has(sentence.id),
  );
  // An edited sentence is stale if it overlaps a range that had audio; the edit shifts and extends that range.
  const stale = staleIds(
    sentences,
    previous === undefined ? [] : rangesAfterEdit(previous, previouslyGenerated, fresh.script),
  );
  return {
    phase: "ready",
    message: undefined,
    script,
    options,
    stale,
    unspeakable,
    otherLanguages,
    sentences: shiftRanges(sentences, fresh.script, script),
    saving: isSameText({ script, options }, fresh) ? "saved" : "unsaved",
  };
}

/** A sentence with an update is no longer stale. */
function updatedState(state: NarrationState, update: NarrationSentence): Partial<NarrationState> {
  const stale = new Set(state.stale);
  const wasStale = stale.delete(update.id);
  return { sentences: updateIn(state.sentences, update), ...(wasStale && { stale }) };
}

/** Ranges of generated sentences, moved to another script; a range that was edited covers the result of the edit. */
function rangesAfterEdit(
  previous: Narration,
  generated: readonly NarrationSentence[],
  script: string,
): readonly { start: number; end: number }[] {
  const edit = findEdit(previous.script, script);
  const ids = new Set(generated.map(({ id }) => id));
  const generatedBefore = previous.sentences.filter(
    (sentence) => isGenerated(sentence) || ids.has(sentence.id),
  );
  if (edit === undefined) return generatedBefore;
  const shift = edit.newEnd - edit.oldEnd;
  return generatedBefore.flatMap(({ start, end }) => {
    const range = {
      start: start >= edit.oldEnd ? start + shift : Math.min(start, edit.start),
      end: end >= edit.oldEnd ? end + shift : Math.min(end, edit.newEnd),
    };
    return range.end > range.start ? [range] : [];
  });
}

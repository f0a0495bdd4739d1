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
import { findEdit, mergeEdits, shiftRanges } from "./text-ranges.ts";
import { isGenerated, staleIds, withUpdate } from "./sentence-updates.ts";

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

const reloadDelayMs = 300;
const sameOptions = (one: NarrateOptions, other: NarrateOptions): boolean =>
  one.model === other.model && one.voice === other.voice && one.speed === other.speed;
/** Text fields use `\n` only. */
const normalizeLineEndings = (script: string): string =>
  script.includes("\r") ? script.replace(/\r\n?/g, "\n") : script;

export function createNarrationStore(deps: NarrationDeps): NarrationStore {
  const store = createStore<NarrationState>(() => ({
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
  }));
  const { getState: get, setState: set } = store;
  /** The narration as the app has it, as far as is known. */
  let base: Narration | undefined;
  /** Events announce the window's own changes too, before or after their response; neither requires a reload. */
  const earlyRevisions = new Set<number>();
  const awaitedRevisions = new Set<number>();
  let needsReload = false;
  let reloadTimer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  /** Events can overtake responses: updates that came after a request was sent are newer than its response. */
  const sentenceUpdates = new Map<
    string,
    { readonly count: number; readonly sentence: NarrationSentence }
  >();
  let updateCount = 0;

  const differsFromBase = (script: string, options: NarrateOptions): boolean =>
    base !== undefined && (script !== base.script || !sameOptions(options, base.options));
  const isDirty = (): boolean => differsFromBase(get().script, get().options);

  const autosave = createAutosave({
    isDirty,
    send,
    read,
    onSaveError: (saving, message) => set({ saving, message }),
    onIdle,
  });

  function applyChange(patch: Partial<NarrationState>): void {
    set({ ...patch, saving: "unsaved", message: undefined });
    autosave.markDirty();
  }

  /** Applies the app's narration below local edits. `sinceUpdateCount`: number of updates when it was requested. */
  function rebase(fresh: Narration, sinceUpdateCount: number, isOwnResponse: boolean): void {
    const sentences = fresh.sentences.map((sentence) => {
      const update = sentenceUpdates.get(sentence.id);
      return update !== undefined && update.count > sinceUpdateCount
        ? withUpdate(sentence, update.sentence)
        : sentence;
    });
    const previous = base;
    const state = get();
    base = { ...fresh, sentences };
    let script = isOwnResponse ? state.script : normalizeLineEndings(fresh.script);
    let remoteScript = state.remoteScript;
    if (previous !== undefined && !isOwnResponse && state.script !== previous.script) {
      const mergedScript = mergeEdits(previous.script, state.script, fresh.script);
      script = mergedScript ?? state.script;
      if (mergedScript === undefined) remoteScript = fresh.script;
    }
    const options =
      previous !== undefined && (isOwnResponse || !sameOptions(state.options, previous.options))
        ? state.options
        : fresh.options;
    const previouslyGenerated = state.sentences.filter(
      (sentence) => isGenerated(sentence) || state.stale.has(sentence.id),
    );
    // An edited sentence is stale if it overlaps a range that had audio; the edit shifts and extends that range.
    const stale = staleIds(
      sentences,
      previous === undefined ? [] : rangesAfterEdit(previous, previouslyGenerated, fresh.script),
    );
    set({
      phase: "ready",
      message: undefined,
      script,
      options,
      remoteScript,
      stale,
      unspeakable: fresh.unspeakable,
      otherLanguage: fresh.otherLanguage,
      sentences: shiftRanges(sentences, fresh.script, script),
      saving: differsFromBase(script, options) ? "unsaved" : "saved",
    });
    if (differsFromBase(script, options) && !autosave.isSending()) autosave.markDirty();
  }

  async function read(): Promise<void> {
    clearTimeout(reloadTimer);
    reloadTimer = undefined;
    // Revisions not announced by now may never be; waiting longer would hide a later change with the same number.
    awaitedRevisions.clear();
    const sinceUpdateCount = updateCount;
    try {
      rebase(await deps.read(), sinceUpdateCount, false);
    } catch (error) {
      if (get().phase !== "ready") set({ phase: "failed", message: messageOf(error) });
    }
  }

  async function send(): Promise<void> {
    if (base === undefined) return;
    const { script, options } = get();
    const sinceUpdateCount = updateCount;
    const fresh = await deps.change({ revision: base.revision, script, options });
    if (!earlyRevisions.delete(fresh.revision)) awaitedRevisions.add(fresh.revision);
    rebase(fresh, sinceUpdateCount, true);
  }

  function onIdle(): void {
    if ([...earlyRevisions].some((revision) => revision > (base?.revision ?? 0)))
      needsReload = true;
    earlyRevisions.clear();
    if (needsReload) reloadSoon();
  }

  function reloadSoon(): void {
    needsReload = false;
    if (!isClosed) reloadTimer ??= setTimeout(() => void autosave.load(), reloadDelayMs);
  }

  /** The same revision as before means that pronunciations changed. */
  function onRevision(revision: number): void {
    if (awaitedRevisions.delete(revision) || base === undefined) return;
    if (!autosave.isSending()) reloadSoon();
    else if (revision > base.revision) earlyRevisions.add(revision);
    else needsReload = true;
  }

  function updateSentence(sentence: NarrationSentence): void {
    updateCount += 1;
    sentenceUpdates.set(sentence.id, { count: updateCount, sentence });
    const applyUpdate = (each: NarrationSentence): NarrationSentence =>
      each.id === sentence.id ? withUpdate(each, sentence) : each;
    if (base !== undefined) base = { ...base, sentences: base.sentences.map(applyUpdate) };
    const stale = new Set(get().stale);
    const wasStale = stale.delete(sentence.id);
    set({ sentences: get().sentences.map(applyUpdate), ...(wasStale && { stale }) });
  }

  return Object.assign(store, {
    load: autosave.load,
    setScript(script: string): void {
      if (base === undefined || script === get().script) return;
      // Shifts from the current text, so that a sentence stays out once it was edited, until the app has split the
      // script again.
      applyChange({ script, sentences: shiftRanges(get().sentences, get().script, script) });
    },
    setOptions(options: NarrateOptions): void {
      if (base !== undefined && !sameOptions(options, get().options)) applyChange({ options });
    },
    updateSentence,
    applyNarration(narration: Narration): void {
      if (narration.revision === base?.revision) rebase(narration, updateCount, false);
      else reloadSoon();
    },
    onRevision,
    acceptRemote(): void {
      const { remoteScript } = get();
      if (remoteScript === undefined) return;
      set({ remoteScript: undefined });
      this.setScript(normalizeLineEndings(remoteScript));
    },
    keepLocal: () => set({ remoteScript: undefined }),
    save: autosave.save,
    unsaved(): readonly NarrationChange[] {
      if (!isDirty() || base === undefined) return [];
      const { script, options } = get();
      const change = { revision: base.revision, script, options };
      return autosave.isSending() ? [change, { ...change, revision: base.revision + 1 }] : [change];
    },
    close(): void {
      autosave.close();
      isClosed = true;
      clearTimeout(reloadTimer);
    },
  });
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

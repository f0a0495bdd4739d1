// One narration as it is open in the window: the script as typed, how it is to be spoken, its sentences. What is typed
// is put together with what somebody else changed meanwhile; when it is sent is stores/autosave.ts's work.

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
  /** Why it could not be read, or saved. */
  readonly message: string | undefined;
  readonly script: string;
  readonly options: NarrateOptions;
  /** In order, placed in `script`; those being typed in are missing until the app has read them. */
  readonly sentences: readonly NarrationSentence[];
  readonly unspeakable: readonly string[];
  /** What the script is written in, where the model cannot speak that. */
  readonly otherLanguage: string | undefined;
  /** Sentences that were made, and are to be made again since something about them changed. */
  readonly stale: ReadonlySet<string>;
  readonly saving: SaveState;
  /** Somebody else's script, where both changed the same place and ours was kept. */
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
  /** A sentence got a take, or was heard again. */
  updateSentence(sentence: NarrationSentence): void;
  /** An answer that shows the narration as it is now. Where its script is a later one, that is read in its turn. */
  applyNarration(narration: Narration): void;
  /** The app says its narration has this revision now, or other pronunciations. */
  onRevision(revision: number): void;
  acceptRemote(): void;
  keepLocal(): void;
  /** Sends what is unsaved at once; settles when it is taken, refused, or to be tried again later. */
  save(): Promise<void>;
  /** What would be lost if the page went away now: in two forms where a save is on its way that may arrive or not. */
  unsaved(): readonly NarrationChange[];
  close(): void;
};

export type NarrationDeps = {
  read(): Promise<Narration>;
  /** Throws ApiError; status 409 where somebody else changed it. */
  change(change: NarrationChange): Promise<Narration>;
};

const reloadDelayMs = 300;
const sameOptions = (one: NarrateOptions, other: NarrateOptions): boolean =>
  one.model === other.model && one.voice === other.voice && one.speed === other.speed;
/** Text fields know one kind of line end. */
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
  /** As the app is known to hold it. */
  let base: Narration | undefined;
  /** Own changes are announced too, before or after their answer: neither is a reason to read it all again. */
  const earlyRevisions = new Set<number>();
  const awaitedRevisions = new Set<number>();
  let needsReload = false;
  let reloadTimer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  /** Events overtake answers: what they told since a request went out is newer than its answer. */
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

  /** The app's narration comes under what is typed here. `sinceUpdateCount`: how much news there was when it was asked for. */
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
    // An edited sentence stays where it was made before: its whole old place counts, moved by the edit.
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
    // What was not announced by now may never be; waited for, it would hide a later change of the same revision.
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

  /** The same revision as before: pronunciations changed. */
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
      // From the text as typed so far: what was touched once stays out until it is read anew.
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

/** Places of what was made before, in another script; the one an edit went through covers what it became. */
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

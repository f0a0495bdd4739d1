// Store of one open narration: script, options, sentences. If it was changed elsewhere meanwhile, it keeps both versions
// until the user chooses one. See stores/autosave.ts for when changes are sent.

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
};

type NarrationText = { readonly script: string; readonly options: NarrateOptions };
export type NarrationChange = NarrationText & { readonly revision: number };

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

const reloadDelayMs = 300;
const isSameText = (one: NarrationText, other: NarrationText): boolean =>
  one.script === other.script &&
  one.options.model === other.options.model &&
  one.options.voice === other.options.voice &&
  one.options.speed === other.options.speed;
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
  }));
  const { getState: get, setState: set } = store;
  /** The narration as the app has it, as far as is known. */
  let base: Narration | undefined;
  /** Being sent, or sent without a response; the app may have it or not. */
  let inFlight: NarrationText | undefined;
  /** The version from elsewhere, during a conflict, and the number of updates when it was requested. */
  let remote: { readonly narration: Narration; readonly sinceUpdateCount: number } | undefined;
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

  const differsFromBase = (text: NarrationText): boolean =>
    base !== undefined && !isSameText(text, base);
  const isDirty = (): boolean => remote === undefined && differsFromBase(get());

  const autosave = createAutosave({
    isDirty,
    send,
    read,
    onSaveError: (saving, message) => set({ saving, message }),
    onIdle,
  });

  function applyChange(patch: Partial<NarrationState>): void {
    set({ ...patch, ...(remote === undefined && { saving: "unsaved", message: undefined }) });
    autosave.markDirty();
  }

  /**
   * Takes over the app's narration, unless both it and this window have changed.
   * @param sinceUpdateCount number of updates when it was requested
   */
  function receive(fresh: Narration, sinceUpdateCount: number): void {
    const local = get();
    const text = { script: normalizeLineEndings(fresh.script), options: fresh.options };
    if (!differsFromBase(local) || isSameText(text, local)) {
      inFlight = undefined;
      adopt(fresh, sinceUpdateCount, text);
    } else if (base !== undefined && isSameText(fresh, base)) {
      adopt(fresh, sinceUpdateCount, local);
    } else if (inFlight !== undefined && isSameText(fresh, inFlight)) {
      // A save whose response did not arrive.
      inFlight = undefined;
      adopt(fresh, sinceUpdateCount, local);
    } else {
      inFlight = undefined;
      remote = { narration: fresh, sinceUpdateCount };
      set({ saving: "conflict", message: t("narrate.conflict") });
    }
  }

  /** Shows `text` with the app's sentences. */
  function adopt(fresh: Narration, sinceUpdateCount: number, text: NarrationText): void {
    const sentences = fresh.sentences.map((sentence) => {
      const update = sentenceUpdates.get(sentence.id);
      return update !== undefined && update.count > sinceUpdateCount
        ? withUpdate(sentence, update.sentence)
        : sentence;
    });
    const previous = base;
    const state = get();
    base = { ...fresh, sentences };
    remote = undefined;
    const { script, options } = text;
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
      stale,
      unspeakable: fresh.unspeakable,
      otherLanguage: fresh.otherLanguage,
      sentences: shiftRanges(sentences, fresh.script, script),
      saving: differsFromBase(text) ? "unsaved" : "saved",
    });
    if (differsFromBase(text) && !autosave.isSending()) autosave.markDirty();
  }

  async function read(): Promise<void> {
    clearTimeout(reloadTimer);
    reloadTimer = undefined;
    // Revisions not announced by now may never be; waiting longer would hide a later change with the same number.
    awaitedRevisions.clear();
    const sinceUpdateCount = updateCount;
    try {
      receive(await deps.read(), sinceUpdateCount);
    } catch (error) {
      if (get().phase !== "ready") set({ phase: "failed", message: messageOf(error) });
    }
  }

  async function send(): Promise<void> {
    if (base === undefined) return;
    const { script, options } = get();
    // What the app may have already is sent again unchanged, so that `receive` recognizes it.
    inFlight ??= { script, options };
    const sinceUpdateCount = updateCount;
    try {
      const fresh = await deps.change({ revision: base.revision, ...inFlight });
      inFlight = undefined;
      if (!earlyRevisions.delete(fresh.revision)) awaitedRevisions.add(fresh.revision);
      adopt(fresh, sinceUpdateCount, get());
    } catch (error) {
      const isConflict = error instanceof ApiError && error.status === 409;
      if (isPermanentError(error) && !isConflict) inFlight = undefined;
      throw error;
    }
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
      if (base !== undefined && !isSameText({ ...get(), options }, get())) applyChange({ options });
    },
    updateSentence,
    applyNarration(narration: Narration): void {
      if (narration.revision === base?.revision && remote === undefined)
        receive(narration, updateCount);
      else reloadSoon();
    },
    onRevision,
    acceptRemote(): void {
      if (remote === undefined) return;
      const { narration, sinceUpdateCount } = remote;
      const script = normalizeLineEndings(narration.script);
      adopt(narration, sinceUpdateCount, { script, options: narration.options });
    },
    keepLocal(): void {
      if (remote !== undefined) adopt(remote.narration, remote.sinceUpdateCount, get());
    },
    save: autosave.save,
    unsaved(): readonly NarrationChange[] {
      if (!isDirty() || base === undefined) return [];
      const { script, options } = get();
      const change = { revision: base.revision, script, options };
      return inFlight === undefined
        ? [change]
        : [change, { ...change, revision: base.revision + 1 }];
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

// One narration as it is open in the window: the script as typed, how it is to be spoken, its sentences. What is typed
// is put together with what somebody else changed meanwhile; when it is sent is stores/autosave.ts's work.

import { createStore, type StoreApi } from "zustand/vanilla";
import type {
  NarrateOptions,
  Narration,
  NarrationSentence,
} from "../../../../main/contract/studio.ts";
import { messageOf } from "../../../api/error.ts";
import { createAutosave, type Saving } from "../../../stores/autosave.ts";
import { editBetween, merged, placedAfter } from "./placing.ts";
import { isMade, staleIds, withNews } from "./sentence-news.ts";

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
  readonly saving: Saving;
  /** Somebody else's script, where both changed the same place and ours was kept. */
  readonly otherScript: string | undefined;
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
  told(sentence: NarrationSentence): void;
  /** An answer that shows the narration as it is now. Where its script is a later one, that is read in its turn. */
  take(narration: Narration): void;
  /** The app says its narration has this revision now, or other pronunciations. */
  announced(revision: number): void;
  takeOther(): void;
  keepOwn(): void;
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
const plainLines = (script: string): string =>
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
    otherScript: undefined,
  }));
  const { getState: get, setState: set } = store;
  /** As the app is known to hold it. */
  let base: Narration | undefined;
  /** Own changes are announced too, before or after their answer: neither is a reason to read it all again. */
  const heardEarly = new Set<number>();
  const toBeHeard = new Set<number>();
  let hasToReload = false;
  let reloadTimer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  /** Events overtake answers: what they told since a request went out is newer than its answer. */
  const news = new Map<string, { readonly count: number; readonly sentence: NarrationSentence }>();
  let newsCount = 0;

  const differs = (script: string, options: NarrateOptions): boolean =>
    base !== undefined && (script !== base.script || !sameOptions(options, base.options));
  const isDirty = (): boolean => differs(get().script, get().options);

  const autosave = createAutosave({
    isDirty,
    send,
    read,
    onTrouble: (saving, message) => set({ saving, message }),
    onRest,
  });

  function changed(patch: Partial<NarrationState>): void {
    set({ ...patch, saving: "unsaved", message: undefined });
    autosave.changed();
  }

  /** The app's narration comes under what is typed here. `since`: how much news there was when it was asked for. */
  function rebase(fresh: Narration, since: number, isAnswerToOwn: boolean): void {
    const sentences = fresh.sentences.map((sentence) => {
      const heard = news.get(sentence.id);
      return heard !== undefined && heard.count > since
        ? withNews(sentence, heard.sentence)
        : sentence;
    });
    const before = base;
    const state = get();
    base = { ...fresh, sentences };
    let script = isAnswerToOwn ? state.script : plainLines(fresh.script);
    let otherScript = state.otherScript;
    if (before !== undefined && !isAnswerToOwn && state.script !== before.script) {
      const both = merged(before.script, state.script, fresh.script);
      script = both ?? state.script;
      if (both === undefined) otherScript = fresh.script;
    }
    const options =
      before !== undefined && (isAnswerToOwn || !sameOptions(state.options, before.options))
        ? state.options
        : fresh.options;
    const formerly = state.sentences.filter(
      (sentence) => isMade(sentence) || state.stale.has(sentence.id),
    );
    // An edited sentence stays where it was made before: its whole old place counts, moved by the edit.
    const stale = staleIds(
      sentences,
      before === undefined ? [] : grown(before, formerly, fresh.script),
    );
    set({
      phase: "ready",
      message: undefined,
      script,
      options,
      otherScript,
      stale,
      unspeakable: fresh.unspeakable,
      otherLanguage: fresh.otherLanguage,
      sentences: placedAfter(sentences, fresh.script, script),
      saving: differs(script, options) ? "unsaved" : "saved",
    });
    if (differs(script, options) && !autosave.isSending()) autosave.changed();
  }

  async function read(): Promise<void> {
    clearTimeout(reloadTimer);
    reloadTimer = undefined;
    // What was not announced by now may never be; waited for, it would hide a later change of the same revision.
    toBeHeard.clear();
    const since = newsCount;
    try {
      rebase(await deps.read(), since, false);
    } catch (error) {
      if (get().phase !== "ready") set({ phase: "failed", message: messageOf(error) });
    }
  }

  async function send(): Promise<void> {
    if (base === undefined) return;
    const { script, options } = get();
    const since = newsCount;
    const fresh = await deps.change({ revision: base.revision, script, options });
    if (!heardEarly.delete(fresh.revision)) toBeHeard.add(fresh.revision);
    rebase(fresh, since, true);
  }

  function onRest(): void {
    if ([...heardEarly].some((revision) => revision > (base?.revision ?? 0))) hasToReload = true;
    heardEarly.clear();
    if (hasToReload) reloadSoon();
  }

  function reloadSoon(): void {
    hasToReload = false;
    if (!isClosed) reloadTimer ??= setTimeout(() => void autosave.load(), reloadDelayMs);
  }

  /** The same revision as before: pronunciations changed. */
  function announced(revision: number): void {
    if (toBeHeard.delete(revision) || base === undefined) return;
    if (!autosave.isSending()) reloadSoon();
    else if (revision > base.revision) heardEarly.add(revision);
    else hasToReload = true;
  }

  function told(sentence: NarrationSentence): void {
    newsCount += 1;
    news.set(sentence.id, { count: newsCount, sentence });
    const bring = (each: NarrationSentence): NarrationSentence =>
      each.id === sentence.id ? withNews(each, sentence) : each;
    if (base !== undefined) base = { ...base, sentences: base.sentences.map(bring) };
    const stale = new Set(get().stale);
    const wasStale = stale.delete(sentence.id);
    set({ sentences: get().sentences.map(bring), ...(wasStale && { stale }) });
  }

  return Object.assign(store, {
    load: autosave.load,
    setScript(script: string): void {
      if (base === undefined || script === get().script) return;
      // From the text as typed so far: what was touched once stays out until it is read anew.
      changed({ script, sentences: placedAfter(get().sentences, get().script, script) });
    },
    setOptions(options: NarrateOptions): void {
      if (base !== undefined && !sameOptions(options, get().options)) changed({ options });
    },
    told,
    take(narration: Narration): void {
      if (narration.revision === base?.revision) rebase(narration, newsCount, false);
      else reloadSoon();
    },
    announced,
    takeOther(): void {
      const { otherScript } = get();
      if (otherScript === undefined) return;
      set({ otherScript: undefined });
      this.setScript(plainLines(otherScript));
    },
    keepOwn: () => set({ otherScript: undefined }),
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
function grown(
  before: Narration,
  made: readonly NarrationSentence[],
  script: string,
): readonly { start: number; end: number }[] {
  const edit = editBetween(before.script, script);
  const ids = new Set(made.map(({ id }) => id));
  const wasMade = before.sentences.filter((sentence) => isMade(sentence) || ids.has(sentence.id));
  if (edit === undefined) return wasMade;
  const by = edit.newEnd - edit.oldEnd;
  return wasMade.flatMap(({ start, end }) => {
    const place = {
      start: start >= edit.oldEnd ? start + by : Math.min(start, edit.start),
      end: end >= edit.oldEnd ? end + by : Math.min(end, edit.newEnd),
    };
    return place.end > place.start ? [place] : [];
  });
}

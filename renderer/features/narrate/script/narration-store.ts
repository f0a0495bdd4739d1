// One narration as it is open in the window: the script as typed, how it is to be spoken, its sentences. What is typed
// is sent within half a second, again until it is taken, and put together with what somebody else changed meanwhile.

import { createStore, type StoreApi } from 'zustand/vanilla';
import type { NarrateOptions, Narration, NarrationSentence } from '../../../../main/contract/studio.ts';
import { ApiError, isRefusal, messageOf } from '../../../api/error.ts';
import { editBetween, merged, placedAfter } from './placing.ts';
import { isMade, staleIds, withNews } from './sentence-news.ts';

export type NarrationState = {
  readonly phase: 'loading' | 'ready' | 'failed';
  /** Why it could not be read, or saved. */
  readonly message: string | undefined;
  readonly script: string;
  readonly options: NarrateOptions;
  /** In order, placed in `script`; those being typed in are missing until the app has read them. */
  readonly sentences: readonly NarrationSentence[];
  readonly unspeakable: readonly string[];
  /** Sentences that were made, and are to be made again since something about them changed. */
  readonly stale: ReadonlySet<string>;
  /** `stuck`: the app refused; nothing is tried again unasked. */
  readonly saving: 'saved' | 'unsaved' | 'retrying' | 'stuck';
  /** Somebody else's script, where both changed the same place and ours was kept. */
  readonly otherScript: string | undefined;
};

export type NarrationChange = { readonly revision: number; readonly script: string; readonly options: NarrateOptions };

export type NarrationStore = StoreApi<NarrationState> & {
  load(): Promise<void>;
  setScript(script: string): void;
  setOptions(options: NarrateOptions): void;
  /** A sentence got a take, or was heard again. */
  told(sentence: NarrationSentence): void;
  /** An answer that shows the narration as it is now. */
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

const saveDelayMs = 400;
const reloadDelayMs = 300;
const retryMs = [1000, 2000, 5000, 10_000, 30_000] as const;
const sameOptions = (one: NarrateOptions, other: NarrateOptions): boolean => one.model === other.model && one.voice === other.voice && one.speed === other.speed;
/** Text fields know one kind of line end. */
const plainLines = (script: string): string => (script.includes('\r') ? script.replace(/\r\n?/g, '\n') : script);

export function createNarrationStore(deps: NarrationDeps): NarrationStore {
  const store = createStore<NarrationState>(() => ({
    phase: 'loading',
    message: undefined,
    script: '',
    options: { model: 'tts-1-hd', voice: 'nova', speed: 1 },
    sentences: [],
    unspeakable: [],
    stale: new Set(),
    saving: 'saved',
    otherScript: undefined,
  }));
  const { getState: get, setState: set } = store;
  /** As the app is known to hold it. */
  let base: Narration | undefined;
  /** Own changes are announced too, before or after their answer: neither is a reason to read it all again. */
  const heardEarly = new Set<number>();
  const toBeHeard = new Set<number>();
  let hasToReload = false;
  let sending: Promise<void> | undefined;
  let tries = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reloadTimer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  /** Events overtake answers: what they told since a request went out is newer than its answer. */
  const news = new Map<string, { readonly count: number; readonly sentence: NarrationSentence }>();
  let newsCount = 0;

  const differs = (script: string, options: NarrateOptions): boolean => base !== undefined && (script !== base.script || !sameOptions(options, base.options));
  const isDirty = (): boolean => differs(get().script, get().options);

  function later(ms: number): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(() => void save(), ms);
  }

  function changed(patch: Partial<NarrationState>): void {
    tries = 0;
    set({ ...patch, saving: 'unsaved', message: undefined });
    later(saveDelayMs);
  }

  /** The app's narration comes under what is typed here. `since`: how much news there was when it was asked for. */
  function rebase(fresh: Narration, since: number, isAnswerToOwn: boolean): void {
    const sentences = fresh.sentences.map((sentence) => {
      const heard = news.get(sentence.id);
      return heard !== undefined && heard.count > since ? withNews(sentence, heard.sentence) : sentence;
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
    const options = before !== undefined && (isAnswerToOwn || !sameOptions(state.options, before.options)) ? state.options : fresh.options;
    const formerly = state.sentences.filter((sentence) => isMade(sentence) || state.stale.has(sentence.id));
    // An edited sentence stays where it was made before: its whole old place counts, moved by the edit.
    const stale = staleIds(sentences, before === undefined ? [] : grown(before, formerly, fresh.script));
    set({ phase: 'ready', message: undefined, script, options, otherScript, stale, unspeakable: fresh.unspeakable, sentences: placedAfter(sentences, fresh.script, script), saving: differs(script, options) ? 'unsaved' : 'saved' });
    if (differs(script, options) && sending === undefined) later(saveDelayMs);
  }

  async function load(): Promise<void> {
    clearTimeout(reloadTimer);
    reloadTimer = undefined;
    // What was not announced by now may never be; waited for, it would hide a later change of the same revision.
    toBeHeard.clear();
    const since = newsCount;
    try {
      rebase(await deps.read(), since, false);
    } catch (error) {
      if (get().phase !== 'ready') set({ phase: 'failed', message: messageOf(error) });
    }
  }

  /** One change on its way at a time. Answers whether to go on at once. */
  async function sendOnce(held: Narration): Promise<boolean> {
    const { script, options } = get();
    const since = newsCount;
    try {
      const fresh = await deps.change({ revision: held.revision, script, options });
      if (!heardEarly.delete(fresh.revision)) toBeHeard.add(fresh.revision);
      rebase(fresh, since, true);
      tries = 0;
      return true;
    } catch (error) {
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
    for (let held = base; isDirty() && held !== undefined && (await sendOnce(held)); held = base);
    sending = undefined;
    if ([...heardEarly].some((revision) => revision > (base?.revision ?? 0))) hasToReload = true;
    heardEarly.clear();
    if (hasToReload) reloadSoon();
  }

  function save(): Promise<void> {
    clearTimeout(timer);
    if (!isDirty()) return sending ?? Promise.resolve();
    sending ??= sendAll();
    return sending;
  }

  function reloadSoon(): void {
    hasToReload = false;
    if (!isClosed) reloadTimer ??= setTimeout(() => void load(), reloadDelayMs);
  }

  /** The same revision as before: pronunciations changed. */
  function announced(revision: number): void {
    if (toBeHeard.delete(revision) || base === undefined) return;
    if (sending === undefined) reloadSoon();
    else if (revision > base.revision) heardEarly.add(revision);
    else hasToReload = true;
  }

  function told(sentence: NarrationSentence): void {
    newsCount += 1;
    news.set(sentence.id, { count: newsCount, sentence });
    const bring = (each: NarrationSentence): NarrationSentence => (each.id === sentence.id ? withNews(each, sentence) : each);
    if (base !== undefined) base = { ...base, sentences: base.sentences.map(bring) };
    const stale = new Set(get().stale);
    const wasStale = stale.delete(sentence.id);
    set({ sentences: get().sentences.map(bring), ...(wasStale && { stale }) });
  }

  return Object.assign(store, {
    load,
    setScript(script: string): void {
      if (base === undefined || script === get().script) return;
      // From the text as typed so far: what was touched once stays out until it is read anew.
      changed({ script, sentences: placedAfter(get().sentences, get().script, script) });
    },
    setOptions(options: NarrateOptions): void {
      if (base !== undefined && !sameOptions(options, get().options)) changed({ options });
    },
    told,
    take: (narration: Narration): void => rebase(narration, newsCount, isDirty()),
    announced,
    takeOther(): void {
      const { otherScript } = get();
      if (otherScript === undefined) return;
      set({ otherScript: undefined });
      this.setScript(plainLines(otherScript));
    },
    keepOwn: () => set({ otherScript: undefined }),
    save,
    unsaved(): readonly NarrationChange[] {
      if (!isDirty() || base === undefined) return [];
      const { script, options } = get();
      const change = { revision: base.revision, script, options };
      return sending === undefined ? [change] : [change, { ...change, revision: base.revision + 1 }];
    },
    close(): void {
      void save();
      isClosed = true;
      clearTimeout(timer);
      clearTimeout(reloadTimer);
    },
  });
}

/** Places of what was made before, in another script; the one an edit went through covers what it became. */
function grown(before: Narration, made: readonly NarrationSentence[], script: string): readonly { start: number; end: number }[] {
  const edit = editBetween(before.script, script);
  const ids = new Set(made.map(({ id }) => id));
  const wasMade = before.sentences.filter((sentence) => isMade(sentence) || ids.has(sentence.id));
  if (edit === undefined) return wasMade;
  const by = edit.newEnd - edit.oldEnd;
  return wasMade.flatMap(({ start, end }) => {
    const place = { start: start >= edit.oldEnd ? start + by : Math.min(start, edit.start), end: end >= edit.oldEnd ? end + by : Math.min(end, edit.newEnd) };
    return place.end > place.start ? [place] : [];
  });
}

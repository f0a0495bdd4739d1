// One dictation after the other: listens, has it heard, hands the text on. What was spoken is never lost: what could
// not be heard is kept in the library, or, where even that fails, here until the person lets it go.

import { createStore, type StoreApi } from "zustand";
import { isAbort, messageOf } from "../../api/error.ts";
import {
  microphoneTrouble,
  type MicrophoneTrouble,
  type SoundEvents,
  type SoundInput,
} from "../../bridge/sound.ts";
import { wavOf } from "../../bridge/wav.ts";

export type DictationState =
  | { readonly phase: "starting" }
  | { readonly phase: "listening"; readonly sec: number }
  | { readonly phase: "hearing"; readonly sec: number }
  /** `isHanded`: the desktop has the text; otherwise it is copied by hand. */
  | { readonly phase: "done"; readonly text: string; readonly isHanded: boolean }
  /** `isSilent`: there was no sound at all, as of a muted microphone. */
  | { readonly phase: "nothing"; readonly isSilent: boolean }
  | { readonly phase: "trouble"; readonly trouble: MicrophoneTrouble }
  /** `sound`: it could not even be kept in the library. */
  | { readonly phase: "failed"; readonly why: string; readonly sound: Blob | undefined }
  | { readonly phase: "discarded" };

export type Dictation = {
  readonly store: StoreApi<DictationState>;
  /** Listens, where it does not already. */
  begin(): Promise<void>;
  /** Ends listening and has it heard. */
  stop(): Promise<void>;
  /** Whatever is going on ends; what was spoken is let go. */
  discard(): Promise<void>;
  /** What could neither be heard nor kept is tried once more. */
  retry(): Promise<void>;
  /** The loudest value of every twentieth of a second, 0 to 1. @returns how to stop */
  onLevel(listener: (peak: number) => void): () => void;
};

export type DictationDeps = {
  /** Throws the browser's DOMException where there is no microphone. */
  open(events: SoundEvents): Promise<SoundInput>;
  hear(sound: Blob, signal: AbortSignal): Promise<string>;
  /** Puts it into the library. */
  keep(sound: Blob): Promise<void>;
  /** Gives the desktop the text, or, empty, that there is none. @returns whether there is a desktop that took it */
  hand(text: string): Promise<boolean>;
};

const sampleRateHz = 16_000;
/** Last words are spoken while the finger is on the key. */
const tailMs = 300;
/** A key that was pressed twice by mistake. */
const minSec = 0.4;
/** One that was forgotten: providers take no more than 25 MB. */
const maxSec = 780;
/** A microphone that is muted gives nothing at all. */
const silence = 0.0005;

export function createDictation({ open, hear, keep, hand }: DictationDeps): Dictation {
  const store = createStore<DictationState>(() => ({ phase: "discarded" }));
  const set = (state: DictationState): void => store.setState(state, true);
  const levelListeners = new Set<(peak: number) => void>();
  /** Of the dictation that is going on. */
  let running: AbortController | undefined;
  let input: SoundInput | undefined;
  let blocks: Int16Array[] = [];
  let samples = 0;
  let loudest = 0;

  function onBlock(block: Int16Array, peak: number): void {
    blocks.push(block);
    samples += block.length;
    loudest = Math.max(loudest, peak);
    for (const tell of levelListeners) tell(peak);
    const sec = Math.floor(samples / sampleRateHz);
    const state = store.getState();
    if (state.phase === "listening" && state.sec !== sec) set({ phase: "listening", sec });
    if (sec >= maxSec) void stop();
  }

  async function begin(): Promise<void> {
    if (running !== undefined) return;
    const own = new AbortController();
    running = own;
    [blocks, samples, loudest] = [[], 0, 0];
    set({ phase: "starting" });
    try {
      const opened = await open({
        onBlock: (block, peak) => running === own && onBlock(block, peak),
        onLost: () => void (running === own && stop()),
      });
      if (own.signal.aborted) return await opened.close();
      input = opened;
      set({ phase: "listening", sec: 0 });
    } catch (error) {
      if (!own.signal.aborted) over({ phase: "trouble", trouble: microphoneTrouble(error) });
    }
  }

  function over(state: DictationState): void {
    running = undefined;
    input = undefined;
    set(state);
  }

  async function stop(): Promise<void> {
    const own = running;
    const opened = input;
    if (own === undefined || opened === undefined || store.getState().phase !== "listening") return;
    set({ phase: "hearing", sec: Math.floor(samples / sampleRateHz) });
    await new Promise((resolve) => setTimeout(resolve, tailMs));
    if (own.signal.aborted) return;
    input = undefined;
    await opened.close();
    if (own.signal.aborted) return;
    if (samples < minSec * sampleRateHz || loudest < silence)
      over({ phase: "nothing", isSilent: samples >= minSec * sampleRateHz });
    else await heard(wavOf(blocks), own);
  }

  async function heard(sound: Blob, own: AbortController): Promise<void> {
    let text: string;
    try {
      text = (await hear(sound, own.signal)).trim();
    } catch (error) {
      if (own.signal.aborted || isAbort(error)) return;
      const isKept = await keep(sound).then(
        () => true,
        () => false,
      );
      if (!own.signal.aborted)
        over({ phase: "failed", why: messageOf(error), sound: isKept ? undefined : sound });
      return;
    }
    if (own.signal.aborted) return;
    if (text === "") over({ phase: "nothing", isSilent: false });
    else over({ phase: "done", text, isHanded: await hand(text).catch(() => false) });
  }

  return {
    store,
    begin,
    stop,
    async discard() {
      const opened = input;
      running?.abort();
      over({ phase: "discarded" });
      await opened?.close();
      await hand("").catch(() => false);
    },
    async retry() {
      const state = store.getState();
      if (state.phase !== "failed" || state.sound === undefined) return;
      running = new AbortController();
      set({ phase: "hearing", sec: Math.floor(samples / sampleRateHz) });
      await heard(state.sound, running);
    },
    onLevel(listener) {
      levelListeners.add(listener);
      return () => void levelListeners.delete(listener);
    },
  };
}

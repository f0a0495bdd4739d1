// One dictation after the other: record, transcribe, deliver the text. Audio is never lost: if transcription fails it
// is saved to the library, and if that fails too it stays here until the user discards it.

import { createStore, type StoreApi } from "zustand";
import { isAbort, messageOf } from "../../api/error.ts";
import {
  microphoneProblem,
  type MicrophoneProblem,
  type AudioInputEvents,
  type AudioInput,
} from "../../bridge/audio-source.ts";
import { encodeWav } from "../../bridge/wav.ts";

export type DictationState =
  | { readonly phase: "starting" }
  | {
      readonly phase: "listening";
      readonly sec: number;
      readonly words?: SpokenWords;
      /** The chosen microphone is not connected; another one is used. */
      readonly fallback?: { readonly from: string; readonly name: string };
    }
  | { readonly phase: "transcribing"; readonly sec: number }
  /** `isDelivered`: the desktop took the text; otherwise the user copies it. */
  | { readonly phase: "done"; readonly text: string; readonly isDelivered: boolean }
  /** `isSilent`: there was no signal at all, as with a muted microphone. */
  | { readonly phase: "nothing"; readonly isSilent: boolean }
  | { readonly phase: "trouble"; readonly problem: MicrophoneProblem }
  /** `audio`: could not be saved to the library either. */
  | { readonly phase: "failed"; readonly why: string; readonly audio: Blob | undefined }
  | { readonly phase: "discarded" };

/** What was said so far: words that stay, and words that may change. */
export type SpokenWords = { readonly settled: string; readonly unsettled: string };

/** Transcribes while somebody speaks. */
export type LiveText = {
  push(block: Int16Array): void;
  /** The whole text, after the last block. @throws Error if the connection broke */
  finish(signal: AbortSignal): Promise<string>;
  close(): void;
};

export type Dictation = {
  readonly store: StoreApi<DictationState>;
  /** Starts recording, unless it is recording already. */
  begin(): Promise<void>;
  /** Stops recording and transcribes. */
  stop(): Promise<void>;
  /** Ends whatever is running and discards the audio. */
  discard(): Promise<void>;
  /** Transcribes audio again that could be neither transcribed nor saved. */
  retry(): Promise<void>;
  /** The peak (0 to 1) of every 50 ms. @returns unsubscribe */
  onLevel(listener: (peak: number) => void): () => void;
};

export type DictationDeps = {
  /** @throws DOMException of the browser if there is no microphone */
  open(events: AudioInputEvents): Promise<AudioInput>;
  transcribe(audio: Blob, signal: AbortSignal): Promise<string>;
  /** If it is omitted, or not connected, the text comes only at the end. */
  openLiveText?(onWords: (words: SpokenWords) => void): LiveText;
  saveToLibrary(audio: Blob): Promise<void>;
  /** Sends the text to the desktop; empty text means that there is none. @returns whether a desktop took it */
  deliverText(text: string): Promise<boolean>;
};

const sampleRateHz = 16_000;
/** People press the key while they still say the last word. */
const tailMs = 300;
/** Shorter recordings are an accidental double press of the key. */
const minSec = 0.4;
/** Ends a forgotten recording: providers accept at most 25 MB. */
const maxSec = 780;
/** A muted microphone gives an exact or almost exact zero. */
const silencePeak = 0.0005;

/** The audio of the recording in progress. */
function createRecordedAudio() {
  let blocks: Int16Array[] = [];
  let sampleCount = 0;
  let peakLevel = 0;
  return {
    clear(): void {
      [blocks, sampleCount, peakLevel] = [[], 0, 0];
    },
    add(block: Int16Array, peak: number): void {
      blocks.push(block);
      sampleCount += block.length;
      peakLevel = Math.max(peakLevel, peak);
    },
    durationSec: (): number => sampleCount / sampleRateHz,
    isSilent: (): boolean => peakLevel < silencePeak,
    toWav: (): Blob => encodeWav(blocks),
  };
}

export function createDictation(deps: DictationDeps): Dictation {
  const store = createStore<DictationState>(() => ({ phase: "discarded" }));
  const set = (state: DictationState): void => store.setState(state, true);
  const levelListeners = new Set<(peak: number) => void>();
  /** Aborts the current dictation. */
  let running: AbortController | undefined;
  let input: AudioInput | undefined;
  const recorded = createRecordedAudio();
  let live: LiveText | undefined;

  function onBlock(block: Int16Array, peak: number): void {
    recorded.add(block, peak);
    live?.push(block);
    for (const notify of levelListeners) notify(peak);
    const sec = Math.floor(recorded.durationSec());
    const state = store.getState();
    if (state.phase === "listening" && state.sec !== sec) set({ ...state, sec });
    if (sec >= maxSec) void stop();
  }

  async function begin(): Promise<void> {
    if (running !== undefined) return;
    const controller = new AbortController();
    running = controller;
    recorded.clear();
    set({ phase: "starting" });
    try {
      const openedInput = await deps.open({
        onBlock: (block, peak) => running === controller && onBlock(block, peak),
        onLost: () => void (running === controller && stop()),
      });
      if (controller.signal.aborted) return await openedInput.close();
      input = openedInput;
      const { missingDevice, label } = openedInput;
      set({
        phase: "listening",
        sec: 0,
        ...(missingDevice !== undefined && { fallback: { from: missingDevice, name: label } }),
      });
      live = deps.openLiveText?.((words) => {
        const state = store.getState();
        if (running === controller && state.phase === "listening") set({ ...state, words });
      });
    } catch (error) {
      if (!controller.signal.aborted)
        finish({ phase: "trouble", problem: microphoneProblem(error) });
    }
  }

  function finish(state: DictationState): void {
    live?.close();
    live = undefined;
    running = undefined;
    input = undefined;
    set(state);
  }

  async function stop(): Promise<void> {
    const controller = running;
    const openedInput = input;
    if (
      controller === undefined ||
      openedInput === undefined ||
      store.getState().phase !== "listening"
    )
      return;
    set({ phase: "transcribing", sec: Math.floor(recorded.durationSec()) });
    await new Promise((resolve) => setTimeout(resolve, tailMs));
    if (controller.signal.aborted) return;
    input = undefined;
    await openedInput.close();
    if (controller.signal.aborted) return;
    const isTooShort = recorded.durationSec() < minSec;
    if (isTooShort || recorded.isSilent()) finish({ phase: "nothing", isSilent: !isTooShort });
    else await transcribeRecording(recorded.toWav(), controller);
  }

  async function transcribeRecording(audio: Blob, { signal }: AbortController): Promise<void> {
    const end = await transcribeAndDeliver(deps, live, audio, signal);
    if (end !== undefined) finish(end);
  }

  return {
    store,
    begin,
    stop,
    async discard() {
      const openedInput = input;
      running?.abort();
      finish({ phase: "discarded" });
      await openedInput?.close();
      await deps.deliverText("").catch(() => false);
    },
    async retry() {
      const state = store.getState();
      if (state.phase !== "failed" || state.audio === undefined) return;
      running = new AbortController();
      set({ phase: "transcribing", sec: Math.floor(recorded.durationSec()) });
      await transcribeRecording(state.audio, running);
    },
    onLevel(listener) {
      levelListeners.add(listener);
      return () => void levelListeners.delete(listener);
    },
  };
}

/** @returns how it ended; undefined if it was aborted */
async function transcribeAndDeliver(
  deps: DictationDeps,
  live: LiveText | undefined,
  audio: Blob,
  signal: AbortSignal,
): Promise<DictationState | undefined> {
  // Without a connection, the recording is transcribed as a file.
  const transcribe = (sound: Blob): Promise<string> =>
    live === undefined
      ? deps.transcribe(sound, signal)
      : live.finish(signal).catch(() => deps.transcribe(sound, signal));
  const result = await transcribeOrSave({ ...deps, transcribe }, audio, signal);
  if (result === undefined || signal.aborted) return undefined;
  if ("phase" in result) return result;
  const { text } = result;
  if (text === "") return { phase: "nothing", isSilent: false };
  return { phase: "done", text, isDelivered: await deps.deliverText(text).catch(() => false) };
}

/** @returns undefined if it was aborted */
async function transcribeOrSave(
  { transcribe, saveToLibrary }: Pick<DictationDeps, "transcribe" | "saveToLibrary">,
  audio: Blob,
  signal: AbortSignal,
): Promise<{ text: string } | Extract<DictationState, { phase: "failed" }> | undefined> {
  try {
    return { text: (await transcribe(audio, signal)).trim() };
  } catch (error) {
    if (signal.aborted || isAbort(error)) return undefined;
    const isSaved = await saveToLibrary(audio).then(
      () => true,
      () => false,
    );
    return { phase: "failed", why: messageOf(error), audio: isSaved ? undefined : audio };
  }
}

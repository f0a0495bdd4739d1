// What is said, as captions: transcribes a microphone or the system's audio, shows turn after turn, translates those
// that are completed, and records on request. A connection that breaks is opened again.

import { createStore, type StoreApi } from "zustand";
import type { LiveTurn, LiveTurns, LiveTurnsEvents } from "../../api/live-turns.ts";
import type { AudioInput, AudioInputEvents } from "../../bridge/audio-source.ts";
import { createTurnAudio, type TurnAudio } from "./turn-audio.ts";

export type Caption = {
  readonly id: string;
  /** Words that stay, and words that may change. */
  readonly settled: string;
  readonly unsettled: string;
  /** In English, where that is wanted and another language. */
  readonly translation: string | undefined;
};

export type CaptionsState = {
  readonly phase: "idle" | "starting" | "listening" | "ending";
  /** In time order. */
  readonly captions: readonly Caption[];
  /** Seconds in the library; undefined without a recording. */
  readonly recordedSec: number | undefined;
  /** Why nothing is transcribed, or what does not work. */
  readonly message: string | undefined;
};

export type CaptionsDeps = {
  /** @throws DOMException of the browser if there is no audio */
  open(events: AudioInputEvents): Promise<AudioInput>;
  openLiveTurns(events: LiveTurnsEvents): LiveTurns;
  shouldTranslate(): boolean;
  /** Into English. */
  translate(blocks: readonly Int16Array[], language: string | undefined): Promise<string>;
  shouldRecord(): boolean;
  beginRecording(events: {
    onChange(state: { recordedSec?: number; message: string | undefined }): void;
  }): Promise<{ push(block: Int16Array): void; end(): Promise<void> }>;
  texts: {
    inputFailed(error: unknown): string;
    inputLost(): string;
    /** `missingDevice` is not connected; another one is used. */
    inputMissing(missingDevice: string, input: AudioInput): string;
    connectionLost(why: string | undefined): string;
    translationFailed(error: unknown): string;
    recordingFailed(error: unknown): string;
  };
  retryMs?: number;
};

export type Captions = {
  readonly store: StoreApi<CaptionsState>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Begins or ends the recording of the audio, as is wanted now. */
  applyRecording(): Promise<void>;
};

/** Enough for the largest window. */
const maxCaptions = 30;
const defaultRetryMs = 2000;
const english = "en";

export function createCaptions({ retryMs = defaultRetryMs, ...deps }: CaptionsDeps): Captions {
  const store = createStore<CaptionsState>(() => ({
    phase: "idle",
    captions: [],
    recordedSec: undefined,
    message: undefined,
  }));
  const { setState: set, getState: get } = store;
  const { texts } = deps;
  let input: AudioInput | undefined;
  let live: LiveTurns | undefined;
  let audio: TurnAudio = createTurnAudio();
  let retry: ReturnType<typeof setTimeout> | undefined;
  const recorder = createCaptionRecorder(deps, set);
  const translateTurn = createTurnTranslator(deps, store);

  function connect(): void {
    const turnAudio = createTurnAudio();
    audio = turnAudio;
    live = deps.openLiveTurns({
      onTurn(turn) {
        showTurn(turn);
        set({ message: undefined });
        if (turn.isCompleted) translateTurn(turn, turnAudio);
      },
      onFailure(why) {
        live = undefined;
        set(({ captions }) => ({
          message: texts.connectionLost(why),
          captions: captions.map((caption) => ({ ...caption, unsettled: "" })),
        }));
        retry = setTimeout(connect, retryMs);
      },
    });
  }

  function showTurn({ id, settled, unsettled, isCompleted }: LiveTurn): void {
    set(({ captions }) => {
      const isEmpty = isCompleted && settled.trim() === "";
      const before = captions.find((caption) => caption.id === id);
      const caption = { id, settled, unsettled, translation: before?.translation };
      const others = captions.filter((each) => each !== before);
      if (isEmpty) return { captions: others };
      return before === undefined
        ? { captions: [...captions, caption].slice(-maxCaptions) }
        : { captions: captions.map((each) => (each === before ? caption : each)) };
    });
  }

  async function start(): Promise<void> {
    if (get().phase !== "idle") return;
    set({ phase: "starting", message: undefined });
    try {
      input = await deps.open({
        onBlock(block) {
          live?.push(block);
          if (live !== undefined) audio.push(block);
          recorder.push(block);
        },
        onLost: () => void stop(texts.inputLost()),
      });
    } catch (error) {
      set({ phase: "idle", message: texts.inputFailed(error) });
      return;
    }
    const { missingDevice } = input;
    set({
      phase: "listening",
      ...(missingDevice !== undefined && { message: texts.inputMissing(missingDevice, input) }),
    });
    connect();
    await applyRecording();
  }

  async function stop(message?: string): Promise<void> {
    if (get().phase !== "listening") return;
    set({ phase: "ending", message });
    clearTimeout(retry);
    await input?.close();
    input = undefined;
    const ending = live;
    await Promise.all([ending?.finish(), recorder.end()]);
    ending?.close();
    live = undefined;
    set({ phase: "idle", message });
  }

  async function applyRecording(): Promise<void> {
    const isWanted = get().phase === "listening" && deps.shouldRecord();
    await (isWanted ? recorder.begin() : recorder.end());
  }

  return { store, start, stop: () => stop(), applyRecording };
}

/** Translates turns that are completed, one after the other. */
function createTurnTranslator(
  deps: Pick<CaptionsDeps, "shouldTranslate" | "translate" | "texts">,
  { getState: get, setState: set }: StoreApi<CaptionsState>,
): (turn: LiveTurn, audio: TurnAudio) => void {
  let translating: Promise<void> = Promise.resolve();

  async function translate(
    earlier: Promise<void>,
    { id, settled, language }: LiveTurn,
    blocks: readonly Int16Array[],
  ): Promise<void> {
    await earlier;
    // It is no longer shown.
    if (!get().captions.some((caption) => caption.id === id)) return;
    try {
      const translation = (await deps.translate(blocks, language)).trim();
      if (isSameText(translation, settled)) return;
      set(({ captions }) => ({
        captions: captions.map((each) => (each.id === id ? { ...each, translation } : each)),
      }));
    } catch (error) {
      set({ message: deps.texts.translationFailed(error) });
    }
  }

  return (turn, audio) => {
    const blocks = audio.take(turn.startMs, turn.endMs);
    if (!deps.shouldTranslate() || turn.language === english) return;
    if (turn.settled.trim() === "" || blocks.length === 0) return;
    translating = translate(translating, turn, blocks);
  };
}

/** The recording of what is captioned, if any. */
function createCaptionRecorder(
  { beginRecording, texts }: Pick<CaptionsDeps, "beginRecording" | "texts">,
  set: (state: Partial<CaptionsState>) => void,
) {
  let recording: Awaited<ReturnType<CaptionsDeps["beginRecording"]>> | undefined;
  /** Set while it begins: audio from before it has begun. */
  let waiting: Int16Array[] | undefined;
  let beginning: Promise<void> | undefined;

  async function openRecording(): Promise<void> {
    waiting = [];
    try {
      recording = await beginRecording({
        onChange: ({ recordedSec, message }) =>
          set({
            ...(message !== undefined && { message }),
            ...(recordedSec !== undefined && { recordedSec }),
          }),
      });
      for (const block of waiting) recording.push(block);
      set({ recordedSec: 0 });
    } catch (error) {
      set({ message: texts.recordingFailed(error) });
    } finally {
      waiting = undefined;
      if (recording === undefined) beginning = undefined;
    }
  }

  return {
    push(block: Int16Array): void {
      if (recording !== undefined) recording.push(block);
      else waiting?.push(block);
    },
    begin(): Promise<void> {
      beginning ??= openRecording();
      return beginning;
    },
    async end(): Promise<void> {
      await beginning;
      const ended = recording;
      recording = undefined;
      beginning = undefined;
      await ended?.end();
      set({ recordedSec: undefined });
    },
  };
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ");

/** What was said in English is transcribed and translated with the same words. */
const isSameText = (first: string, second: string): boolean =>
  lettersOf(first).trim() === lettersOf(second).trim();

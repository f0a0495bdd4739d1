// The dictation of this window: its microphone, its transcription, its delivery and its keys.

import { sanitizeDictation } from "../../../main/contract/dictation-text.ts";
import { call } from "../../api/client.ts";
import { uploadMedia } from "../../api/binary.ts";
import { openLiveText } from "../../api/live-text.ts";
import { transcribeAudio } from "../../api/speech.ts";
import { desktopBridge } from "../../bridge/desktop.ts";
import { isSystemDevice } from "../../bridge/audio-devices.ts";
import { openAudioInput } from "../../bridge/audio-input.ts";
import { formatDateTime } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { promptFor } from "../../stores/model-prompt.ts";
import { usePreferences } from "../../stores/preferences.ts";
import { showRecording } from "../../stores/recording.ts";
import { dictationPath } from "../../stores/route.ts";
import { createDictation, type DictationState } from "./dictation.ts";

export const fileName = (): string =>
  `${t("dictate.recording", { when: formatDateTime(Date.now()) })}.wav`;

/** The shown text is exactly what the user copies or the desktop types. */
const sanitize = (text: string): string =>
  sanitizeDictation(text, {
    keepsLineBreaks: usePreferences.getState().desktop.keepsDictatedLineBreaks,
  });

export const { store, begin, onLevel, ...dictation } = createDictation({
  open(events) {
    const { deviceLabel } = usePreferences.getState().recordFrom;
    // Always a microphone: system audio can be recorded but not dictated.
    return openAudioInput(
      {
        kind: "microphone",
        deviceLabel:
          deviceLabel !== undefined && isSystemDevice(deviceLabel) ? undefined : deviceLabel,
      },
      events,
    );
  },
  openLiveText(onWords) {
    const { transcribe } = usePreferences.getState();
    const { model, language } = transcribe;
    const live = openLiveText({ model, language, prompt: promptFor(transcribe) }, onWords);
    return { ...live, finish: async (signal) => sanitize(await live.finish(signal)) };
  },
  async transcribe(audio, signal) {
    const { transcribe } = usePreferences.getState();
    const { model, language } = transcribe;
    const prompt = await promptFor(transcribe);
    const { text } = await transcribeAudio(
      audio,
      "dictation.wav",
      { model, language, prompt, hasVocabulary: true },
      signal,
    );
    return sanitize(text);
  },
  async saveToLibrary(audio) {
    await uploadMedia(
      new File([audio], fileName(), { type: audio.type }),
      usePreferences.getState().transcribe,
    );
  },
  async deliverText(text) {
    // What is delivered can be copied again; a failure must not hold it up.
    if (text !== "")
      void call("keepDictation", { id: crypto.randomUUID(), text, atMs: Date.now() }).catch(
        () => undefined,
      );
    const bridge = desktopBridge();
    await bridge?.dictated(text);
    return bridge !== undefined;
  },
});

// The window may be covered: the title shows the recording, and in the desktop the tray.
store.subscribe((state) => {
  showRecording(
    "dictation",
    state.phase === "listening"
      ? { phase: "recording", sec: state.sec, path: dictationPath, stop: dictation.stop }
      : undefined,
  );
});

/**
 * The desktop hides its window when there is no text to deliver; a browser closes only windows that a script opened.
 */
export async function discardAndClose(): Promise<void> {
  await dictation.discard();
  if (desktopBridge() === undefined) close();
}

/** The desktop has hidden its window, so the next press of the key starts a new dictation. */
const isWindowHidden = (state: DictationState): boolean =>
  state.phase === "discarded" || (state.phase === "done" && state.isDelivered);

/**
 * The desktop's key, or Enter: stops recording, or retries audio that exists only here. After the end it starts anew;
 * in the desktop's window, if that still shows how the dictation ended, it closes the window instead.
 */
export function toggleDictation(): void {
  const state = store.getState();
  if (state.phase === "listening") void dictation.stop();
  else if (state.phase === "failed" && state.audio !== undefined) void dictation.retry();
  else if (desktopBridge() === undefined || isWindowHidden(state)) void begin();
  else if (state.phase !== "transcribing") void discardAndClose();
}

/** Asks before the window closes with audio that exists only here. While recording, stores/recording.ts asks. */
export function onUnload(event: BeforeUnloadEvent): void {
  const state = store.getState();
  if (state.phase === "transcribing" || (state.phase === "failed" && state.audio !== undefined))
    event.preventDefault();
}

/** Shorter presses of the space bar start or stop, longer ones hold. */
const minHoldMs = 400;
let heldSinceMs: number | undefined;

/** The space bar is held to talk: this window sees its release, which the system does not tell of its shortcut. */
export function onSpace(event: KeyboardEvent): void {
  const isOnControl =
    event.target instanceof Element && event.target.closest("button, [tabindex]") !== null;
  if (event.key !== " " || isOnControl) return;
  event.preventDefault();
  if (event.type === "keydown") {
    if (event.repeat) return;
    heldSinceMs = event.timeStamp;
    toggleDictation();
  } else if (heldSinceMs !== undefined) {
    const isHeld = event.timeStamp - heldSinceMs >= minHoldMs;
    heldSinceMs = undefined;
    if (isHeld && store.getState().phase === "listening") void dictation.stop();
  }
}

export function onKey(event: KeyboardEvent): void {
  const isOnButton = event.target instanceof Element && event.target.closest("button") !== null;
  const state = store.getState();
  // An accidental Escape must not discard audio that exists only here.
  if (event.key === "Escape" && !(state.phase === "failed" && state.audio !== undefined))
    void discardAndClose();
  if (event.key === "Enter" && !isOnButton && !event.repeat) toggleDictation();
}

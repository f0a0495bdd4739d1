// The dictation of this window: what it listens to, who hears it, where the text goes, and what keys do.

import { sanitizeDictation } from "../../../main/contract/dictation-text.ts";
import { uploadMedia } from "../../api/binary.ts";
import { transcribeAudio } from "../../api/speech.ts";
import { desktopBridge } from "../../bridge/desktop.ts";
import { isSystemDevice } from "../../bridge/audio-devices.ts";
import { openAudioInput } from "../../bridge/audio-input.ts";
import { formatDateTime } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { usePreferences } from "../../stores/preferences.ts";
import { showRecording } from "../../stores/recording.ts";
import { dictationPath } from "../../stores/route.ts";
import { createDictation, type DictationState } from "./dictation.ts";

export const fileName = (): string =>
  `${t("dictate.recording", { when: formatDateTime(Date.now()) })}.wav`;

export const { store, begin, onLevel, ...dictation } = createDictation({
  open(events) {
    const { deviceLabel } = usePreferences.getState().recordFrom;
    // What the system plays is recorded, not dictated.
    return openAudioInput(
      {
        kind: "microphone",
        deviceLabel:
          deviceLabel !== undefined && isSystemDevice(deviceLabel) ? undefined : deviceLabel,
      },
      events,
    );
  },
  async transcribe(audio, signal) {
    const { transcribe, desktop: desktopPreferences } = usePreferences.getState();
    const { model, language, prompt } = transcribe;
    const { text } = await transcribeAudio(
      audio,
      "dictation.wav",
      { model, language, prompt },
      signal,
    );
    // What is shown is what is copied here, and what the desktop types.
    return sanitizeDictation(text, { keepsLineBreaks: desktopPreferences.keepsDictatedLineBreaks });
  },
  async saveToLibrary(audio) {
    await uploadMedia(
      new File([audio], fileName(), { type: audio.type }),
      usePreferences.getState().transcribe,
    );
  },
  async deliverText(text) {
    const bridge = desktopBridge();
    await bridge?.dictated(text);
    return bridge !== undefined;
  },
});

// Its window may be behind others: the title tells, and in the desktop the tray.
store.subscribe((state) => {
  showRecording(
    "dictation",
    state.phase === "listening"
      ? { phase: "recording", sec: state.sec, path: dictationPath, stop: dictation.stop }
      : undefined,
  );
});

/** The desktop puts its window away when there is nothing to hand on; a browser does it where the window is one of ours. */
export async function discardAndClose(): Promise<void> {
  await dictation.discard();
  if (desktopBridge() === undefined) close();
}

/** The desktop's window was put away: the next time it is seen its key was pressed to begin anew. */
const isWindowHidden = (state: DictationState): boolean =>
  state.phase === "discarded" || (state.phase === "done" && state.isDelivered);

/**
 * The desktop's key, Enter: ends listening, and tries again what is kept here alone. Where that is over it begins anew,
 * but in the desktop's window, while that still shows how it ended: then it goes away.
 */
export function toggleDictation(): void {
  const state = store.getState();
  if (state.phase === "listening") void dictation.stop();
  else if (state.phase === "failed" && state.audio !== undefined) void dictation.retry();
  else if (desktopBridge() === undefined || isWindowHidden(state)) void begin();
  else if (state.phase !== "hearing") void discardAndClose();
}

/** What was spoken and is nowhere else must not go with the window unasked; while it listens the store of recordings asks. */
export function onUnload(event: BeforeUnloadEvent): void {
  const state = store.getState();
  if (state.phase === "hearing" || (state.phase === "failed" && state.audio !== undefined))
    event.preventDefault();
}

export function onKey(event: KeyboardEvent): void {
  const isOnButton = event.target instanceof Element && event.target.closest("button") !== null;
  const state = store.getState();
  // A slip of the finger must not lose what is nowhere else.
  if (event.key === "Escape" && !(state.phase === "failed" && state.audio !== undefined))
    void discardAndClose();
  if (event.key === "Enter" && !isOnButton && !event.repeat) toggleDictation();
}

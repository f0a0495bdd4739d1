// The captions of this window: their audio source, their model, their recording.

import { messageOf } from "../../api/error.ts";
import { openLiveTurns } from "../../api/live-turns.ts";
import { transcribeAudio } from "../../api/speech.ts";
import { openAudioInput } from "../../bridge/audio-input.ts";
import { microphoneProblem, sharingProblem } from "../../bridge/audio-source.ts";
import { encodeWav } from "../../bridge/wav.ts";
import type { CaptionPreferences } from "../../../main/contract/preferences.ts";
import { formatDateTime } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { loadModels, useModels } from "../../stores/models.ts";
import { modelLimits } from "../../stores/model-limits.ts";
import { promptFor } from "../../stores/model-prompt.ts";
import { changePreferences, usePreferences } from "../../stores/preferences.ts";
import { showRecording } from "../../stores/recording.ts";
import { captionsPath } from "../../stores/route.ts";
import { beginStoredRecording } from "../../stores/stored-recording.ts";
import { createCaptions } from "./captions.ts";

const wanted = (): CaptionPreferences => usePreferences.getState().captions;

/** Whether the model of transcriptions can translate into English. */
export const useCanTranslate = (): boolean => {
  const model = usePreferences(({ transcribe }) => transcribe.model);
  return !modelLimits(
    useModels(({ models }) => models),
    model,
  ).cannotTranslate;
};

export const { store, start, stop, applyRecording } = createCaptions({
  open: (events) => openAudioInput(wanted().source, events),
  openLiveTurns(events) {
    const { transcribe } = usePreferences.getState();
    const { model, language } = transcribe;
    return openLiveTurns({ model, language, prompt: promptFor(transcribe) }, events);
  },
  shouldTranslate() {
    const { models } = useModels.getState();
    const { captions, transcribe } = usePreferences.getState();
    return captions.translates && !modelLimits(models, transcribe.model).cannotTranslate;
  },
  async translate(blocks, language) {
    const { model } = usePreferences.getState().transcribe;
    const options = { model, language, translate: true };
    return (await transcribeAudio(encodeWav(blocks), "captions.wav", options)).text;
  },
  shouldRecord: () => wanted().isRecorded,
  beginRecording: ({ onChange }) =>
    beginStoredRecording(
      t("captions.recording", { when: formatDateTime(Date.now()) }),
      usePreferences.getState().transcribe,
      // The captions are transcribed already.
      { onChange, onItem: () => {}, isLive: false },
    ),
  texts: {
    inputFailed(error) {
      const isSystem = wanted().source.kind === "system";
      const problem = isSystem ? sharingProblem(error) : microphoneProblem(error);
      return t(`transcribe.record.trouble.${problem}`);
    },
    inputLost: () => t("captions.lost"),
    inputMissing: (from, { label }) =>
      t("transcribe.input.missing", { from, name: label || t("transcribe.source.default") }),
    connectionLost: (why) => t("captions.broke", { why: why ?? "" }).trim(),
    translationFailed: (error) => t("captions.untranslated", { why: messageOf(error) }),
    recordingFailed: (error) => t("captions.unrecorded", { why: messageOf(error) }),
  },
});

// Only what is recorded must not be lost; the desktop's tray shows it, too.
store.subscribe(({ phase, recordedSec }) =>
  showRecording(
    "captions",
    recordedSec === undefined
      ? undefined
      : {
          phase: phase === "ending" ? "ending" : "recording",
          sec: Math.floor(recordedSec),
          path: captionsPath,
          stop,
        },
  ),
);

export function changeCaptions(change: Partial<CaptionPreferences>): void {
  void changePreferences({ captions: { ...wanted(), ...change } });
  if (change.isRecorded !== undefined) void applyRecording();
  if (change.source !== undefined) void stop().then(start);
}

/**
 * Starts at once where that is possible: browsers share the system's audio only after a click.
 */
export async function open(): Promise<void> {
  if (!useModels.getState().isLoaded) void loadModels();
  if (wanted().source.kind === "microphone") await start();
}

// Samples of voices: each says the person's own sentence, or one of its own where it would not speak that itself.

import { useState } from "react";
import type { NarrateOptions } from "../../../../main/contract/narration.ts";
import { voiceHeader } from "../../../../main/contract/openai.ts";
import { voiceSampleUrl } from "../../../api/binary.ts";
import { requestSpeech } from "../../../api/speech.ts";
import { t } from "../../../messages/messages.ts";
import { useModels } from "../../../stores/models.ts";
import { useTask } from "../../../stores/task.ts";
import type { VoiceChoice } from "../../../stores/voices.ts";
import { playClip, stopClip, useClip } from "../playing/clip.ts";
import { useNarration, useScript } from "../use-narration.ts";
import { isLocalModel, modelForVoice } from "../voices.ts";

const maxCharacters = 300;
const clipNameOf = ({ id }: VoiceChoice): string => `voice ${id}`;

/** In English, `tts-1-hd` of some narrations is what `tts-1` is. */
function sampleModel({ model, englishFamily = "hibari" }: NarrateOptions, voice: VoiceChoice) {
  const isSmall =
    model === "tts-1-hd" && englishFamily === "hibari" && voice.language === undefined;
  return isSmall ? "tts-1" : modelForVoice(model, voice);
}

export type VoiceSample = ReturnType<typeof useVoiceSample>;

/** For a list of voices, of which one at a time is heard. */
export function useVoiceSample() {
  const { open } = useNarration();
  const options = useScript((state) => state.options);
  const isLocal = isLocalModel(
    useModels(({ models }) => models),
    options.model,
  );
  const clip = useClip();
  const { isBusy, error, run, cancel } = useTask();
  const [requested, setRequested] = useState<VoiceChoice>();
  const [isForeign, setForeign] = useState(false);

  /** The selected sentence, else the first one. */
  function sentenceText(): string | undefined {
    const { sentences } = open.store.getState();
    const { selectedSentenceId } = open.view.getState();
    const { text } = sentences.find(({ id }) => id === selectedSentenceId) ?? sentences[0] ?? {};
    return text?.slice(0, maxCharacters);
  }

  async function prepare(voice: VoiceChoice, signal: AbortSignal): Promise<string> {
    const own = sentenceText();
    const model = sampleModel(options, voice);
    const isListed = isLocal && !voice.id.includes("+");
    const storedUrl = isListed ? voiceSampleUrl(voice.id, model) : undefined;
    if (own === undefined && storedUrl !== undefined) return storedUrl;
    const response = await requestSpeech(
      own ?? t("narrate.voice.sample-text"),
      { model, voice: voice.id },
      signal,
    );
    const isTakenOver = voice.language !== undefined && response.headers.has(voiceHeader);
    setForeign(isTakenOver);
    if (!isTakenOver || storedUrl === undefined) return URL.createObjectURL(await response.blob());
    await response.body?.cancel();
    return storedUrl;
  }

  function toggle(voice: VoiceChoice): void {
    cancel();
    stopClip();
    if (clip.name === clipNameOf(voice)) return;
    setRequested(voice);
    setForeign(false);
    void run(async (signal) => playClip(await prepare(voice, signal), clipNameOf(voice)));
  }

  const isRequested = ({ id }: VoiceChoice): boolean => requested?.id === id;
  const failure =
    error ??
    (requested !== undefined && clip.error === clipNameOf(requested)
      ? t("narrate.voice.failed")
      : undefined);
  return {
    toggle,
    isPlaying: (voice: VoiceChoice): boolean => clip.name === clipNameOf(voice),
    isBusy: (voice: VoiceChoice): boolean => isBusy && isRequested(voice),
    failure,
    /** The voice that does not speak the language of the sentence. */
    foreign: isForeign ? requested : undefined,
  };
}

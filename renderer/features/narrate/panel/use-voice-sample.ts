// Samples of voices: each says the person's own sentence, or one of its own where it would not speak that itself.

import { useEffect, useRef, useState } from "react";
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
const hoverDelayMs = 600;
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
  const hovered = useRef<{ timer?: ReturnType<typeof setTimeout>; voice?: VoiceChoice }>({});
  useEffect(() => () => clearTimeout(hovered.current.timer), []);

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

  function stop(): void {
    clearTimeout(hovered.current.timer);
    hovered.current = {};
    cancel();
    stopClip();
  }

  function start(voice: VoiceChoice): void {
    setRequested(voice);
    setForeign(false);
    void run(async (signal) => playClip(await prepare(voice, signal), clipNameOf(voice)));
  }

  function toggle(voice: VoiceChoice): void {
    stop();
    if (clip.name !== clipNameOf(voice)) start(voice);
  }

  /**
   * For a pointer that rests on a voice of this machine: those of others may cost something. Browsers play no sound
   * before the first click.
   */
  function startSoon(voice: VoiceChoice): void {
    if (!isLocal || clip.name !== undefined || isBusy || !navigator.userActivation.hasBeenActive)
      return;
    hovered.current.timer = setTimeout(() => {
      hovered.current = { voice };
      start(voice);
    }, hoverDelayMs);
  }

  function stopStarted(): void {
    clearTimeout(hovered.current.timer);
    if (hovered.current.voice !== undefined) stop();
  }

  const isRequested = ({ id }: VoiceChoice): boolean => requested?.id === id;
  const failure =
    error ??
    (requested !== undefined && clip.error === clipNameOf(requested)
      ? t("narrate.voice.failed")
      : undefined);
  return {
    toggle,
    startSoon,
    /** Ends what `startSoon` started or would start. */
    stopStarted,
    isPlaying: (voice: VoiceChoice): boolean => clip.name === clipNameOf(voice),
    isBusy: (voice: VoiceChoice): boolean => isBusy && isRequested(voice),
    failure,
    /** The voice that does not speak the language of the sentence. */
    foreign: isForeign ? requested : undefined,
  };
}

// Chooses a voice for the narration, with a model that has it, and remembers it as recently used.

import { changePreferences, usePreferences } from "../../../stores/preferences.ts";
import type { VoiceChoice } from "../../../stores/voices.ts";
import { useNarration } from "../use-narration.ts";
import { modelForVoice, withRecent } from "../voices.ts";

export function useChooseVoice(): (voice: VoiceChoice) => void {
  const { open } = useNarration();
  return (voice) => {
    const { options } = open.store.getState();
    open.store.setOptions({
      ...options,
      voice: voice.id,
      model: modelForVoice(options.model, voice),
    });
    const { voices } = usePreferences.getState();
    void changePreferences({ voices: { ...voices, recent: withRecent(voices.recent, voice.id) } });
  };
}

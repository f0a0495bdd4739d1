// The narration's voice, above the list in which it may be out of sight.

import { t } from "../../../messages/messages.ts";
import { useModels } from "../../../stores/models.ts";
import { namesOfLanguages, unlistedVoice } from "../../../stores/voices.ts";
import { useScript } from "../use-narration.ts";
import { isLocalModel, voiceChoices, voiceHue, voiceInitial } from "../voices.ts";

export function ChosenVoice() {
  const models = useModels((state) => state.models);
  const { model, voice: id } = useScript((state) => state.options);
  const voices = voiceChoices(models, model);
  const voice = voices.find((each) => each.id === id) ?? unlistedVoice(id, voices);
  const about = [voice.about, isLocalModel(models, model) ? namesOfLanguages(voices)(voice) : ""];
  return (
    <div className="voice-chosen" role="group" aria-label={t("narrate.voice.chosen")}>
      <span className="narrate-initial" data-hue={voiceHue(id)} aria-hidden>
        {voiceInitial(id)}
      </span>
      <span className="voice-words">
        <span className="voice-name">{voice.name}</span>{" "}
        <span className="voice-about">{about.filter((part) => part !== "").join(" · ")}</span>
      </span>
    </div>
  );
}

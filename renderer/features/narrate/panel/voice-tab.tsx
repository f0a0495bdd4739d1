// Voice, model, speed, pauses and loudness.

import { useEffect, useState } from "react";
import { t } from "../../../messages/messages.ts";
import { modelGroups, modelName } from "../../../stores/model-names.ts";
import { loadModels, useModels } from "../../../stores/models.ts";
import { GroupedSelect } from "../../../ui/grouped-select.tsx";
import { SpeedSlider } from "../../../ui/speed-slider.tsx";
import { useNarration, useScript } from "../use-narration.ts";
import { isLocalModel, voiceForModel } from "../voices.ts";
import { ChosenVoice } from "./chosen-voice.tsx";
import { CustomVoiceField } from "./custom-voice-field.tsx";
import { DeliverySettings } from "./delivery-settings.tsx";
import { VoiceBlend } from "./voice-blend.tsx";
import { VoicePicker } from "./voice-picker.tsx";

export function VoiceTab() {
  const { open } = useNarration();
  const options = useScript((state) => state.options);
  const known = useModels();
  const { models, isLoaded, error } = known;
  const [speed, setSpeed] = useState<number>();
  useEffect(() => void (isLoaded || loadModels()), [isLoaded]);
  const setModel = (model: string): void =>
    open.store.setOptions({
      ...options,
      model,
      voice: voiceForModel(models, model, options.voice),
    });
  return (
    <>
      <ChosenVoice />
      {isLoaded && <VoicePicker />}
      {isLocalModel(models, options.model) ? <VoiceBlend /> : <CustomVoiceField />}
      <GroupedSelect
        label={t("narrate.model")}
        error={error}
        groups={modelGroups(known, "text-to-speech")}
        value={options.model}
        unlistedName={modelName(options.model, known)}
        onChange={setModel}
      />
      <SpeedSlider
        label={t("narrate.speed")}
        value={speed ?? options.speed}
        onChange={setSpeed}
        onCommit={(value) => {
          setSpeed(undefined);
          open.store.setOptions({ ...options, speed: value });
        }}
      />
      <details className="voice-blend">
        <summary>{t("narrate.delivery")}</summary>
        <div className="voice-blend-form">
          <DeliverySettings
            value={options}
            speed={options.speed}
            onChange={(change) => open.store.setOptions({ ...options, ...change })}
          />
        </div>
      </details>
    </>
  );
}

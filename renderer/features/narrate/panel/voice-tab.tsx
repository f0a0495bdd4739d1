// Voice, model, speed, pauses and loudness.

import { useEffect, useState } from "react";
import { t } from "../../../messages/messages.ts";
import { loadModels, modelsOfKind, useModels } from "../../../stores/models.ts";
import { Select } from "../../../ui/field.tsx";
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
  const { models, isLoaded, error } = useModels();
  const [speed, setSpeed] = useState<number>();
  useEffect(() => void (isLoaded || loadModels()), [isLoaded]);
  const byChannel = Map.groupBy(modelsOfKind(models, "text-to-speech"), ({ channel }) => channel);
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
      <Select
        label={t("narrate.model")}
        error={error}
        value={options.model}
        onChange={(event) => setModel(event.currentTarget.value)}
      >
        {!models.some(({ id }) => id === options.model) && (
          <option value={options.model}>{options.model}</option>
        )}
        {[...byChannel].map(([channel, channelModels]) => (
          <optgroup
            key={channel}
            label={channel === "local" ? t("narrate.channel.local") : channel}
          >
            {channelModels.map(({ id }) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </optgroup>
        ))}
      </Select>
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

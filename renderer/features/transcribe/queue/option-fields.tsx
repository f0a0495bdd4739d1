// Fields for the model and the language of a transcription.

import { useEffect } from "react";
import { t } from "../../../messages/messages.ts";
import { modelLimits } from "../../../stores/model-limits.ts";
import { loadModels, modelsOfKind, useModels } from "../../../stores/models.ts";
import { Select } from "../../../ui/field.tsx";
import { LanguageSelect } from "../../../ui/language-select.tsx";

type ModelSelectProps = {
  value: string;
  onChange: (model: string) => void;
  isLabelHidden?: boolean;
};

/** Models of all enabled channels; includes the selected one even if it is not available any more. */
export function ModelSelect({ value, onChange, isLabelHidden }: ModelSelectProps) {
  const { models, isLoaded, error } = useModels();
  useEffect(() => {
    if (!isLoaded) void loadModels();
  }, [isLoaded]);
  const byChannel = Map.groupBy(modelsOfKind(models, "speech-to-text"), (model) => model.channel);
  const isKnown = models.some((model) => model.id === value);
  return (
    <Select
      label={t("transcribe.option.model")}
      isLabelHidden={isLabelHidden}
      error={error}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {!isKnown && <option value={value}>{value}</option>}
      {[...byChannel].map(([channel, channelModels]) => (
        <optgroup
          key={channel}
          label={channel === "local" ? t("transcribe.channel.local") : channel}
        >
          {channelModels.map((model) => (
            <option key={model.id} value={model.id}>
              {model.id}
            </option>
          ))}
        </optgroup>
      ))}
    </Select>
  );
}

type SpokenLanguageSelectProps = {
  value: string | undefined;
  model: string;
  onChange: (language: string | undefined) => void;
  isLabelHidden?: boolean;
};

export function SpokenLanguageSelect({ model, ...rest }: SpokenLanguageSelectProps) {
  const { knowsLanguage } = modelLimits(
    useModels((state) => state.models),
    model,
  );
  return (
    <LanguageSelect
      label={t("transcribe.option.language")}
      anyText={t("transcribe.option.language.any")}
      unknownText={t("transcribe.option.language.unable", { model })}
      knowsLanguage={knowsLanguage}
      {...rest}
    />
  );
}

// Fields for the model and the language of a transcription.

import { useEffect } from "react";
import { languageNames } from "../../../../main/contract/languages.ts";
import { t } from "../../../messages/messages.ts";
import { modelLimits } from "../../../stores/model-limits.ts";
import { loadModels, modelsOfKind, useModels } from "../../../stores/models.ts";
import { Select } from "../../../ui/field.tsx";
import { languageName } from "../../../ui/language-name.ts";

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

type LanguageSelectProps = {
  value: string | undefined;
  /** Languages that it does not know cannot be chosen. */
  model: string;
  onChange: (language: string | undefined) => void;
  isLabelHidden?: boolean;
};

export function LanguageSelect({ value, model, onChange, isLabelHidden }: LanguageSelectProps) {
  const { knowsLanguage } = modelLimits(
    useModels((state) => state.models),
    model,
  );
  const languages = [...languageNames.keys()]
    .map((code) => ({ code, name: languageName(code) }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  return (
    <Select
      label={t("transcribe.option.language")}
      isLabelHidden={isLabelHidden}
      error={
        value === undefined || knowsLanguage(value)
          ? undefined
          : t("transcribe.option.language.unable", { model })
      }
      value={value ?? ""}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    >
      <option value="">{t("transcribe.option.language.any")}</option>
      {languages.map(({ code, name }) => (
        <option key={code} value={code} disabled={!knowsLanguage(code)}>
          {name}
        </option>
      ))}
    </Select>
  );
}

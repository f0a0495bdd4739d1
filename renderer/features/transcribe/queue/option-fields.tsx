// Fields for the model and the language of a transcription.

import { useEffect } from "react";
import { t } from "../../../messages/messages.ts";
import { modelLimits } from "../../../stores/model-limits.ts";
import { briefModelName, modelGroups, modelName } from "../../../stores/model-names.ts";
import { loadModels, useModels } from "../../../stores/models.ts";
import { GroupedSelect } from "../../../ui/grouped-select.tsx";
import { LanguageSelect } from "../../../ui/language-select.tsx";

type ModelSelectProps = {
  value: string;
  onChange: (model: string) => void;
  isLabelHidden?: boolean;
};

/** Models of all enabled channels; includes the selected one even if it is not available any more. */
export function ModelSelect({ value, onChange, isLabelHidden }: ModelSelectProps) {
  const known = useModels();
  const { isLoaded, error } = known;
  useEffect(() => {
    if (!isLoaded) void loadModels();
  }, [isLoaded]);
  return (
    <GroupedSelect
      label={t("transcribe.option.model")}
      isLabelHidden={isLabelHidden}
      error={error}
      groups={modelGroups(known, "speech-to-text")}
      value={value}
      unlistedName={modelName(value, known)}
      onChange={onChange}
    />
  );
}

type SpokenLanguageSelectProps = {
  value: string | undefined;
  model: string;
  onChange: (language: string | undefined) => void;
  isLabelHidden?: boolean;
};

export function SpokenLanguageSelect({ model, ...rest }: SpokenLanguageSelectProps) {
  const known = useModels();
  const { knowsLanguage } = modelLimits(known.models, model);
  return (
    <LanguageSelect
      label={t("transcribe.option.language")}
      anyText={t("transcribe.option.language.any")}
      unknownText={t("transcribe.option.language.unable", { model: briefModelName(model, known) })}
      knowsLanguage={knowsLanguage}
      {...rest}
    />
  );
}

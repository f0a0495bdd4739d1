// Defaults for new transcripts and narrations. Each page may override them.

import { useEffect } from "react";
import type { ListedModel } from "../../../main/contract/window-api.ts";
import { t } from "../../messages/messages.ts";
import { modelLimits } from "../../stores/model-limits.ts";
import { loadModels, modelsOfKind, useModels } from "../../stores/models.ts";
import { changePreferences, usePreferences } from "../../stores/preferences.ts";
import { groupByLanguage, machineVoices, storedBlends } from "../../stores/voices.ts";
import { Select } from "../../ui/field.tsx";
import { LanguageSelect } from "../../ui/language-select.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { SpeedSlider } from "../../ui/speed-slider.tsx";
import { VoiceSelect } from "../../ui/voice-select.tsx";

export function DefaultsSection() {
  const { models, isLoaded, error } = useModels();
  useEffect(() => void (isLoaded || loadModels()), [isLoaded]);
  return (
    <Section title={t("settings.defaults")} about={t("settings.defaults.about")}>
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
      <div className="settings-columns">
        <h3>{t("shell.page.transcribe")}</h3>
        <TranscriptionFields models={models} />
        <h3>{t("shell.page.narrate")}</h3>
        <SpeechFields models={models} />
      </div>
    </Section>
  );
}

function TranscriptionFields({ models }: { models: readonly ListedModel[] }) {
  const transcribe = usePreferences((preferences) => preferences.transcribe);
  const { knowsLanguage } = modelLimits(models, transcribe.model);
  const chooseLanguage = (language: string | undefined) => {
    const { language: _, ...rest } = transcribe;
    void changePreferences({ transcribe: language === undefined ? rest : { ...rest, language } });
  };
  return (
    <>
      <Select
        label={t("settings.model")}
        value={transcribe.model}
        onChange={({ currentTarget: { value } }) =>
          void changePreferences({ transcribe: { ...transcribe, model: value } })
        }
      >
        <OptionList
          ids={modelsOfKind(models, "speech-to-text").map(({ id }) => id)}
          chosen={transcribe.model}
        />
      </Select>
      <LanguageSelect
        label={t("settings.spoken")}
        anyText={t("settings.spoken.detect")}
        unknownText={t("transcribe.option.language.unable", { model: transcribe.model })}
        value={transcribe.language}
        knowsLanguage={knowsLanguage}
        onChange={chooseLanguage}
      />
    </>
  );
}

function SpeechFields({ models }: { models: readonly ListedModel[] }) {
  const narrate = usePreferences((preferences) => preferences.narrate);
  const stored = usePreferences((preferences) => preferences.voices);
  const voices = machineVoices(models);
  return (
    <>
      <Select
        label={t("settings.model")}
        value={narrate.model}
        onChange={({ currentTarget: { value } }) =>
          void changePreferences({ narrate: { ...narrate, model: value } })
        }
      >
        <OptionList
          ids={modelsOfKind(models, "text-to-speech").map(({ id }) => id)}
          chosen={narrate.model}
        />
      </Select>
      <VoiceSelect
        label={t("settings.voice")}
        groups={groupByLanguage([...voices, ...storedBlends(stored, voices)])}
        value={narrate.voice}
        onChange={(voice) => void changePreferences({ narrate: { ...narrate, voice } })}
      />
      <SpeedSlider
        label={t("settings.speed")}
        value={narrate.speed}
        onChange={(speed) => usePreferences.setState({ narrate: { ...narrate, speed } })}
        onCommit={(speed) => void changePreferences({ narrate: { ...narrate, speed } })}
      />
    </>
  );
}

/** Includes the selected one even if no channel offers it any more. */
const OptionList = ({ ids, chosen }: { ids: readonly string[]; chosen: string }) =>
  (ids.includes(chosen) ? ids : [chosen, ...ids]).map((id) => (
    <option key={id} value={id}>
      {id}
    </option>
  ));

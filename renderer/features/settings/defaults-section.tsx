// Defaults for new transcripts and narrations. Each page may override them.

import { useEffect } from "react";
import { t } from "../../messages/messages.ts";
import { modelLimits } from "../../stores/model-limits.ts";
import { briefModelName, modelGroups, modelName } from "../../stores/model-names.ts";
import { loadModels, useModels } from "../../stores/models.ts";
import { changePreferences, usePreferences } from "../../stores/preferences.ts";
import { groupByLanguage, machineVoices, storedBlends } from "../../stores/voices.ts";
import { GroupedSelect } from "../../ui/grouped-select.tsx";
import { LanguageSelect } from "../../ui/language-select.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { SpeedSlider } from "../../ui/speed-slider.tsx";
import { VoiceSelect } from "../../ui/voice-select.tsx";

export function DefaultsSection() {
  const { isLoaded, error } = useModels();
  useEffect(() => void (isLoaded || loadModels()), [isLoaded]);
  return (
    <Section title={t("settings.defaults")} about={t("settings.defaults.about")}>
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
      <div className="settings-columns">
        <h3>{t("frame.page.transcribe")}</h3>
        <TranscriptionFields />
        <h3>{t("frame.page.narrate")}</h3>
        <SpeechFields />
      </div>
    </Section>
  );
}

function TranscriptionFields() {
  const known = useModels();
  const transcribe = usePreferences((preferences) => preferences.transcribe);
  const { knowsLanguage } = modelLimits(known.models, transcribe.model);
  const chooseLanguage = (language: string | undefined) => {
    const { language: _, ...rest } = transcribe;
    void changePreferences({ transcribe: language === undefined ? rest : { ...rest, language } });
  };
  return (
    <>
      <GroupedSelect
        label={t("settings.model")}
        groups={modelGroups(known, "speech-to-text")}
        value={transcribe.model}
        unlistedName={modelName(transcribe.model, known)}
        onChange={(model) => void changePreferences({ transcribe: { ...transcribe, model } })}
      />
      <LanguageSelect
        label={t("settings.spoken")}
        anyText={t("settings.spoken.detect")}
        unknownText={t("transcribe.option.language.unable", {
          model: briefModelName(transcribe.model, known),
        })}
        value={transcribe.language}
        knowsLanguage={knowsLanguage}
        onChange={chooseLanguage}
      />
    </>
  );
}

function SpeechFields() {
  const known = useModels();
  const narrate = usePreferences((preferences) => preferences.narrate);
  const stored = usePreferences((preferences) => preferences.voices);
  const voices = machineVoices(known.models);
  return (
    <>
      <GroupedSelect
        label={t("settings.model")}
        groups={modelGroups(known, "text-to-speech")}
        value={narrate.model}
        unlistedName={modelName(narrate.model, known)}
        onChange={(model) => void changePreferences({ narrate: { ...narrate, model } })}
      />
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

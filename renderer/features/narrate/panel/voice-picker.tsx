// The list of voices: favourites, recently used, then by language; filtered by language, gender and register. Arrow
// keys move in it, Enter chooses, Arrow Right leads to the star and the sample.

import "./voice-picker.css";
import { useId, useLayoutEffect, useRef, useState } from "react";
import { t } from "../../../messages/messages.ts";
import { useModels } from "../../../stores/models.ts";
import { changePreferences, usePreferences } from "../../../stores/preferences.ts";
import { groupByLanguage, type VoiceChoice, type VoiceGroup } from "../../../stores/voices.ts";
import { Select } from "../../../ui/field.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { RowTabIndex, useRows } from "../../../ui/rows.ts";
import { useScript } from "../use-narration.ts";
import { noFilter, pickerGroups, voiceChoices, type VoiceFilter, withToggled } from "../voices.ts";
import { useChooseVoice } from "./use-choose-voice.ts";
import { useVoiceSample, type VoiceSample } from "./use-voice-sample.ts";
import { VoiceRow } from "./voice-row.tsx";

const registers = ["low", "medium", "high"] as const;

export function VoicePicker() {
  const models = useModels((state) => state.models);
  const model = useScript((state) => state.options.model);
  const { favourites, recent: recentNow } = usePreferences((preferences) => preferences.voices);
  // Rows must not move under the pointer that chooses one.
  const [recent] = useState(recentNow);
  const [filter, setFilter] = useState(noFilter);
  const sample = useVoiceSample();
  const voices = voiceChoices(models, model);
  const languages = groupByLanguage(voices).map(({ label }) => label);
  // The list of another model may not have the language.
  const language = languages.includes(filter.language) ? filter.language : "";
  const shown = { ...filter, language };
  return (
    <div className="voice-picker" role="group" aria-label={t("narrate.voice")}>
      <div className="voice-filters">
        <Select
          label={t("narrate.voice.language")}
          isLabelHidden
          value={language}
          onChange={({ currentTarget: { value } }) => setFilter({ ...shown, language: value })}
        >
          <option value="">{t("narrate.voice.language.all")}</option>
          {languages.map((label) => (
            <option key={label}>{label}</option>
          ))}
        </Select>
        <Select
          label={t("narrate.voice.gender")}
          isLabelHidden
          value={filter.gender}
          onChange={({ currentTarget: { value } }) =>
            setFilter({ ...shown, gender: value as VoiceFilter["gender"] })
          }
        >
          <option value="">{t("narrate.voice.gender.all")}</option>
          <option value="female">{t("narrate.voice.gender.women")}</option>
          <option value="male">{t("narrate.voice.gender.men")}</option>
        </Select>
        <Select
          label={t("narrate.voice.register")}
          isLabelHidden
          value={filter.register}
          onChange={({ currentTarget: { value } }) =>
            setFilter({ ...shown, register: value as VoiceFilter["register"] })
          }
        >
          <option value="">{t("narrate.voice.register.all")}</option>
          {registers.map((register) => (
            <option key={register} value={register}>
              {t(`narrate.voice.register.${register}`)}
            </option>
          ))}
        </Select>
      </div>
      <VoiceRows groups={pickerGroups(voices, { favourites, recent }, shown)} sample={sample} />
      <SampleStatus sample={sample} />
    </div>
  );
}

function SampleStatus({ sample: { failure, foreign } }: { sample: VoiceSample }) {
  return (
    <div role="status">
      {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
      {foreign !== undefined && (
        <p className="field-help">{t("narrate.voice.foreign", { voice: foreign.name })}</p>
      )}
    </div>
  );
}

function toggleFavourite({ id }: VoiceChoice): void {
  const { voices } = usePreferences.getState();
  void changePreferences({ voices: { ...voices, favourites: withToggled(voices.favourites, id) } });
}

function VoiceRows({ groups, sample }: { groups: readonly VoiceGroup[]; sample: VoiceSample }) {
  const id = useId();
  const chosen = useScript((state) => state.options.voice);
  const { favourites } = usePreferences((preferences) => preferences.voices);
  const choose = useChooseVoice();
  const flat = groups.flatMap(({ label, voices }) => voices.map((voice) => ({ label, voice })));
  const rows = useRows({
    count: flat.length,
    keyOf: (index) => `${flat[index]?.label} ${flat[index]?.voice.id}`,
  });
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const row = list.current?.querySelector<HTMLElement>("[aria-pressed=true]")?.parentElement;
    if (list.current && row && list.current.scrollHeight > list.current.clientHeight)
      list.current.scrollTop = row.offsetTop - list.current.clientHeight / 2;
  }, []);
  let index = -1;
  return (
    <div
      className="voice-list"
      {...rows.list}
      ref={(element) => {
        rows.list.ref(element);
        list.current = element;
      }}
    >
      {groups.map(({ label, voices }, group) => (
        <div key={label} role="group" aria-labelledby={`${id}-${group}`}>
          <p className="voice-group" id={`${id}-${group}`}>
            {label}
          </p>
          {voices.map((voice) => {
            index += 1;
            return (
              <RowTabIndex key={voice.id} value={rows.tabIndexOf(index)}>
                <div className="voice-row" data-row={index}>
                  <VoiceRow
                    voice={voice}
                    isChosen={voice.id === chosen}
                    isFavourite={favourites.includes(voice.id)}
                    sample={sample}
                    onChoose={() => choose(voice)}
                    onToggleFavourite={() => toggleFavourite(voice)}
                  />
                </div>
              </RowTabIndex>
            );
          })}
        </div>
      ))}
      {flat.length === 0 && <p className="secondary voice-none">{t("narrate.voice.none")}</p>}
    </div>
  );
}

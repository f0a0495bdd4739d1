// Mixes two voices into one, by a slider, and names it if the person likes; its id says how.

import { Blend, CircleStop, Volume2 } from "lucide-react";
import { useState } from "react";
import { t } from "../../../messages/messages.ts";
import { useModels } from "../../../stores/models.ts";
import {
  blendableVoices,
  groupByLanguage,
  unlistedVoice,
  type VoiceGroup,
} from "../../../stores/voices.ts";
import { changePreferences, usePreferences } from "../../../stores/preferences.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { Slider } from "../../../ui/slider.tsx";
import { VoiceSelect } from "../../../ui/voice-select.tsx";
import { useScript } from "../use-narration.ts";
import { blendName, withName } from "../voices.ts";
import { useChooseVoice } from "./use-choose-voice.ts";
import { useVoiceSample } from "./use-voice-sample.ts";

export function VoiceBlend() {
  const voices = blendableVoices(useModels(({ models }) => models));
  const chosen = useScript((state) => state.options.voice);
  const first = voices.find(({ id }) => id === chosen) ?? voices[0];
  const second = voices.find(
    ({ id, language }) => id !== first?.id && language === first?.language,
  );
  if (first === undefined || second === undefined) return null;
  return (
    <details className="voice-blend">
      <summary>{t("narrate.blend")}</summary>
      <BlendForm groups={groupByLanguage(voices)} initial={[first.id, second.id]} />
    </details>
  );
}

function BlendForm({
  groups,
  initial,
}: {
  groups: readonly VoiceGroup[];
  initial: readonly [string, string];
}) {
  const [[first, second], setPair] = useState(initial);
  const [percent, setPercent] = useState(50);
  const choose = useChooseVoice();
  const sample = useVoiceSample();
  const [draft, setDraft] = useState<string>();
  const names = usePreferences(({ voices }) => voices.names);
  const formula = blendName(first, second, percent);
  const blend = unlistedVoice(
    formula,
    groups.flatMap(({ voices }) => voices),
  );
  const isPlaying = sample.isPlaying(blend);
  const disabledReason = first === second ? t("narrate.blend.same") : undefined;
  return (
    <div className="voice-blend-form">
      <VoiceSelect
        label={t("narrate.blend.first")}
        groups={groups}
        value={first}
        onChange={(id) => setPair([id, second])}
      />
      <VoiceSelect
        label={t("narrate.blend.second")}
        groups={groups}
        value={second}
        onChange={(id) => setPair([first, id])}
      />
      <Slider
        label={t("narrate.blend.share")}
        value={percent}
        min={5}
        max={95}
        step={5}
        defaultValue={50}
        unit="%"
        onChange={setPercent}
      />
      <output className="voice-blend-name">{formula}</output>
      <TextField
        label={t("narrate.blend.name")}
        maxLength={60}
        value={draft ?? names[formula] ?? ""}
        onChange={({ currentTarget: { value } }) => setDraft(value)}
      />
      <div className="voice-blend-actions">
        <Button
          icon={<Blend aria-hidden />}
          disabledReason={disabledReason}
          onClick={() => {
            const { voices } = usePreferences.getState();
            if (draft !== undefined)
              void changePreferences({
                voices: { ...voices, names: withName(voices.names, formula, draft) },
              });
            choose(blend);
          }}
        >
          {t("narrate.blend.use")}
        </Button>
        <IconButton
          label={t(isPlaying ? "narrate.blend.stop" : "narrate.blend.play")}
          isBusy={sample.isBusy(blend)}
          disabledReason={disabledReason}
          onClick={() => sample.toggle(blend)}
        >
          {isPlaying ? <CircleStop aria-hidden /> : <Volume2 aria-hidden />}
        </IconButton>
      </div>
      {sample.failure !== undefined && <Notice tone="bad">{sample.failure}</Notice>}
    </div>
  );
}

// Voice, model and speed. A voice can be played before it is selected.

import { CircleStop, Volume2 } from "lucide-react";
import { useEffect, useState } from "react";
import { synthesizeSpeech } from "../../../api/speech.ts";
import { voiceSampleUrl } from "../../../api/binary.ts";
import { formatLanguage } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { loadModels, modelsOfKind, useModels } from "../../../stores/models.ts";
import { useTask } from "../../../stores/task.ts";
import { IconButton } from "../../../ui/button.tsx";
import { Select, TextField } from "../../../ui/field.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { SpeedSlider } from "../../../ui/speed-slider.tsx";
import { playClip, stopClip, useClip } from "../playing/clip.ts";
import { useNarration, useScript } from "../use-narration.ts";
import { voiceHue, voiceInitial, isLocalModel, listedVoices, voiceChoices } from "../voices.ts";

export function VoiceTab() {
  const { open } = useNarration();
  const options = useScript((state) => state.options);
  const { models, isLoaded, error } = useModels();
  const [speed, setSpeed] = useState<number>();
  useEffect(() => void (isLoaded || loadModels()), [isLoaded]);
  const isLocal = isLocalModel(models, options.model);
  const byChannel = Map.groupBy(modelsOfKind(models, "text-to-speech"), ({ channel }) => channel);
  return (
    <>
      <fieldset className="narrate-voices">
        <legend>{t("narrate.voice")}</legend>
        {voiceChoices(isLocal, options.voice).map((voice) => (
          <VoiceRow key={voice} voice={voice} isLocal={isLocal} />
        ))}
      </fieldset>
      {isLocal ? <MoreVoices /> : <CustomVoiceField />}
      <Select
        label={t("narrate.model")}
        error={error}
        value={options.model}
        onChange={(event) =>
          open.store.setOptions({ ...options, model: event.currentTarget.value })
        }
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
    </>
  );
}

function VoiceRow({ voice, isLocal }: { voice: string; isLocal: boolean }) {
  const { open } = useNarration();
  const options = useScript((state) => state.options);
  const clipName = `voice ${voice}`;
  const isPlaying = useClip(({ name }) => name === clipName);
  const hasFailed = useClip((clip) => clip.error === clipName);
  const task = useTask();
  const toggleSample = (): void => {
    if (isPlaying) stopClip();
    else if (isLocal) void playClip(voiceSampleUrl(voice, options.model), clipName);
    else
      void task.run(async (signal) => {
        const objectUrl = URL.createObjectURL(
          await synthesizeSpeech(
            t("narrate.voice.sample-text"),
            { model: options.model, voice },
            signal,
          ),
        );
        await playClip(objectUrl, clipName);
      });
  };
  const failure = task.error ?? (hasFailed ? t("narrate.voice.failed") : undefined);
  return (
    <>
      <div className="narrate-voice">
        <label>
          <input
            type="radio"
            name="narrate-voice"
            checked={options.voice === voice}
            onChange={() => open.store.setOptions({ ...options, voice })}
          />
          <span className="narrate-initial" data-hue={voiceHue(voice)} aria-hidden>
            {voiceInitial(voice)}
          </span>
          {voice}
        </label>
        <IconButton
          label={
            isPlaying ? t("narrate.voice.stop", { voice }) : t("narrate.voice.play", { voice })
          }
          isSmall
          side="left"
          isBusy={task.isBusy}
          onClick={toggleSample}
        >
          {isPlaying ? <CircleStop aria-hidden /> : <Volume2 aria-hidden />}
        </IconButton>
      </div>
      {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
    </>
  );
}

/** The voices of this machine's models, by language. */
function MoreVoices() {
  const { open } = useNarration();
  const options = useScript((state) => state.options);
  const voices = listedVoices(useModels(({ models }) => models));
  if (voices.length === 0) return null;
  const byLanguage = Map.groupBy(voices, ({ language, region }) =>
    region === undefined ? language : `${language}-${region}`,
  );
  return (
    <Select
      label={t("narrate.voice.more")}
      value={voices.some(({ id }) => id === options.voice) ? options.voice : ""}
      onChange={(event) => open.store.setOptions({ ...options, voice: event.currentTarget.value })}
    >
      <option value="" disabled>
        {t("narrate.voice.choose")}
      </option>
      {[...byLanguage].map(([language, ofLanguage]) => (
        <optgroup key={language} label={formatLanguage(language)}>
          {ofLanguage.map(({ id, name, character }) => (
            <option key={id} value={id}>
              {`${name} · ${character}`}
            </option>
          ))}
        </optgroup>
      ))}
    </Select>
  );
}

/** Providers have voices with names of their own. */
function CustomVoiceField() {
  const { open } = useNarration();
  const options = useScript((state) => state.options);
  const [draft, setDraft] = useState("");
  const commit = (): void => {
    if (draft.trim() !== "") open.store.setOptions({ ...options, voice: draft.trim() });
    setDraft("");
  };
  return (
    <TextField
      label={t("narrate.voice.other")}
      maxLength={100}
      value={draft}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === "Enter" && commit()}
    />
  );
}

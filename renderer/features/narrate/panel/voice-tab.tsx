// Voice, model, speed. A voice can be heard before it is chosen, by one press.

import { CircleStop, Volume2 } from "lucide-react";
import { useEffect, useState } from "react";
import { say } from "../../../api/speech.ts";
import { voiceSampleUrl } from "../../../api/raw.ts";
import { t } from "../../../messages/messages.ts";
import { loadModels, modelsFor, useModels } from "../../../stores/models.ts";
import { useTask } from "../../../stores/task.ts";
import { IconButton } from "../../../ui/button.tsx";
import { Select, TextField } from "../../../ui/field.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { SpeedSlider } from "../../../ui/speed-slider.tsx";
import { playClip, stopClip, useClip } from "../playing/clip.ts";
import { useNarration, useScript } from "../use-narration.ts";
import { hueOf, initialOf, isLocalModel, voicesOf } from "../voices.ts";

export function VoiceTab() {
  const { open } = useNarration();
  const options = useScript((state) => state.options);
  const { models, isLoaded, error } = useModels();
  const [speed, setSpeed] = useState<number>();
  useEffect(() => void (isLoaded || loadModels()), [isLoaded]);
  const isLocal = isLocalModel(models, options.model);
  const byChannel = Map.groupBy(modelsFor(models, "text-to-speech"), ({ channel }) => channel);
  return (
    <>
      <fieldset className="narrate-voices">
        <legend>{t("narrate.voice")}</legend>
        {voicesOf(isLocal, options.voice).map((voice) => (
          <VoiceRow key={voice} voice={voice} isLocal={isLocal} />
        ))}
      </fieldset>
      {!isLocal && <OtherVoice />}
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
        {[...byChannel].map(([channel, own]) => (
          <optgroup
            key={channel}
            label={channel === "local" ? t("narrate.channel.local") : channel}
          >
            {own.map(({ id }) => (
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
  const isSounding = useClip(({ name }) => name === clipName);
  const hasFailed = useClip((clip) => clip.error === clipName);
  const task = useTask();
  const sample = (): void => {
    if (isSounding) stopClip();
    else if (isLocal) void playClip(voiceSampleUrl(voice), clipName);
    else
      void task.run(async (signal) => {
        const address = URL.createObjectURL(
          await say(t("narrate.voice.sample-text"), { model: options.model, voice }, signal),
        );
        await playClip(address, clipName);
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
          <span className="narrate-initial" data-hue={hueOf(voice)} aria-hidden>
            {initialOf(voice)}
          </span>
          {voice}
        </label>
        <IconButton
          label={
            isSounding ? t("narrate.voice.stop", { voice }) : t("narrate.voice.hear", { voice })
          }
          isSmall
          side="left"
          isBusy={task.isBusy}
          onClick={sample}
        >
          {isSounding ? <CircleStop aria-hidden /> : <Volume2 aria-hidden />}
        </IconButton>
      </div>
      {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
    </>
  );
}

/** Providers have voices of their own names. */
function OtherVoice() {
  const { open } = useNarration();
  const options = useScript((state) => state.options);
  const [typed, setTyped] = useState("");
  const take = (): void => {
    if (typed.trim() !== "") open.store.setOptions({ ...options, voice: typed.trim() });
    setTyped("");
  };
  return (
    <TextField
      label={t("narrate.voice.other")}
      maxLength={100}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={take}
      onKeyDown={(event) => event.key === "Enter" && take()}
    />
  );
}

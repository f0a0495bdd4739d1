// Options for the next files and recordings. Remembered.

import "./options-popover.css";
import { SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import type { TranscribeOptions } from "../../../../main/contract/transcript-document.ts";
import { t } from "../../../messages/messages.ts";
import { modelLimits } from "../../../stores/model-limits.ts";
import { briefModelName } from "../../../stores/model-names.ts";
import { useModels } from "../../../stores/models.ts";
import { changePreferences, usePreferences } from "../../../stores/preferences.ts";
import { Button } from "../../../ui/button.tsx";
import { TextArea } from "../../../ui/field.tsx";
import { languageName } from "../../../ui/language-name.ts";
import { Popover } from "../../../ui/popover.tsx";
import { Slider } from "../../../ui/slider.tsx";
import { Switch } from "../../../ui/switch.tsx";
import { SpokenLanguageSelect, ModelSelect } from "./option-fields.tsx";
import { SpeakerFields } from "./speaker-fields.tsx";

const maxPromptLength = 20_000;
/** For English, it takes a model that ignores the prompt. */
const automaticModel = "whisper-1";

export function OptionsPopover() {
  const options = usePreferences((state) => state.transcribe);
  const known = useModels();
  const limits = modelLimits(known.models, options.model);
  const model = briefModelName(options.model, known);
  const [isOpen, setOpen] = useState(false);
  /** Typed but not saved yet. */
  const [prompt, setPrompt] = useState<string>();
  const [temperature, setTemperature] = useState<number>();
  const summary = summaryOf(options, model);

  /** Removes fields that are undefined. */
  function change(patch: {
    [Field in keyof TranscribeOptions]?: TranscribeOptions[Field] | undefined;
  }): void {
    const transcribe = Object.fromEntries(
      Object.entries({ ...options, ...patch }).filter(([, value]) => value !== undefined),
    ) as TranscribeOptions;
    void changePreferences({ transcribe });
  }

  function savePrompt(): void {
    if (prompt === undefined) return;
    change({ prompt: prompt.trim() === "" ? undefined : prompt });
    setPrompt(undefined);
  }

  return (
    <Popover
      label={t("transcribe.options")}
      isOpen={isOpen}
      onOpenChange={(next) => {
        // A field that is removed gets no blur event, so save here.
        savePrompt();
        setOpen(next);
      }}
      trigger={
        <Button
          kind="quiet"
          className="options-button"
          icon={<SlidersHorizontal aria-hidden />}
          aria-label={t("transcribe.options.named", { summary })}
        >
          <span className="options-summary">{summary}</span>
        </Button>
      }
    >
      <div className="options">
        <ModelSelect value={options.model} onChange={(id) => change({ model: id })} />
        <SpokenLanguageSelect
          value={options.language}
          model={options.model}
          onChange={(language) => change({ language })}
        />
        <Switch
          label={t("transcribe.option.translate")}
          help={
            limits.cannotTranslate ? t("transcribe.option.translate.unable", { model }) : undefined
          }
          isOn={options.translate}
          isFixed={limits.cannotTranslate && !options.translate}
          onChange={(translate) => change({ translate })}
        />
        <SpeakerFields value={options.speakers} onChange={(speakers) => change({ speakers })} />
        <TextArea
          label={t("transcribe.option.prompt")}
          help={
            limits.takesNoPrompt
              ? t("transcribe.option.prompt.unable", { model })
              : promptHelp(options.model)
          }
          readOnly={limits.takesNoPrompt}
          rows={3}
          maxLength={maxPromptLength}
          value={prompt ?? options.prompt ?? ""}
          onChange={(event) => setPrompt(event.currentTarget.value)}
          onBlur={savePrompt}
        />
        <Slider
          label={t("transcribe.option.temperature")}
          min={0}
          max={1}
          step={0.05}
          defaultValue={0}
          value={temperature ?? options.temperature}
          onChange={setTemperature}
          onCommit={(value) => {
            setTemperature(undefined);
            change({ temperature: value });
          }}
        />
      </div>
    </Popover>
  );
}

const summaryOf = ({ language, translate, speakers }: TranscribeOptions, model: string): string =>
  [
    model,
    language === undefined ? t("transcribe.option.language.any") : languageName(language),
    ...(translate ? [t("transcribe.option.to-english")] : []),
    ...(speakers === undefined ? [] : [t("transcribe.option.speakers.brief")]),
  ].join(" · ");

const promptHelp = (model: string): string =>
  [
    t("transcribe.option.prompt.help"),
    ...(model === automaticModel ? [t("transcribe.option.prompt.unused")] : []),
  ].join(" ");

// What captions transcribe, and how they look. Remembered.

import {
  captionColors,
  captionSizes,
  maxCaptionLines,
  preferences,
} from "../../../main/contract/preferences.ts";
import { t } from "../../messages/messages.ts";
import { usePreferences } from "../../stores/preferences.ts";
import { Segmented } from "../../ui/segmented.tsx";
import { SourceSelect } from "../../ui/source-select.tsx";
import { Slider } from "../../ui/slider.tsx";
import { Switch } from "../../ui/switch.tsx";
import { changeCaptions, useCanTranslate } from "./session.ts";

const defaultLines = preferences.parse({}).captions.lines;

export function CaptionOptions({ isListening }: { isListening: boolean }) {
  const captions = usePreferences((state) => state.captions);
  const model = usePreferences(({ transcribe }) => transcribe.model);
  const canTranslate = useCanTranslate();
  return (
    <div className="captions-options">
      <SourceSelect
        label={t("captions.source")}
        value={captions.source}
        onChange={(source) => changeCaptions({ source })}
        isRecording={isListening}
      />
      <div className="field-label">{t("captions.size")}</div>
      <Segmented
        label={t("captions.size")}
        value={captions.textSize}
        choices={captionSizes.map((value) => ({ value, label: t(`captions.size.${value}`) }))}
        onChange={(textSize) => changeCaptions({ textSize })}
      />
      <div className="field-label">{t("captions.color")}</div>
      <Segmented
        label={t("captions.color")}
        value={captions.color}
        choices={captionColors.map((value) => ({ value, label: t(`captions.color.${value}`) }))}
        onChange={(color) => changeCaptions({ color })}
      />
      <Slider
        label={t("captions.lines")}
        min={1}
        max={maxCaptionLines}
        step={1}
        defaultValue={defaultLines}
        value={captions.lines}
        onChange={(lines) => changeCaptions({ lines })}
      />
      <Switch
        label={t("captions.translate")}
        help={
          canTranslate
            ? t("captions.translate.help")
            : t("transcribe.option.translate.unable", { model })
        }
        isOn={captions.translates && canTranslate}
        isFixed={!canTranslate}
        onChange={(translates) => changeCaptions({ translates })}
      />
      <Switch
        label={t("captions.record")}
        help={t("captions.record.help")}
        isOn={captions.isRecorded}
        onChange={(isRecorded) => changeCaptions({ isRecorded })}
      />
    </div>
  );
}

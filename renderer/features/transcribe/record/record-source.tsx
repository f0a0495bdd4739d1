// Source of the next recording. Remembered.

import { t } from "../../../messages/messages.ts";
import { changePreferences, usePreferences } from "../../../stores/preferences.ts";
import { SourceSelect } from "../../../ui/source-select.tsx";
import { useRecorder } from "./recorder.ts";

export function RecordSource({ isInline }: { isInline?: boolean }) {
  return (
    <SourceSelect
      label={t("transcribe.source")}
      value={usePreferences(({ recordFrom }) => recordFrom)}
      onChange={(recordFrom) => void changePreferences({ recordFrom })}
      isRecording={useRecorder(({ phase }) => phase === "recording")}
      {...(isInline && { isInline })}
    />
  );
}

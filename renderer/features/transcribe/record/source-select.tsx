// What the next recording hears: a microphone, or the sound of the system where it is to be had. Remembered.

import { useCallback, useEffect, useState } from "react";
import { desktop, useDesktop } from "../../../bridge/desktop.ts";
import {
  canShareSound,
  listSoundDevices,
  nameDevices,
  onSoundDevices,
} from "../../../bridge/sound-devices.ts";
import { t } from "../../../messages/messages.ts";
import { changePreferences, usePreferences } from "../../../stores/preferences.ts";
import { Select } from "../../../ui/field.tsx";
import { useRecorder } from "./recorder.ts";
import {
  defaultValue,
  deviceValue,
  sharedValue,
  sourceChoices,
  sourceOf,
  valueOf,
} from "./sources.ts";

type Listed = Awaited<ReturnType<typeof listSoundDevices>>;

/** Asks for the microphone first: before, a browser tells no names. */
const nameThem = "name them";
/** Linux lists outputs when it is asked to. */
const listOutputs = "list outputs";

export function SourceSelect({ isInline }: { isInline?: boolean }) {
  const recordFrom = usePreferences((preferences) => preferences.recordFrom);
  const { devices, hasUnnamed, list } = useListed();
  const [trouble, setTrouble] = useState<"refused" | "none">();
  const sharesDesktop = useDesktop(({ state }) => state?.hasSystemSound === true);
  const offersOutputs = useDesktop(({ state }) => state?.system === "linux");
  const inDesktop = desktop() !== undefined;
  const isShareable = (inDesktop ? sharesDesktop : canShareSound()) || recordFrom.kind === "system";
  const { microphones, monitors, gone } = sourceChoices(devices, recordFrom, !hasUnnamed);
  const value = valueOf(recordFrom);
  const choose = async (chosen: string) => {
    if (chosen === listOutputs)
      return (await desktop()?.offerMonitors()) === 0 ? setTrouble("none") : list();
    if (chosen !== nameThem) return changePreferences({ recordFrom: sourceOf(chosen, recordFrom) });
    return nameDevices().then(list, () => setTrouble("refused"));
  };
  return (
    <Select
      label={t("transcribe.source")}
      isInline={isInline}
      isQuiet={isInline === true}
      value={value}
      error={trouble && t(`transcribe.source.${trouble}`)}
      onChange={({ currentTarget }) => void choose(currentTarget.value)}
    >
      <option value={defaultValue}>{t("transcribe.source.default")}</option>
      {hasUnnamed && recordFrom.deviceLabel !== undefined && value !== sharedValue && (
        <option value={value}>{recordFrom.deviceLabel}</option>
      )}
      {gone !== undefined && (
        <option value={deviceValue(gone)}>{t("transcribe.source.gone", { name: gone })}</option>
      )}
      <Devices label={t("transcribe.source.microphones")} labels={microphones} />
      {hasUnnamed && <option value={nameThem}>{t("transcribe.source.name")}</option>}
      <Devices label={t("transcribe.source.system")} labels={monitors} />
      {offersOutputs && monitors.length === 0 && (
        <option value={listOutputs}>{t("transcribe.source.outputs")}</option>
      )}
      {isShareable && (
        <option value={sharedValue}>
          {inDesktop ? t("transcribe.source.system") : t("transcribe.source.shared")}
        </option>
      )}
    </Select>
  );
}

const Devices = ({ label, labels }: { label: string; labels: readonly string[] }) =>
  labels.length > 0 && (
    <optgroup label={label}>
      {labels.map((each) => (
        <option key={each} value={deviceValue(each)}>
          {each}
        </option>
      ))}
    </optgroup>
  );

/** Listed anew when something is plugged in, after a recording, which is what allows names, and when `list` is called. */
function useListed(): Listed & { list: () => void } {
  const [listed, setListed] = useState<Listed>({ devices: [], hasUnnamed: false });
  const phase = useRecorder((state) => state.phase);
  const list = useCallback(() => void listSoundDevices().then(setListed), []);
  useEffect(list, [list, phase]);
  useEffect(() => onSoundDevices(list), [list]);
  return { ...listed, list };
}

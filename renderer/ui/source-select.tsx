// What is recorded: a microphone, or system audio if available.

import { useCallback, useEffect, useState } from "react";
import type { RecordFrom } from "../../main/contract/preferences.ts";
import { desktopBridge, useDesktop } from "../bridge/desktop.ts";
import {
  canShareSystemAudio,
  listAudioDevices,
  requestDeviceLabels,
  onAudioDevicesChange,
} from "../bridge/audio-devices.ts";
import { t } from "../messages/messages.ts";
import { Select } from "./field.tsx";
import {
  defaultValue,
  deviceValue,
  sharedValue,
  sourceChoices,
  fromChoiceValue,
  toChoiceValue,
} from "./audio-sources.ts";

type DeviceList = Awaited<ReturnType<typeof listAudioDevices>>;

/** Requests microphone permission, because browsers reveal no labels before it. */
const nameDevicesValue = "name them";
/** On Linux, Hearsay can list the outputs' monitors on request. */
const listOutputsValue = "list outputs";

type SourceSelectProps = {
  label: string;
  value: RecordFrom;
  onChange: (recordFrom: RecordFrom) => void;
  /** Recording has given access to the names of devices: they are listed again when this changes. */
  isRecording: boolean;
  /** No system audio is offered. */
  isMicrophoneOnly?: boolean;
};

export function SourceSelect({
  label,
  value: recordFrom,
  onChange,
  isRecording,
  isMicrophoneOnly = false,
}: SourceSelectProps) {
  const { devices, hasUnlabeled, refreshDevices } = useDeviceList(isRecording);
  const [failure, setFailure] = useState<"refused" | "none">();
  const canShareDesktop = useDesktop(({ state }) => state?.hasSystemSound === true);
  const offersOutputs = useDesktop(({ state }) => state?.system === "linux");
  const isDesktopApp = desktopBridge() !== undefined;
  const isShareable =
    recordFrom.kind === "system" ||
    (!isMicrophoneOnly && (isDesktopApp ? canShareDesktop : canShareSystemAudio()));
  const { microphones, monitors, missingDevice } = sourceChoices(
    devices,
    recordFrom,
    !hasUnlabeled,
  );
  const value = toChoiceValue(recordFrom);
  const choose = async (selectedValue: string) => {
    if (selectedValue === listOutputsValue)
      return (await desktopBridge()?.offerMonitors()) === 0 ? setFailure("none") : refreshDevices();
    if (selectedValue !== nameDevicesValue)
      return onChange(fromChoiceValue(selectedValue, recordFrom));
    return requestDeviceLabels().then(refreshDevices, () => setFailure("refused"));
  };
  return (
    <Select
      label={label}
      value={value}
      error={failure && t(`transcribe.source.${failure}`)}
      onChange={({ currentTarget }) => void choose(currentTarget.value)}
    >
      <option value={defaultValue}>{t("transcribe.source.default")}</option>
      {hasUnlabeled && recordFrom.deviceLabel !== undefined && value !== sharedValue && (
        <option value={value}>{recordFrom.deviceLabel}</option>
      )}
      {missingDevice !== undefined && (
        <option value={deviceValue(missingDevice)}>
          {t("transcribe.source.gone", { name: missingDevice })}
        </option>
      )}
      <Devices label={t("transcribe.source.microphones")} labels={microphones} />
      {hasUnlabeled && <option value={nameDevicesValue}>{t("transcribe.source.name")}</option>}
      {!isMicrophoneOnly && <Devices label={t("transcribe.source.system")} labels={monitors} />}
      {!isMicrophoneOnly && offersOutputs && monitors.length === 0 && (
        <option value={listOutputsValue}>{t("transcribe.source.outputs")}</option>
      )}
      {isShareable && (
        <option value={sharedValue}>
          {isDesktopApp ? t("transcribe.source.system") : t("transcribe.source.shared")}
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

/**
 * Refreshes when a device is plugged in, after a recording (which grants access to labels), and on `refreshDevices`.
 */
function useDeviceList(isRecording: boolean): DeviceList & { refreshDevices: () => void } {
  const [deviceList, setDeviceList] = useState<DeviceList>({ devices: [], hasUnlabeled: false });
  const refreshDevices = useCallback(() => void listAudioDevices().then(setDeviceList), []);
  useEffect(refreshDevices, [refreshDevices, isRecording]);
  useEffect(() => onAudioDevicesChange(refreshDevices), [refreshDevices]);
  return { ...deviceList, refreshDevices };
}

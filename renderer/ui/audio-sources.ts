// Choices for the source of a recording. Pure; devices come from bridge/audio-devices.ts.

import type { RecordFrom } from "../../main/contract/preferences.ts";
import type { AudioDevice } from "../bridge/audio-devices.ts";

export type SourceChoices = {
  readonly microphones: readonly string[];
  /** Devices that record what is played. */
  readonly monitors: readonly string[];
  /** Selected, but not connected now. */
  readonly missingDevice: string | undefined;
};

/** Values of the select: the default microphone, screen sharing, or a device. */
export const defaultValue = "";
export const sharedValue = "shared";
const devicePrefix = "device:";
export const deviceValue = (label: string): string => `${devicePrefix}${label}`;

/** `hasDeviceNames`: labels are available, so a device that is not listed is not connected. */
export function sourceChoices(
  devices: readonly AudioDevice[],
  { deviceLabel }: RecordFrom,
  hasDeviceNames: boolean,
): SourceChoices {
  const labels = (isSystem: boolean) =>
    devices.filter((device) => device.isSystem === isSystem).map(({ label }) => label);
  return {
    microphones: labels(false),
    monitors: labels(true),
    missingDevice:
      deviceLabel !== undefined &&
      hasDeviceNames &&
      !devices.some(({ label }) => label === deviceLabel)
        ? deviceLabel
        : undefined,
  };
}

export const toChoiceValue = ({ kind, deviceLabel }: RecordFrom): string =>
  kind === "system"
    ? sharedValue
    : deviceLabel === undefined
      ? defaultValue
      : deviceValue(deviceLabel);

/** Sharing keeps the selected microphone, which dictation uses. */
export function fromChoiceValue(value: string, previous: RecordFrom): RecordFrom {
  if (value === sharedValue) return { ...previous, kind: "system" };
  return value.startsWith(devicePrefix)
    ? { kind: "microphone", deviceLabel: value.slice(devicePrefix.length) }
    : { kind: "microphone" };
}

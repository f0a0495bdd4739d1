// What the next recording hears, as one list to choose from. Pure: what there is comes from bridge/sound-devices.ts.

import type { Preferences } from "../../../../main/contract/studio-api.ts";
import type { AudioDevice } from "../../../bridge/audio-devices.ts";

type RecordFrom = Preferences["recordFrom"];

export type SourceChoices = {
  readonly microphones: readonly string[];
  /** Devices that record what is played. */
  readonly monitors: readonly string[];
  /** Chosen, but not connected now. */
  readonly missingDevice: string | undefined;
};

/** Value of a choice in the list: the system's microphone, what is shared, or a device. */
export const defaultValue = "";
export const sharedValue = "shared";
const devicePrefix = "device:";
export const deviceValue = (label: string): string => `${devicePrefix}${label}`;

/** `hasDeviceNames`: names of devices are told, so that one that is not among them is not there. */
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

/** Sharing leaves the microphone chosen that dictation hears. */
export function fromChoiceValue(value: string, previous: RecordFrom): RecordFrom {
  if (value === sharedValue) return { ...previous, kind: "system" };
  return value.startsWith(devicePrefix)
    ? { kind: "microphone", deviceLabel: value.slice(devicePrefix.length) }
    : { kind: "microphone" };
}

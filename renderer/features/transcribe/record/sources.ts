// What the next recording hears, as one list to choose from. Pure: what there is comes from bridge/sound-devices.ts.

import type { Preferences } from "../../../../main/contract/studio-api.ts";
import type { SoundDevice } from "../../../bridge/sound-devices.ts";

type RecordFrom = Preferences["recordFrom"];

export type SourceChoices = {
  readonly microphones: readonly string[];
  /** Devices that record what is played. */
  readonly monitors: readonly string[];
  /** Chosen, but not connected now. */
  readonly gone: string | undefined;
};

/** Value of a choice in the list: the system's microphone, what is shared, or a device. */
export const defaultValue = "";
export const sharedValue = "shared";
const deviceMark = "device:";
export const deviceValue = (label: string): string => `${deviceMark}${label}`;

/** `isNamed`: names of devices are told, so that one that is not among them is not there. */
export function sourceChoices(
  devices: readonly SoundDevice[],
  { deviceLabel }: RecordFrom,
  isNamed: boolean,
): SourceChoices {
  const labels = (isSystem: boolean) =>
    devices.filter((device) => device.isSystem === isSystem).map(({ label }) => label);
  return {
    microphones: labels(false),
    monitors: labels(true),
    gone:
      deviceLabel !== undefined && isNamed && !devices.some(({ label }) => label === deviceLabel)
        ? deviceLabel
        : undefined,
  };
}

export const valueOf = ({ kind, deviceLabel }: RecordFrom): string =>
  kind === "system"
    ? sharedValue
    : deviceLabel === undefined
      ? defaultValue
      : deviceValue(deviceLabel);

/** Sharing leaves the microphone chosen that dictation hears. */
export function sourceOf(value: string, before: RecordFrom): RecordFrom {
  if (value === sharedValue) return { ...before, kind: "system" };
  return value.startsWith(deviceMark)
    ? { kind: "microphone", deviceLabel: value.slice(deviceMark.length) }
    : { kind: "microphone" };
}

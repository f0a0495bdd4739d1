// Whether the system's sound can be recorded beside a microphone.

import type { RecordFrom } from "../../../../main/contract/preferences.ts";
import { canShareSystemAudio, isSystemDevice } from "../../../bridge/audio-devices.ts";
import { desktopBridge, useDesktop } from "../../../bridge/desktop.ts";

/** `needless`: it is what is recorded. The others say who cannot. */
export type SystemTrack = "possible" | "needless" | "browser" | "desktop";

export function systemTrack({ kind, deviceLabel = "" }: RecordFrom): SystemTrack {
  if (kind === "system" || isSystemDevice(deviceLabel)) return "needless";
  if (desktopBridge() === undefined) return canShareSystemAudio() ? "possible" : "browser";
  return useDesktop.getState().state?.hasSystemSound === true ? "possible" : "desktop";
}

// Whether the system's sound can be recorded beside a microphone.

import type { RecordFrom } from "../../../../main/contract/preferences.ts";
import { canShareSystemAudio, isSystemDevice } from "../../../bridge/audio-devices.ts";
import { desktopBridge, useDesktop } from "../../../bridge/desktop.ts";
import { t } from "../../../messages/messages.ts";

/** `needless`: it is what is recorded. The others say who cannot. */
export type SystemTrack = "possible" | "needless" | "browser" | "desktop";

export function systemTrack({ kind, deviceLabel = "" }: RecordFrom): SystemTrack {
  if (kind === "system" || isSystemDevice(deviceLabel)) return "needless";
  if (desktopBridge() === undefined) return canShareSystemAudio() ? "possible" : "browser";
  return useDesktop.getState().state?.hasSystemSound === true ? "possible" : "desktop";
}

/** What is recorded, if the system's audio may be a second track beside it. */
export const withSystemTrack = (name: string, hasSystemTrack: boolean): string =>
  hasSystemTrack ? t("transcribe.record.both", { name }) : name;

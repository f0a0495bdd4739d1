// Tray icon with the server switch. Linux desktops may have no tray and Electron does not report it, so D-Bus is
// queried.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Menu, Tray } from "electron";
import { formatTime } from "../contract/format-time.ts";
import type { RecordingState } from "../contract/desktop-bridge.ts";
import { type MenuActions, trayTemplate } from "./menu.ts";
import { interpolate, type Messages } from "./messages.ts";
import { trayIcon } from "./tray-icon.ts";

export type TrayIcon = {
  /** True if the icon is visible to the user. */
  isAvailable(): boolean;
  /** @param baseUrl of the API; undefined while it is closed @param recording current recording, if any */
  update(texts: Messages, baseUrl: string | undefined, recording: RecordingState | undefined): void;
  close(): void;
};

const dbusTimeoutMs = 2000;

/** True if the desktop shows tray icons. https://www.freedesktop.org/wiki/Specifications/StatusNotifierItem/ */
export async function hasTray(
  system: NodeJS.Platform = process.platform,
  run = runProgram,
): Promise<boolean> {
  if (system !== "linux") return true;
  const dbusArgs = [
    "--session",
    "--print-reply",
    "--dest=org.freedesktop.DBus",
    "/org/freedesktop/DBus",
    "org.freedesktop.DBus.NameHasOwner",
    "string:org.kde.StatusNotifierWatcher",
  ];
  return run("dbus-send", dbusArgs).then(
    ({ stdout }) => stdout.includes("boolean true"),
    () => false,
  );
}

const runProgram = (program: string, args: readonly string[]): Promise<{ stdout: string }> =>
  promisify(execFile)(program, [...args], { timeout: dbusTimeoutMs });

/** @param wasAvailable first result of `detectTray` */
export function createTray(
  actions: MenuActions,
  wasAvailable: boolean,
  detectTray: () => Promise<boolean> = hasTray,
): TrayIcon {
  let isVisible = wasAvailable;
  let tray: Tray | undefined;
  let lastMenuState:
    | { texts: Messages; baseUrl: string | undefined; isRecording: boolean }
    | undefined;
  try {
    // Created even if not visible yet: the desktop may start a tray later.
    tray = new Tray(trayIcon(false));
    // macOS opens the menu; on Linux the desktop decides what a click does.
    tray.on("click", () => {
      if (process.platform !== "darwin") actions.open();
    });
  } catch {
    tray = undefined;
  }
  return {
    isAvailable() {
      // At login the desktop's tray may start after this app: the result is used on the next call.
      detectTray()
        .then((isVisibleNow) => (isVisible = isVisibleNow))
        .catch(() => {});
      return isVisible && tray !== undefined;
    },
    update(texts, baseUrl, recording) {
      const time = recording && formatTime(recording.sec);
      const state =
        recording === undefined
          ? baseUrl
          : interpolate(recording.phase === "paused" ? texts.recordingPaused : texts.recordingNow, {
              time: time ?? "",
            });
      tray?.setToolTip(state === undefined ? "Hearsay" : `Hearsay · ${state}`);
      if (process.platform === "darwin")
        tray?.setTitle(time ?? "", { fontType: "monospacedDigit" });
      // Every second only the time changes: rebuilding the menu would close it while it is open.
      const menuState = { texts, baseUrl, isRecording: recording !== undefined };
      if (
        lastMenuState?.texts === texts &&
        lastMenuState.baseUrl === baseUrl &&
        lastMenuState.isRecording === menuState.isRecording
      )
        return;
      if ((lastMenuState?.isRecording ?? false) !== menuState.isRecording)
        tray?.setImage(trayIcon(menuState.isRecording));
      lastMenuState = menuState;
      tray?.setContextMenu(
        Menu.buildFromTemplate(trayTemplate(texts, actions, baseUrl, menuState.isRecording)),
      );
    },
    close() {
      tray?.destroy();
      tray = undefined;
    },
  };
}

// The icon in the tray with the server's switch. A Linux desktop may have no tray; Electron does not tell, so the
// desktop's bus is asked.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Menu, Tray } from "electron";
import { formatTime } from "../contract/format-time.ts";
import type { RecordingState } from "../contract/shell-bridge.ts";
import { type MenuActions, trayTemplate } from "./menu.ts";
import { filled, type Messages } from "./messages.ts";
import { trayIcon } from "./tray-icon.ts";

export type TrayIcon = {
  /** Somebody can see and click it. */
  isThere(): boolean;
  /** @param baseUrl of the API; undefined while it is closed @param recording what a window records, if one does */
  update(texts: Messages, baseUrl: string | undefined, recording: RecordingState | undefined): void;
  close(): void;
};

const busLimitMs = 2000;

/** Is there a tray to put an icon in? https://www.freedesktop.org/wiki/Specifications/StatusNotifierItem/ */
export async function hasTray(
  system: NodeJS.Platform = process.platform,
  run = runProgram,
): Promise<boolean> {
  if (system !== "linux") return true;
  const question = [
    "--session",
    "--print-reply",
    "--dest=org.freedesktop.DBus",
    "/org/freedesktop/DBus",
    "org.freedesktop.DBus.NameHasOwner",
    "string:org.kde.StatusNotifierWatcher",
  ];
  return run("dbus-send", question).then(
    ({ stdout }) => stdout.includes("boolean true"),
    () => false,
  );
}

const runProgram = (program: string, args: readonly string[]): Promise<{ stdout: string }> =>
  promisify(execFile)(program, [...args], { timeout: busLimitMs });

/** @param wasVisible what `look` found at first */
export function createTray(
  actions: MenuActions,
  wasVisible: boolean,
  look: () => Promise<boolean> = hasTray,
): TrayIcon {
  let isVisible = wasVisible;
  let tray: Tray | undefined;
  let shown: { texts: Messages; baseUrl: string | undefined; isRecording: boolean } | undefined;
  try {
    // Also where nobody sees it yet: the desktop may get a tray later.
    tray = new Tray(trayIcon(false));
    // macOS opens the menu; a Linux desktop decides for itself what a click means.
    tray.on("click", () => {
      if (process.platform !== "darwin") actions.open();
    });
  } catch {
    tray = undefined;
  }
  return {
    isThere() {
      // At login the desktop's tray may come later than this app: the result is used on the next call.
      look()
        .then((isVisibleNow) => (isVisible = isVisibleNow))
        .catch(() => {});
      return isVisible && tray !== undefined;
    },
    update(texts, baseUrl, recording) {
      const time = recording && formatTime(recording.sec);
      const state =
        recording === undefined
          ? baseUrl
          : filled(recording.phase === "paused" ? texts.recordingPaused : texts.recordingNow, {
              time: time ?? "",
            });
      tray?.setToolTip(state === undefined ? "Hearsay" : `Hearsay · ${state}`);
      if (process.platform === "darwin")
        tray?.setTitle(time ?? "", { fontType: "monospacedDigit" });
      // Once a second only the time is another: a menu that is open would close.
      const now = { texts, baseUrl, isRecording: recording !== undefined };
      if (
        shown?.texts === texts &&
        shown.baseUrl === baseUrl &&
        shown.isRecording === now.isRecording
      )
        return;
      if ((shown?.isRecording ?? false) !== now.isRecording)
        tray?.setImage(trayIcon(now.isRecording));
      shown = now;
      tray?.setContextMenu(
        Menu.buildFromTemplate(trayTemplate(texts, actions, baseUrl, now.isRecording)),
      );
    },
    close() {
      tray?.destroy();
      tray = undefined;
    },
  };
}

// Collects the state of this machine for the page.

import { release } from "node:os";
import { app } from "electron";
import type { DesktopState } from "../contract/desktop-bridge.ts";
import { countCrashReports } from "./crash-reports.ts";
import type { LoginItem } from "./login-item.ts";
import type { Messages } from "./messages.ts";
import { canCaptureSystemAudio } from "./permissions.ts";
import { dictationCommand } from "./launch-command.ts";
import type { Shortcut } from "./shortcut.ts";
import type { Typing } from "./typing.ts";
import type { Updates } from "./updates.ts";

export type DesktopStateDeps = {
  hasKeyring: boolean;
  typing: Pick<Typing, "unavailableReason">;
  shortcut: Pick<Shortcut, "state">;
  loginItem: Pick<LoginItem, "isOn" | "isPossible">;
  updates: Pick<Updates, "state">;
  texts(): Messages;
};

export function readDesktopState({
  hasKeyring,
  typing,
  shortcut,
  loginItem,
  updates,
  texts,
}: DesktopStateDeps): DesktopState {
  const unavailableReason = typing.unavailableReason();
  const { platform } = process;
  return {
    system: platform === "darwin" || platform === "win32" ? platform : "linux",
    keyring: hasKeyring ? "system" : "none",
    dictation: {
      keys: shortcut.state(),
      command: dictationCommand(app),
      ...(unavailableReason === undefined ? {} : { cannotType: texts()[unavailableReason] }),
    },
    opensAtLogin: loginItem.isOn(),
    canOpenAtLogin: loginItem.isPossible(),
    hasSystemSound: canCaptureSystemAudio(platform, release()),
    update: updates.state(),
    crashReports: countCrashReports(app.getPath("crashDumps")),
  };
}

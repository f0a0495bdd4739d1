// What is so on this machine right now, gathered for the page.

import { release } from "node:os";
import { app } from "electron";
import type { DesktopState } from "../contract/shell-bridge.ts";
import { countCrashReports } from "./crash-reports.ts";
import type { LoginItem } from "./login-item.ts";
import type { Messages } from "./messages.ts";
import { hasSystemSound } from "./permissions.ts";
import { dictationCommand } from "./program.ts";
import type { Shortcut } from "./shortcut.ts";
import type { Typing } from "./typing.ts";
import type { Updates } from "./updates.ts";

export type DesktopStateDeps = {
  hasKeyring: boolean;
  typing: Pick<Typing, "hindrance">;
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
  const hindrance = typing.hindrance();
  const { platform } = process;
  return {
    system: platform === "darwin" || platform === "win32" ? platform : "linux",
    keyring: hasKeyring ? "system" : "none",
    dictation: {
      keys: shortcut.state(),
      command: dictationCommand(app),
      ...(hindrance === undefined ? {} : { cannotType: texts()[hindrance] }),
    },
    opensAtLogin: loginItem.isOn(),
    canOpenAtLogin: loginItem.isPossible(),
    hasSystemSound: hasSystemSound(platform, release()),
    update: updates.state(),
    crashReports: countCrashReports(app.getPath("crashDumps")),
  };
}

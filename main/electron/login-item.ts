// Starting with the session: the system's own list where Electron knows it, a file of the desktop's on Linux
// (https://specifications.freedesktop.org/autostart-spec/latest/).

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { App } from "electron";
import { programPath } from "./launch-command.ts";

export type LoginItem = {
  /** Only what is installed stays where it is. */
  isPossible(): boolean;
  isOn(): boolean;
  set(isOn: boolean): void;
};

export type LoginItemDeps = {
  app: Pick<App, "isPackaged" | "getLoginItemSettings" | "setLoginItemSettings">;
  system?: NodeJS.Platform;
  env?: NodeJS.ProcessEnv;
  /** Of the program. */
  execPath?: string;
};

/** Told to the start that the system makes. */
const args = ["--hidden"];

export function createLoginItem({
  app,
  system = process.platform,
  env = process.env,
  execPath = process.execPath,
}: LoginItemDeps): LoginItem {
  const isPossible = (): boolean => app.isPackaged;
  if (system !== "linux") {
    return {
      isPossible,
      isOn: () => app.getLoginItemSettings({ args }).openAtLogin,
      set: (isOn) => app.setLoginItemSettings({ openAtLogin: isOn, args }),
    };
  }
  const folder = join(env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "autostart");
  const path = join(folder, "hearsay.desktop");
  const program = programPath({ execPath, env });
  return {
    isPossible,
    isOn: () => existsSync(path),
    set(isOn) {
      if (!isOn) {
        rmSync(path, { force: true });
        return;
      }
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        path,
        `[Desktop Entry]\nType=Application\nName=Hearsay\nExec=${quoteArgument(program)} ${args.join(" ")}\nX-GNOME-Autostart-enabled=true\n`,
      );
    },
  };
}

/** As the desktop entry specification quotes an argument, which a string's own escaping comes on top of. */
const quoteArgument = (text: string): string =>
  `"${text
    .replaceAll(/["`$\\]/g, String.raw`\$&`)
    .replaceAll("\\", "\\\\")
    .replaceAll("%", "%%")}"`;

// Start at login: Electron's API, or on Linux an autostart file
// (https://specifications.freedesktop.org/autostart-spec/latest/).

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { App } from "electron";
import { AppError } from "../contract/errors.ts";
import { programPath } from "./launch-command.ts";

export type LoginItem = {
  /** Only for an installed app, whose path is stable. */
  isPossible(): boolean;
  isOn(): boolean;
  /** @throws AppError if the system refuses it */
  set(isOn: boolean): void;
};

export type LoginItemDeps = {
  app: Pick<App, "isPackaged" | "getLoginItemSettings" | "setLoginItemSettings">;
  system?: NodeJS.Platform;
  env?: NodeJS.ProcessEnv;
  /** Path of the program. */
  execPath?: string;
};

/** Arguments of a start at login. */
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
      try {
        if (isOn) {
          mkdirSync(folder, { recursive: true });
          writeFileSync(path, autostartFile(program));
        } else rmSync(path, { force: true });
      } catch (cause) {
        throw new AppError("login.notChanged", { reason: (cause as Error).message }, { cause });
      }
    },
  };
}

const autostartFile = (program: string): string => `[Desktop Entry]
Type=Application
Name=Hearsay
Exec=${quoteArgument(program)} ${args.join(" ")}
X-GNOME-Autostart-enabled=true
`;

/** Quotes an argument as in the desktop entry specification, plus the escaping of string values. */
const quoteArgument = (text: string): string =>
  `"${text
    .replaceAll(/["`$\\]/g, String.raw`\$&`)
    .replaceAll("\\", "\\\\")
    .replaceAll("%", "%%")}"`;

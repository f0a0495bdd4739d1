// Detects Wayland, and which programs are installed on Linux.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export const isWayland = (env: NodeJS.ProcessEnv): boolean =>
  env["XDG_SESSION_TYPE"] === "wayland" || (env["WAYLAND_DISPLAY"] ?? "") !== "";

/** True if the program is on the PATH. */
export function isInstalled(program: string, env: NodeJS.ProcessEnv): boolean {
  return (env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== "";
    } catch {
      return false;
    }
  });
}

// What kind of desktop a Linux machine has, and which of its tools.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export const isWayland = (env: NodeJS.ProcessEnv): boolean =>
  env["XDG_SESSION_TYPE"] === "wayland" || (env["WAYLAND_DISPLAY"] ?? "") !== "";

/** Is it a program on the path? */
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

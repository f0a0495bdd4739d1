// How others start this app: the session at login, and desktops that bind keys.

import type { App } from "electron";

type ProcessInfo = Pick<NodeJS.Process, "execPath" | "env">;

/** An AppImage runs from a place of its own that is another one every time. */
export const programPath = ({ execPath, env }: ProcessInfo): string => env["APPIMAGE"] ?? execPath;

/** As a shell takes it: has the app that runs listen, or end it. */
export function dictationCommand(
  { isPackaged, getAppPath }: Pick<App, "isPackaged" | "getAppPath">,
  { execPath, env }: ProcessInfo = process,
): string {
  const program = [programPath({ execPath, env }), ...(isPackaged ? [] : [getAppPath()])];
  return [
    ...program.map((part) =>
      /^[\w./:\\-]+$/.test(part) ? part : `"${part.replaceAll(/(["`$\\])/g, "\\$1")}"`,
    ),
    "--dictate",
  ].join(" ");
}

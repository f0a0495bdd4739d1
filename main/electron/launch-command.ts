// Commands that start this app: for login items, and for desktops that bind keys.

import type { App } from "electron";

type ProcessInfo = Pick<NodeJS.Process, "execPath" | "env">;

/** An AppImage runs from a mount point that changes with each start, so use the path of the image. */
export const programPath = ({ execPath, env }: ProcessInfo): string => env["APPIMAGE"] ?? execPath;

/** Shell command that starts or ends dictation in the running app. */
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

// Opens the window in the person's browser, if this machine has a screen.

import { spawn } from "node:child_process";
import { writeLaunchPage } from "../instance/launch-page.ts";

/**
 * Whether a person sits at this machine's screen: not in CI, not on a remote shell without a display, not in a pipe.
 */
export function hasScreen(
  env: NodeJS.ProcessEnv = process.env,
  system: NodeJS.Platform = process.platform,
  isTerminal = process.stdout.isTTY,
): boolean {
  if (!isTerminal || (env["CI"] ?? "") !== "" || (env["SSH_CONNECTION"] ?? "") !== "") return false;
  return (
    system === "darwin" ||
    system === "win32" ||
    (env["DISPLAY"] ?? "") !== "" ||
    (env["WAYLAND_DISPLAY"] ?? "") !== ""
  );
}

const openCommands: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  // Takes the path literally; `cmd /c start` would interpret some characters.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

export type OpenBrowserOptions = {
  dataDir: string;
  system?: NodeJS.Platform;
  /** Starts the system's opener with the path of the launch page. */
  start?(command: string, args: readonly string[]): void;
  lifetimeMs?: number;
};

/**
 * Does not report errors, since the address is printed too.
 * @returns function that removes the launch page, which also happens after one minute
 */
export function openBrowser(
  url: string,
  { system = process.platform, start = startDetached, ...options }: OpenBrowserOptions,
): () => void {
  const page = writeLaunchPage(url, { system, ...options });
  if (page === undefined) return () => {};
  const [command, ...args] = openCommands[system] ?? ["xdg-open"];
  start(command, [...args, page.path]);
  return page.remove;
}

function startDetached(command: string, args: readonly string[]): void {
  const child = spawn(command, args, { stdio: "ignore", detached: true, windowsHide: true });
  child.on("error", () => {});
  child.unref();
}

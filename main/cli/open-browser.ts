// Opens the window in the person's browser, where there is one to see it.

import { spawn } from "node:child_process";
import { writeLaunchPage } from "../instance/launch-page.ts";

/** Is somebody sitting at this machine's screen? Not in CI, not over a line without a display, not in a pipe. */
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
  // Takes a path as it is; `cmd /c start` would read some characters of it as its own.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

export type OpenBrowserOptions = {
  dataDir: string;
  system?: NodeJS.Platform;
  /** Starts the system's opener with the path of the file. */
  start?(command: string, args: readonly string[]): void;
  lifetimeMs?: number;
};

/**
 * Whether it worked is for the person to see: an address is printed too.
 * @returns removes the file that leads there, which happens by itself after a minute
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

// Writes to the clipboard while another program has the focus. Wayland silently ignores that, so wl-copy is used there.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { BrowserWindow, clipboard } from "electron";
import { isInstalled, isWayland } from "./linux-desktop.ts";

export type Clipboard = {
  /** Rejects if the text cannot be copied. */
  write(text: string): Promise<void>;
};

export type ClipboardDeps = {
  system?: NodeJS.Platform;
  env?: NodeJS.ProcessEnv;
  /** Rejects if the program fails. */
  run?(program: string, input: string): Promise<void>;
};

export function createClipboard({
  system = process.platform,
  env = process.env,
  run = runProgram,
}: ClipboardDeps = {}): Clipboard {
  async function writeWithWlCopy(text: string): Promise<boolean> {
    return (
      isInstalled("wl-copy", env) &&
      run("wl-copy", text).then(
        () => true,
        () => false,
      )
    );
  }

  return {
    async write(text) {
      const canWriteDirectly =
        system !== "linux" || !isWayland(env) || BrowserWindow.getFocusedWindow() !== null;
      if (canWriteDirectly) await clipboard.writeText(text);
      else if (!(await writeWithWlCopy(text)))
        throw new Error("under Wayland only wl-copy copies from behind, and it did not");
    },
  };
}

/** Output is ignored: wl-copy continues in the background to serve the text, so a pipe would never close. */
async function runProgram(program: string, input: string): Promise<void> {
  const child = spawn(program, { stdio: ["pipe", "ignore", "ignore"] });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${program} ended with code ${code}`);
}

// What the app copies while another program is in front. Wayland takes that from the focused program alone and drops it
// without a word otherwise: there wl-copy, which may, is asked to.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { BrowserWindow, clipboard } from "electron";
import { isInstalled, isWayland } from "./linux-desktop.ts";

export type Clipboard = {
  /** Rejects where nothing would come of it. */
  write(text: string): Promise<void>;
};

export type ClipboardDeps = {
  system?: NodeJS.Platform;
  env?: NodeJS.ProcessEnv;
  /** Rejects where the program fails. */
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

/** It goes on in the background, as the one that has the text: its output would never be closed. */
async function runProgram(program: string, input: string): Promise<void> {
  const child = spawn(program, { stdio: ["pipe", "ignore", "ignore"] });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${program} ended with code ${code}`);
}

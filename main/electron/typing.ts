// Pastes the clipboard into the focused program by simulated key presses. The text itself is in no command line: all
// commands are constants.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { isInstalled, isWayland } from "./linux-desktop.ts";
import type { Messages } from "./messages.ts";

type Command = readonly [program: string, ...args: readonly string[]];

export type TypingDeps = {
  system?: NodeJS.Platform;
  env?: NodeJS.ProcessEnv;
  /** macOS: whether this app may press keys in other programs. */
  isTrusted(): boolean;
  run?(program: string, args: readonly string[]): Promise<unknown>;
};

export type Typing = {
  /** Key of the message about why pasting is unavailable; undefined if it is available. */
  unavailableReason(): keyof Messages | undefined;
  /** Rejects if no key could be pressed. */
  paste(): Promise<void>;
};

const timeoutMs = 5000;
const macPasteScript = 'tell application "System Events" to keystroke "v" using command down';
const windowsPasteScript = "(New-Object -ComObject WScript.Shell).SendKeys('^v')";
/** Left Ctrl and V, as key codes of the kernel: linux/input-event-codes.h. */
const ctrlVKeyCodes = ["29:1", "47:1", "47:0", "29:0"];

/** Tried in order until one works. */
const x11Commands: readonly Command[] = [["xdotool", "key", "--clearmodifiers", "ctrl+v"]];
const waylandCommands: readonly Command[] = [
  ["wtype", "-M", "ctrl", "v", "-m", "ctrl"],
  ["ydotool", "key", ...ctrlVKeyCodes],
];

export function createTyping({
  system = process.platform,
  env = process.env,
  isTrusted,
  run = runProgram,
}: TypingDeps): Typing {
  function commands(): readonly Command[] {
    if (system === "darwin") return [["osascript", "-e", macPasteScript]];
    if (system === "win32")
      return [["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", windowsPasteScript]];
    return (isWayland(env) ? waylandCommands : x11Commands).filter(([program]) =>
      isInstalled(program, env),
    );
  }

  return {
    unavailableReason() {
      if (system === "darwin") return isTrusted() ? undefined : "typeNeedsAccess";
      if (commands().length > 0) return undefined;
      return isWayland(env) ? "typeNeedsWayland" : "typeNeedsXdotool";
    },
    async paste() {
      let lastError: unknown = new Error("no program that can press keys is installed");
      for (const [program, ...args] of commands()) {
        try {
          await run(program, args);
          return;
        } catch (error) {
          lastError = error;
        }
      }
      throw lastError;
    },
  };
}

const runProgram = (program: string, args: readonly string[]): Promise<unknown> =>
  promisify(execFile)(program, [...args], { timeout: timeoutMs, windowsHide: true });

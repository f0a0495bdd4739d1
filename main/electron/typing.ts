// Puts what lies on the clipboard into the program in front, by the keys that paste. The text itself is on no command
// line: every command here is a constant.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { isInstalled, isWayland } from "./linux-desktop.ts";
import type { Messages } from "./messages.ts";

type Command = readonly [program: string, ...args: readonly string[]];

export type TypingDeps = {
  system?: NodeJS.Platform;
  env?: NodeJS.ProcessEnv;
  /** macOS: may this app press keys in others? */
  isTrusted(): boolean;
  run?(program: string, args: readonly string[]): Promise<unknown>;
};

export type Typing = {
  /** Which sentence tells why it cannot; undefined: it can. */
  unavailableReason(): keyof Messages | undefined;
  /** Rejects where nothing could be pressed. */
  paste(): Promise<void>;
};

const timeoutMs = 5000;
const macPasteScript = 'tell application "System Events" to keystroke "v" using command down';
const windowsPasteScript = "(New-Object -ComObject WScript.Shell).SendKeys('^v')";
/** Left control and V, as the kernel numbers them: linux/input-event-codes.h. */
const ctrlVKeyCodes = ["29:1", "47:1", "47:0", "29:0"];

/** Of which the first that works is enough. */
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
      let lastError: unknown = new Error("nothing here can press keys");
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

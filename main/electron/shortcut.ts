// The keys that dictate from anywhere. Whether they work is told: another program may have them, or they are none.

import { globalShortcut } from "electron";
import type { DesktopState } from "../contract/shell-bridge.ts";

export type ShortcutState = DesktopState["dictation"]["keys"];

export type Shortcut = {
  /** As in https://www.electronjs.org/docs/latest/tutorial/keyboard-shortcuts; empty: none. */
  set(keys: string): void;
  state(): ShortcutState;
  close(): void;
};

export function createShortcut(onPress: () => void): Shortcut {
  let registered = "";
  let state: ShortcutState = "off";

  function unregister(): void {
    if (registered !== "") globalShortcut.unregister(registered);
    registered = "";
    state = "off";
  }

  return {
    set(keys) {
      // What another program had may be free by now.
      if (keys === registered && state === "active") return;
      unregister();
      if (keys === "") return;
      try {
        state = globalShortcut.register(keys, onPress) ? "active" : "taken";
      } catch {
        state = "refused";
      }
      if (state === "active") registered = keys;
    },
    state: () => state,
    close: unregister,
  };
}

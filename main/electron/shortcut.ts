// The global dictation shortcut. Its state is reported, since another program may own it, or it may be invalid.

import { globalShortcut } from "electron";
import type { DesktopState } from "../contract/desktop-bridge.ts";

export type ShortcutState = DesktopState["dictation"]["keys"];

export type Shortcut = {
  /** Format: https://www.electronjs.org/docs/latest/tutorial/keyboard-shortcuts; empty: none. */
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
      // Otherwise try again: another program may have released it.
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

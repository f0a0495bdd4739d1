// The desktop around this window, where there is one: what its preload offers, and what is so on this machine right
// now, kept by what the desktop tells.

import { create } from "zustand";
import {
  desktopState,
  type DesktopState,
  type ShellBridge,
} from "../../main/contract/shell-bridge.ts";

const bridgeMethods: Readonly<Record<keyof ShellBridge, true>> = {
  state: true,
  onState: true,
  onCommand: true,
  setOpensAtLogin: true,
  checkForUpdate: true,
  downloadUpdate: true,
  installUpdate: true,
  showItem: true,
  openFolder: true,
  offerMonitors: true,
  dictated: true,
  setRecording: true,
  onDictationStop: true,
};

function isBridge(value: unknown): value is ShellBridge {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.keys(bridgeMethods).every(
      (name) => typeof (value as Record<string, unknown>)[name] === "function",
    )
  );
}

/** Undefined in a browser. */
export function desktopBridge(): ShellBridge | undefined {
  const { hearsayDesktop } = globalThis as { hearsayDesktop?: unknown };
  return isBridge(hearsayDesktop) ? hearsayDesktop : undefined;
}

/** Undefined in a browser, and until the desktop told it. */
export const useDesktop = create<{ state: DesktopState | undefined }>(() => ({ state: undefined }));

/** Takes in what the desktop told; what this page does not understand changes nothing. */
export function setDesktopState(newState: DesktopState): void {
  const parsed = desktopState.safeParse(newState);
  if (parsed.success) useDesktop.setState({ state: parsed.data });
}

/** Follows the desktop's state for the life of the page. */
export async function subscribeToDesktop(): Promise<void> {
  const bridge = desktopBridge();
  if (bridge === undefined) return;
  bridge.onState(setDesktopState);
  setDesktopState(await bridge.state());
}

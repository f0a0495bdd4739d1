// The Electron desktop around this window, if any: its preload bridge and its state.

import { create } from "zustand";
import {
  desktopState,
  type DesktopState,
  type DesktopBridge,
} from "../../main/contract/desktop-bridge.ts";

const bridgeMethods: Readonly<Record<keyof DesktopBridge, true>> = {
  state: true,
  onState: true,
  onCommand: true,
  setOpensAtLogin: true,
  checkForUpdate: true,
  downloadUpdate: true,
  installUpdate: true,
  showItem: true,
  openFolder: true,
  pickFolder: true,
  offerMonitors: true,
  openCaptions: true,
  dictated: true,
  setRecording: true,
  onDictationStop: true,
};

function isBridge(value: unknown): value is DesktopBridge {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.keys(bridgeMethods).every(
      (name) => typeof (value as Record<string, unknown>)[name] === "function",
    )
  );
}

/** Undefined in a browser. */
export function desktopBridge(): DesktopBridge | undefined {
  const { hearsayDesktop } = globalThis as { hearsayDesktop?: unknown };
  return isBridge(hearsayDesktop) ? hearsayDesktop : undefined;
}

/** Undefined in a browser, and until the desktop has sent its state. */
export const useDesktop = create<{ state: DesktopState | undefined }>(() => ({ state: undefined }));

/** Stores a state from the desktop; ignores one that this page cannot parse. */
export function setDesktopState(newState: DesktopState): void {
  const parsed = desktopState.safeParse(newState);
  if (parsed.success) useDesktop.setState({ state: parsed.data });
}

/** Subscribes to the desktop's state as long as the page is open. */
export async function subscribeToDesktop(): Promise<void> {
  const bridge = desktopBridge();
  if (bridge === undefined) return;
  bridge.onState(setDesktopState);
  setDesktopState(await bridge.state());
}

// What pages can ask of the desktop, after bridge.ts has checked who asks.

import { app } from "electron";
import type { App } from "../app.ts";
import type { DesktopState } from "../contract/desktop-bridge.ts";
import type { BridgeActions } from "./bridge.ts";
import type { CaptionsWindow } from "./captions-window.ts";
import type { Dictation } from "./dictation.ts";
import type { LoginItem } from "./login-item.ts";
import type { Monitors } from "./monitors.ts";
import { openFolder, pickFolder, showItem } from "./open-in-system.ts";
import type { Recordings } from "./recordings.ts";
import type { Updates } from "./updates.ts";

export type BridgeActionDeps = {
  hearsay: Pick<App, "itemFile">;
  dataDir: string;
  state(): DesktopState;
  loginItem: Pick<LoginItem, "set">;
  updates: Updates;
  monitors: Pick<Monitors, "offer">;
  dictation: Pick<Dictation, "acceptText">;
  captions: Pick<CaptionsWindow, "show">;
  recordings: Pick<Recordings, "set">;
};

export function createBridgeActions({
  hearsay,
  dataDir,
  state,
  loginItem,
  updates,
  monitors,
  dictation,
  captions,
  recordings,
}: BridgeActionDeps): BridgeActions {
  async function runThenReadState(work: unknown): Promise<DesktopState> {
    await work;
    return state();
  }

  return {
    state,
    setOpensAtLogin: (isOn) => runThenReadState(loginItem.set(isOn)),
    checkForUpdate: () => runThenReadState(updates.check()),
    downloadUpdate: () => runThenReadState(updates.download()),
    installUpdate: updates.install,
    showItem: (itemId) => showItem(hearsay, itemId),
    openFolder: (folder) => openFolder(folder === "data" ? dataDir : app.getPath("crashDumps")),
    pickFolder,
    offerMonitors: monitors.offer,
    openCaptions: async () => captions.show(),
    dictated: dictation.acceptText,
    setRecording: recordings.set,
  };
}

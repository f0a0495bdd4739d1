// Exposes contract/desktop-bridge.ts to our pages, and nothing of Electron. Runs in a sandbox, so it is bundled into
// one CommonJS file.

import { contextBridge, ipcRenderer } from "electron";
import type {
  DesktopFolder,
  DesktopState,
  PageCommand,
  RecordingState,
  DesktopBridge,
} from "../contract/desktop-bridge.ts";
import { requestNames, pushNames, type PushName } from "./ipc-names.ts";

function subscribe<Value>(name: PushName, listener: (value: Value) => void): () => void {
  const onMessage = (_event: unknown, value: Value): void => listener(value);
  ipcRenderer.on(name, onMessage);
  // Delivers queued messages.
  void ipcRenderer.invoke(requestNames.subscribe, name);
  return () => ipcRenderer.removeListener(name, onMessage);
}

/** Rejects with the original message, without Electron's prefix. */
async function invoke<Result>(name: string, ...args: unknown[]): Promise<Result> {
  try {
    return (await ipcRenderer.invoke(name, ...args)) as Result;
  } catch (cause) {
    throw new Error(
      (cause as Error).message.replace(
        /^Error invoking remote method '[^']*': (?:\w*Error: )?/,
        "",
      ),
      { cause },
    );
  }
}

const bridge: DesktopBridge = {
  state: () => invoke(requestNames.state),
  onState: (listener) => subscribe<DesktopState>(pushNames.state, listener),
  onCommand: (listener) => subscribe<PageCommand>(pushNames.command, listener),
  setOpensAtLogin: (isOn: boolean) => invoke(requestNames.setOpensAtLogin, isOn),
  checkForUpdate: () => invoke(requestNames.checkForUpdate),
  downloadUpdate: () => invoke(requestNames.downloadUpdate),
  installUpdate: () => invoke(requestNames.installUpdate),
  showItem: (itemId: string) => invoke(requestNames.showItem, itemId),
  openFolder: (folder: DesktopFolder) => invoke(requestNames.openFolder, folder),
  pickFolder: () => invoke(requestNames.pickFolder),
  offerMonitors: () => invoke(requestNames.offerMonitors),
  openCaptions: () => invoke(requestNames.openCaptions),
  dictated: (text: string) => invoke(requestNames.dictated, text),
  setRecording: (state: RecordingState | undefined) => invoke(requestNames.setRecording, state),
  onDictationStop: (listener) => subscribe<undefined>(pushNames.dictationStop, () => listener()),
};

contextBridge.exposeInMainWorld("hearsayDesktop", bridge);

// What a page of ours gets of the desktop: the functions of contract/shell-bridge.ts, none of Electron's own. Runs in
// a sandbox, so it is bundled into one CommonJS file.

import { contextBridge, ipcRenderer } from "electron";
import type {
  DesktopFolder,
  DesktopState,
  PageCommand,
  RecordingState,
  ShellBridge,
} from "../contract/shell-bridge.ts";
import { asked, told, type Told } from "./ipc-names.ts";

function listen<Value>(name: Told, listener: (value: Value) => void): () => void {
  const hear = (_event: unknown, value: Value): void => listener(value);
  ipcRenderer.on(name, hear);
  // What was said before is said now.
  void ipcRenderer.invoke(asked.listening, name);
  return () => ipcRenderer.removeListener(name, hear);
}

/** Rejects with what went wrong there, without Electron's words about how it came here. */
async function ask<Answer>(name: string, ...args: unknown[]): Promise<Answer> {
  try {
    return (await ipcRenderer.invoke(name, ...args)) as Answer;
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

const bridge: ShellBridge = {
  state: () => ask(asked.state),
  onState: (listener) => listen<DesktopState>(told.state, listener),
  onCommand: (listener) => listen<PageCommand>(told.command, listener),
  setOpensAtLogin: (isOn: boolean) => ask(asked.setOpensAtLogin, isOn),
  checkForUpdate: () => ask(asked.checkForUpdate),
  downloadUpdate: () => ask(asked.downloadUpdate),
  installUpdate: () => ask(asked.installUpdate),
  showItem: (itemId: string) => ask(asked.showItem, itemId),
  openFolder: (folder: DesktopFolder) => ask(asked.openFolder, folder),
  offerMonitors: () => ask(asked.offerMonitors),
  dictated: (text: string) => ask(asked.dictated, text),
  setRecording: (state: RecordingState | undefined) => ask(asked.setRecording, state),
  onDictationStop: (listener) => listen<undefined>(told.dictationStop, () => listener()),
};

contextBridge.exposeInMainWorld("hearsayDesktop", bridge);

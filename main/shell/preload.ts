// What a page of ours gets of the desktop: the functions of contract/shell-bridge.ts, none of Electron's own. Runs in
// a sandbox, so it is bundled into one CommonJS file.

import { contextBridge, ipcRenderer } from 'electron';
import type { DesktopFolder, DesktopState, PageCommand, ShellBridge } from '../contract/shell-bridge.ts';
import { asked, told, type Told } from './ipc-names.ts';

function listen<Value>(name: Told, listener: (value: Value) => void): () => void {
  const hear = (_event: unknown, value: Value): void => listener(value);
  ipcRenderer.on(name, hear);
  // What was said before is said now.
  void ipcRenderer.invoke(asked.listening, name);
  return () => ipcRenderer.removeListener(name, hear);
}

const bridge: ShellBridge = {
  state: () => ipcRenderer.invoke(asked.state),
  onState: (listener) => listen<DesktopState>(told.state, listener),
  onCommand: (listener) => listen<PageCommand>(told.command, listener),
  setOpensAtLogin: (isOn: boolean) => ipcRenderer.invoke(asked.setOpensAtLogin, isOn),
  checkForUpdate: () => ipcRenderer.invoke(asked.checkForUpdate),
  downloadUpdate: () => ipcRenderer.invoke(asked.downloadUpdate),
  installUpdate: () => ipcRenderer.invoke(asked.installUpdate),
  showItem: (itemId: string) => ipcRenderer.invoke(asked.showItem, itemId),
  openFolder: (folder: DesktopFolder) => ipcRenderer.invoke(asked.openFolder, folder),
  dictated: (text: string) => ipcRenderer.invoke(asked.dictated, text),
  onDictationStop: (listener) => listen<undefined>(told.dictationStop, () => listener()),
};

contextBridge.exposeInMainWorld('hearsayDesktop', bridge);

// What the entries of the menus and the tray icon do.

import { app } from "electron";
import type { App } from "../app.ts";
import type { Log } from "../log.ts";
import type { ApiPort } from "./api-port.ts";
import type { CaptionsWindow } from "./captions-window.ts";
import type { Clipboard } from "./clipboard.ts";
import type { Dictation } from "./dictation.ts";
import type { FileOpener } from "./file-opener.ts";
import type { MainWindow } from "./main-window.ts";
import type { MenuActions } from "./menu.ts";
import type { Messages } from "./messages.ts";
import type { Notifications } from "./notifications.ts";
import { openApiPage, openFolder } from "./open-in-system.ts";

export type MenuActionDeps = Pick<MenuActions, "stopRecording"> & {
  hearsay: Pick<App, "baseUrl">;
  dataDir: string;
  mainWindow: Pick<MainWindow, "show" | "command">;
  dictation: Pick<Dictation, "toggle">;
  captions: Pick<CaptionsWindow, "show">;
  fileOpener: Pick<FileOpener, "showFilePicker">;
  apiPort: Pick<ApiPort, "setServing">;
  clipboard: Clipboard;
  notifications: Notifications;
  texts(): Messages;
  log: Log;
};

export function createMenuActions({
  hearsay,
  dataDir,
  mainWindow,
  dictation,
  captions,
  fileOpener,
  apiPort,
  stopRecording,
  clipboard,
  notifications,
  texts,
  log,
}: MenuActionDeps): MenuActions {
  return {
    open: mainWindow.show,
    command: mainWindow.command,
    openFiles: fileOpener.showFilePicker,
    dictate: dictation.toggle,
    showCaptions: captions.show,
    stopRecording,
    setServing: apiPort.setServing,
    copyBaseUrl() {
      const baseUrl = hearsay.baseUrl();
      // If copying fails, the notification shows the URL.
      if (baseUrl !== undefined)
        void clipboard.write(baseUrl).catch(() => notifications.show(texts().apiBaseUrl, baseUrl));
    },
    openApiPage: () =>
      void openApiPage(hearsay.baseUrl()).catch((error: unknown) =>
        log.warn({ err: error }, "the API page could not be opened"),
      ),
    openDataFolder: () =>
      void openFolder(dataDir).catch((error: unknown) =>
        log.warn({ err: error }, "the data folder could not be opened"),
      ),
    quit: () => app.quit(),
  };
}

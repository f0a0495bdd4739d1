// Keeps the tray icon, the app's menu and the dock's menu up to date.

import { app, Menu } from "electron";
import type { App } from "../app.ts";
import { dockTemplate, type MenuActions, menuTemplate } from "./menu.ts";
import type { Messages } from "./messages.ts";
import type { Recordings } from "./recordings.ts";
import type { TrayIcon } from "./tray.ts";

export type MenusDeps = {
  hearsay: Pick<App, "baseUrl">;
  actions: MenuActions;
  tray: Pick<TrayIcon, "update">;
  recordings: Pick<Recordings, "current">;
  texts(): Messages;
};

export type Menus = {
  /** Everything: texts, server and recording. */
  update(): void;
  /** The tray icon alone: the time of a recording. */
  updateTray(): void;
};

export function createMenus({ hearsay, actions, tray, recordings, texts }: MenusDeps): Menus {
  function updateTray(): void {
    tray.update(texts(), hearsay.baseUrl(), recordings.current());
  }

  return {
    update() {
      const isServing = hearsay.baseUrl() !== undefined;
      const isRecording = recordings.current() !== undefined;
      updateTray();
      Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(texts(), actions, isServing)));
      app.dock?.setMenu(Menu.buildFromTemplate(dockTemplate(texts(), actions, isRecording)));
    },
    updateTray,
  };
}

// Native menus: standard roles, pages and actions. Actions of the page are sent to it by their ids.

import type { MenuItemConstructorOptions } from "electron";
import type { PageCommand } from "../contract/desktop-bridge.ts";
import type { Messages } from "./messages.ts";

export type MenuActions = {
  /** Opens the window. */
  open(): void;
  command(...commands: readonly PageCommand[]): void;
  openFiles(): void;
  dictate(): void;
  showCaptions(): void;
  stopRecording(): void;
  setServing(isServing: boolean): void;
  copyBaseUrl(): void;
  openApiPage(): void;
  openDataFolder(): void;
  quit(): void;
};

const go = (path: string): PageCommand => ({ type: "go", path });
const run = (actionId: string): PageCommand => ({ type: "run", actionId });
const record = [go("/transcribe"), run("transcribe.record")] as const;

/** Pages in the order of the window's navigation. */
const pages = ["transcribe", "narrate", "library", "models", "channels", "server"] as const;

const separator: MenuItemConstructorOptions = { type: "separator" };

/** @param isServing whether the API port is open */
export function menuTemplate(
  texts: Messages,
  actions: MenuActions,
  isServing: boolean,
  system: NodeJS.Platform = process.platform,
): MenuItemConstructorOptions[] {
  const isMac = system === "darwin";
  return [
    ...(isMac ? [macAppMenu(texts, actions)] : []),
    fileMenu(texts, actions, isMac),
    editMenu(texts, actions),
    viewMenu(texts, actions),
    { role: "windowMenu" },
    {
      role: "help",
      label: texts.help,
      submenu: [
        { label: texts.apiPage, enabled: isServing, click: actions.openApiPage },
        { label: texts.dataFolder, click: actions.openDataFolder },
        ...(isMac ? [] : [{ role: "about" as const }]),
      ],
    },
  ];
}

const settingsEntry = (texts: Messages, { command }: MenuActions): MenuItemConstructorOptions => ({
  label: texts.settings,
  accelerator: "CmdOrCtrl+,",
  click: () => command(go("/settings")),
});

const macAppMenu = (texts: Messages, actions: MenuActions): MenuItemConstructorOptions => ({
  label: "Hearsay",
  submenu: [
    { role: "about" },
    separator,
    settingsEntry(texts, actions),
    separator,
    { role: "services" },
    separator,
    { role: "hide" },
    { role: "hideOthers" },
    { role: "unhide" },
    separator,
    { role: "quit", label: texts.quit },
  ],
});

const fileMenu = (
  texts: Messages,
  actions: MenuActions,
  isMac: boolean,
): MenuItemConstructorOptions => ({
  label: texts.file,
  submenu: [
    { label: texts.openFiles, accelerator: "CmdOrCtrl+O", click: actions.openFiles },
    ...(isMac
      ? [
          {
            role: "recentDocuments" as const,
            submenu: [{ role: "clearRecentDocuments" as const }],
          },
        ]
      : []),
    {
      label: texts.newNarration,
      accelerator: "CmdOrCtrl+N",
      click: () => actions.command(go("/narrate"), run("narrate.new")),
    },
    { label: texts.record, accelerator: "CmdOrCtrl+R", click: () => actions.command(...record) },
    { label: texts.dictate, click: actions.dictate },
    { label: texts.showCaptions, click: actions.showCaptions },
    separator,
    ...(isMac ? [] : [settingsEntry(texts, actions), separator]),
    { role: "close", label: texts.closeWindow },
    ...(isMac ? [] : [{ label: texts.quit, accelerator: "CmdOrCtrl+Q", click: actions.quit }]),
  ],
});

const editMenu = (texts: Messages, { command }: MenuActions): MenuItemConstructorOptions => ({
  label: texts.edit,
  submenu: [
    { role: "undo" },
    { role: "redo" },
    separator,
    { role: "cut" },
    { role: "copy" },
    { role: "paste" },
    { role: "pasteAndMatchStyle" },
    { role: "selectAll" },
    separator,
    {
      label: texts.search,
      accelerator: "CmdOrCtrl+Shift+F",
      click: () => command(go("/library"), run("library.search")),
    },
  ],
});

const viewMenu = (texts: Messages, { command }: MenuActions): MenuItemConstructorOptions => ({
  label: texts.view,
  submenu: [
    ...pages.map((page, index): MenuItemConstructorOptions => ({
      label: texts[page],
      accelerator: `CmdOrCtrl+${index + 1}`,
      click: () => command(go(`/${page}`)),
    })),
    separator,
    { role: "resetZoom" },
    { role: "zoomIn" },
    { role: "zoomOut" },
    separator,
    { role: "togglefullscreen" },
    { role: "toggleDevTools" },
  ],
});

/** @param baseUrl of the API; undefined while it is closed */
export function trayTemplate(
  texts: Messages,
  actions: MenuActions,
  baseUrl: string | undefined,
  isRecording = false,
): MenuItemConstructorOptions[] {
  const isServing = baseUrl !== undefined;
  return [
    { label: texts.open, click: actions.open },
    separator,
    {
      label: isServing ? texts.stopServer : texts.startServer,
      click: () => actions.setServing(!isServing),
    },
    { label: texts.copyBaseUrl, enabled: isServing, click: actions.copyBaseUrl },
    separator,
    ...dockTemplate(texts, actions, isRecording),
    separator,
    { label: texts.quit, click: actions.quit },
  ];
}

/** Entries that macOS adds to the app's dock menu. */
export const dockTemplate = (
  texts: Messages,
  { command, dictate, showCaptions, stopRecording }: MenuActions,
  isRecording: boolean,
): MenuItemConstructorOptions[] => [
  ...(isRecording ? [{ label: texts.stopRecording, click: stopRecording }] : []),
  { label: isRecording ? texts.showRecording : texts.record, click: () => command(...record) },
  { label: texts.dictate, click: dictate },
  { label: texts.showCaptions, click: showCaptions },
];

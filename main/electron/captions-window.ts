// The window with captions: small, on top of other programs, without their focus until it is clicked. There is at most
// one; its page transcribes, shows and records.

import { BrowserWindow, screen, type Rectangle, type WebContents } from "electron";
import type { Log } from "../log.ts";
import { confirmBeforeClosing, type ConfirmClosingDeps } from "./confirm-closing.ts";
import { onFirstPaint } from "./first-paint.ts";
import type { Messages } from "./messages.ts";
import { webPreferences } from "./web-preferences.ts";
import { readWindowState, saveWindowState } from "./window-state.ts";

export type CaptionsWindowDeps = {
  /** Base URL of our pages; the captions page is below it. */
  pageUrl: string;
  /** File with the window's position. */
  captionsStatePath: string;
  quit: ConfirmClosingDeps["quit"];
  texts(): Messages;
  log: Log;
};

export type CaptionsWindow = {
  /** Opens the window, or brings it to the front. */
  show(): void;
  ownsContents(contents: WebContents): boolean;
  close(): void;
};

const defaultSize = { width: 900, height: 240 };
const minSize = { minWidth: 320, minHeight: 120 };
const bottomMarginPx = 48;

export function createCaptionsWindow({
  pageUrl,
  captionsStatePath,
  quit,
  texts,
  log,
}: CaptionsWindowDeps): CaptionsWindow {
  let window: BrowserWindow | undefined;

  function open(): void {
    const newWindow = new BrowserWindow({
      ...(readWindowState(captionsStatePath, screen)?.bounds ?? defaultBounds()),
      ...minSize,
      show: false,
      frame: false,
      maximizable: false,
      title: "Hearsay",
      webPreferences,
    });
    window = newWindow;
    newWindow.setAlwaysOnTop(true, "screen-saver");
    newWindow.setVisibleOnAllWorkspaces(true, {
      visibleOnFullScreen: true,
      skipTransformProcessType: true,
    });
    onFirstPaint(newWindow, () => newWindow.showInactive());
    newWindow.on("close", () => saveWindowState(captionsStatePath, newWindow));
    confirmBeforeClosing(newWindow, { quit, texts, detail: ({ unsavedBody }) => unsavedBody });
    newWindow.on("closed", () => {
      if (window === newWindow) window = undefined;
    });
    newWindow.webContents.on("render-process-gone", () => newWindow.destroy());
    newWindow.loadURL(`${pageUrl}captions`).catch((error: unknown) => {
      if (newWindow.isDestroyed()) return;
      log.error({ err: error }, "the window for captions could not be loaded");
      newWindow.destroy();
    });
  }

  return {
    show() {
      if (window === undefined) open();
      else window.show();
    },
    ownsContents: (contents) => window?.webContents === contents,
    close() {
      window?.destroy();
      window = undefined;
    },
  };
}

/** Bottom center of the screen that contains the mouse pointer. */
function defaultBounds(): Rectangle {
  const { workArea } = screen.getDisplayNearestPoint(screen.getCursorScreenPoint());
  const width = Math.min(defaultSize.width, workArea.width);
  return {
    width,
    height: defaultSize.height,
    x: Math.round(workArea.x + (workArea.width - width) / 2),
    y: workArea.y + workArea.height - defaultSize.height - bottomMarginPx,
  };
}

// The main window: where it appears, what closing it means, and what it is told. There is one at most.

import { app, BrowserWindow, screen } from "electron";
import type { PageCommand } from "../contract/shell-bridge.ts";
import type { Log } from "../log.ts";
import { askBeforeClosing } from "./closing.ts";
import { atFirstPicture } from "./first-picture.ts";
import { told } from "./ipc-names.ts";
import type { Messages } from "./messages.ts";
import type { Outbox } from "./outbox.ts";
import type { Quit } from "./quit.ts";
import { webPreferences } from "./web-preferences.ts";
import { keepWindowPlace, readWindowPlace } from "./window-place.ts";

export type WindowsDeps = {
  /** Of our page. */
  pageUrl: string;
  /** File of where the window was. */
  placePath: string;
  outbox: Outbox;
  quit: Pick<Quit, "isUnderWay" | "callOff">;
  /** Closing the window leaves the server running. */
  keepsRunning(): boolean;
  /** There is an icon to open it again by. */
  hasTray(): boolean;
  /** The window was closed and is not: it is hidden or minimised. */
  onPutAway(): void;
  texts(): Messages;
  log: Log;
};

export type Windows = {
  /** Opens the window, or brings it to the front. */
  show(): void;
  /** Opened without being seen: at login. */
  openHidden(): void;
  /** Opens it where needed; in order, as soon as the page listens. */
  command(...commands: readonly PageCommand[]): void;
  main(): BrowserWindow | undefined;
  isFocused(): boolean;
};

const defaultSize = { width: 1280, height: 860 };
const minSize = { minWidth: 480, minHeight: 420 };
/** A page that ends by a fault more often than this is left alone. */
const crashesApartMs = 10_000;

export function createWindows({
  pageUrl,
  placePath,
  outbox,
  quit,
  keepsRunning,
  hasTray,
  onPutAway,
  texts,
  log,
}: WindowsDeps): Windows {
  let main: BrowserWindow | undefined;
  /** Of a window whose first picture is not there yet: is it to be seen then? */
  let opening: { isHidden: boolean } | undefined;

  function open(isHidden: boolean): BrowserWindow {
    const place = readWindowPlace(placePath, screen);
    const window = new BrowserWindow({
      ...defaultSize,
      ...minSize,
      ...place?.bounds,
      show: false,
      title: "Hearsay",
      autoHideMenuBar: true,
      webPreferences,
    });
    main = window;
    opening = { isHidden };
    const appear = atFirstPicture(window, () => {
      const isStillHidden = opening?.isHidden === true;
      opening = undefined;
      if (isStillHidden && hasTray()) return;
      if (place?.isMaximized === true) window.maximize();
      if (isStillHidden) window.minimize();
      else window.show();
    });
    window.on("close", (event) => {
      keepWindowPlace(placePath, window);
      if (quit.isUnderWay() || !keepsRunning()) return;
      event.preventDefault();
      // Without an icon in the tray a hidden window could not be found again.
      if (hasTray()) hide(window);
      else window.minimize();
      onPutAway();
    });
    askBeforeClosing(window, { quit, texts, detail: ({ unsavedBody }) => unsavedBody });
    window.on("closed", () => {
      main = undefined;
      opening = undefined;
      if (!quit.isUnderWay()) app.quit();
    });
    watchPage(window);
    window.loadURL(pageUrl).catch((error: unknown) => {
      if (window.isDestroyed()) return;
      log.error({ err: error }, "the window could not be loaded");
      // An empty window can at least be closed.
      appear();
    });
    return window;
  }

  function watchPage(window: BrowserWindow): void {
    const { webContents } = window;
    let crashedAtMs = -Infinity;
    webContents.on("render-process-gone", (_event, { reason, exitCode }) => {
      log.error({ reason, exitCode }, "the page ended by a fault");
      const nowMs = performance.now();
      if (reason !== "clean-exit" && nowMs - crashedAtMs > crashesApartMs && !window.isDestroyed())
        webContents.reload();
      crashedAtMs = nowMs;
    });
  }

  function show(): void {
    const window = main;
    if (window === undefined) open(false);
    if (window === undefined || opening !== undefined) {
      opening = { isHidden: false };
      return;
    }
    // A page that ended by a fault again and again gets another chance from whoever looks at it.
    if (window.webContents.isCrashed()) window.webContents.reload();
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  }

  return {
    show,
    openHidden: () => void (main ?? open(true)),
    command(...commands) {
      show();
      for (const command of commands)
        if (main !== undefined) outbox.send(main.webContents, told.command, command);
    },
    main: () => main,
    isFocused: () => main?.isFocused() === true,
  };
}

/** macOS leaves a black screen where one in full screen is hidden. */
function hide(window: BrowserWindow): void {
  if (process.platform !== "darwin" || !window.isFullScreen()) {
    window.hide();
    return;
  }
  window.once("leave-full-screen", () => window.hide());
  window.setFullScreen(false);
}

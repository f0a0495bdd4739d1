// The main window: where it appears, what closing it means, and what it is told. There is one at most.

import { app, BrowserWindow, screen } from "electron";
import type { PageCommand } from "../contract/shell-bridge.ts";
import type { Log } from "../log.ts";
import { confirmBeforeClosing } from "./confirm-closing.ts";
import { onFirstPaint } from "./first-paint.ts";
import { pushNames } from "./ipc-names.ts";
import type { Messages } from "./messages.ts";
import type { Outbox } from "./outbox.ts";
import type { Quit } from "./quit.ts";
import { webPreferences } from "./web-preferences.ts";
import { saveWindowState, readWindowState } from "./window-state.ts";

export type MainWindowDeps = {
  /** Of our page. */
  pageUrl: string;
  /** File of where the window was. */
  windowStatePath: string;
  outbox: Outbox;
  quit: Pick<Quit, "isQuitting" | "cancel">;
  /** Closing the window leaves the server running. */
  shouldKeepRunning(): boolean;
  /** There is an icon to open it again by. */
  hasTray(): boolean;
  /** The window was closed and is not: it is hidden or minimised. */
  onHidden(): void;
  texts(): Messages;
  log: Log;
};

export type MainWindow = {
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
const minCrashIntervalMs = 10_000;

export function createMainWindow({
  pageUrl,
  windowStatePath,
  outbox,
  quit,
  shouldKeepRunning,
  hasTray,
  onHidden,
  texts,
  log,
}: MainWindowDeps): MainWindow {
  let main: BrowserWindow | undefined;
  /** Of a window whose first picture is not there yet: is it to be seen then? */
  let pendingShow: { isHidden: boolean } | undefined;

  function open(isHidden: boolean): BrowserWindow {
    const savedState = readWindowState(windowStatePath, screen);
    const window = new BrowserWindow({
      ...defaultSize,
      ...minSize,
      ...savedState?.bounds,
      show: false,
      title: "Hearsay",
      autoHideMenuBar: true,
      webPreferences,
    });
    main = window;
    pendingShow = { isHidden };
    const revealWindow = onFirstPaint(window, () => {
      const isStillHidden = pendingShow?.isHidden === true;
      pendingShow = undefined;
      if (isStillHidden && hasTray()) return;
      if (savedState?.isMaximized === true) window.maximize();
      if (isStillHidden) window.minimize();
      else window.show();
    });
    window.on("close", (event) => {
      saveWindowState(windowStatePath, window);
      if (quit.isQuitting() || !shouldKeepRunning()) return;
      event.preventDefault();
      // Without an icon in the tray a hidden window could not be found again.
      if (hasTray()) hide(window);
      else window.minimize();
      onHidden();
    });
    confirmBeforeClosing(window, { quit, texts, detail: ({ unsavedBody }) => unsavedBody });
    window.on("closed", () => {
      main = undefined;
      pendingShow = undefined;
      if (!quit.isQuitting()) app.quit();
    });
    reloadOnCrash(window);
    window.loadURL(pageUrl).catch((error: unknown) => {
      if (window.isDestroyed()) return;
      log.error({ err: error }, "the window could not be loaded");
      // An empty window can at least be closed.
      revealWindow();
    });
    return window;
  }

  function reloadOnCrash(window: BrowserWindow): void {
    const { webContents } = window;
    let lastCrashAtMs = -Infinity;
    webContents.on("render-process-gone", (_event, { reason, exitCode }) => {
      log.error({ reason, exitCode }, "the page ended by a fault");
      const nowMs = performance.now();
      if (
        reason !== "clean-exit" &&
        nowMs - lastCrashAtMs > minCrashIntervalMs &&
        !window.isDestroyed()
      )
        webContents.reload();
      lastCrashAtMs = nowMs;
    });
  }

  function show(): void {
    const window = main;
    if (window === undefined) open(false);
    if (window === undefined || pendingShow !== undefined) {
      pendingShow = { isHidden: false };
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
        if (main !== undefined) outbox.send(main.webContents, pushNames.command, command);
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

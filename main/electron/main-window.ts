// The main window: position, closing and commands to its page. There is at most one.

import { app, BrowserWindow, screen } from "electron";
import type { PageCommand } from "../contract/desktop-bridge.ts";
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
  /** URL of our page. */
  pageUrl: string;
  /** File with the window's position. */
  windowStatePath: string;
  outbox: Outbox;
  quit: Pick<Quit, "isQuitting" | "cancel">;
  /** True if the server keeps running after the window is closed. */
  shouldKeepRunning(): boolean;
  /** True if there is a tray icon to open the window again. */
  hasTray(): boolean;
  /** Called when the user closed the window and it was hidden or minimized instead. */
  onHidden(): void;
  texts(): Messages;
  log: Log;
};

export type MainWindow = {
  /** Opens the window, or brings it to the front. */
  show(): void;
  /** Opens the window without showing it: at login. */
  openHidden(): void;
  /** Opens the window if needed; commands are sent in order once the page has subscribed. */
  command(...commands: readonly PageCommand[]): void;
  main(): BrowserWindow | undefined;
  isFocused(): boolean;
};

const defaultSize = { width: 1280, height: 860 };
const minSize = { minWidth: 480, minHeight: 420 };
/** A page that crashes again within this time is not reloaded. */
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
  /** Set until the first paint: whether the window is to stay hidden then. */
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
      // Without a tray icon the user could not reopen a hidden window.
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
    reloadOnCrash(window, log);
    window.loadURL(pageUrl).catch((error: unknown) => {
      if (window.isDestroyed()) return;
      log.error({ err: error }, "the window could not be loaded");
      // Show it, since the user can at least close an empty window.
      revealWindow();
    });
    return window;
  }

  function show(): void {
    const window = main;
    if (window === undefined) open(false);
    if (window === undefined || pendingShow !== undefined) {
      pendingShow = { isHidden: false };
      return;
    }
    // A page that crashed repeatedly is reloaded when the user opens the window.
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

function reloadOnCrash(window: BrowserWindow, log: Log): void {
  const { webContents } = window;
  let lastCrashAtMs = -Infinity;
  webContents.on("render-process-gone", (_event, { reason, exitCode }) => {
    log.error({ reason, exitCode }, "the page crashed");
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

/** On macOS hiding a full-screen window leaves a black screen, so leave full screen first. */
function hide(window: BrowserWindow): void {
  if (process.platform !== "darwin" || !window.isFullScreen()) {
    window.hide();
    return;
  }
  window.once("leave-full-screen", () => window.hide());
  window.setFullScreen(false);
}

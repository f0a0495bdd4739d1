// Dictation from anywhere: a press opens a small window that listens, the next one ends it; its text goes to the
// clipboard and, where that works and is wished, into the program in front. The listening, and what a press means
// at the time, is the page's.

import { setTimeout as pause } from "node:timers/promises";
import { BrowserWindow, type Rectangle, screen, type WebContents } from "electron";
import { sanitizeDictation, type DictationTextOptions } from "../contract/dictation-text.ts";
import type { Log } from "../log.ts";
import { confirmBeforeClosing, type ConfirmClosingDeps } from "./confirm-closing.ts";
import type { Clipboard } from "./clipboard.ts";
import { onFirstPaint } from "./first-paint.ts";
import { pushNames } from "./ipc-names.ts";
import type { Messages } from "./messages.ts";
import type { Notifications } from "./notifications.ts";
import type { Outbox } from "./outbox.ts";
import type { Typing } from "./typing.ts";
import { webPreferences } from "./web-preferences.ts";

export type DictationDeps = {
  /** Of our page; that of the small window is below it. */
  pageUrl: string;
  quit: ConfirmClosingDeps["quit"];
  outbox: Outbox;
  clipboard: Clipboard;
  typing: Typing;
  notifications: Notifications;
  /** The person wishes it. */
  shouldType(): boolean;
  /** What the person wants to be left of the text. */
  textOptions(): DictationTextOptions;
  texts(): Messages;
  log: Log;
  /** Until the program in front has the keys again. */
  focusReturnDelayMs?: number;
};

export type Dictation = {
  /** Begins to listen, or ends it. */
  toggle(): void;
  /** The page's text; empty: there was none. Resolves when it is on the clipboard; typing it goes on. */
  acceptText(text: string): Promise<void>;
  ownsContents(contents: WebContents): boolean;
  /** What the window knows is old: the next press loads it anew. Nothing happens while it is in use. */
  discardHiddenWindow(): void;
  close(): void;
};

const windowSize = { width: 420, height: 132 };
const bottomMarginPx = 48;
const defaultFocusReturnDelayMs = 150;

export function createDictation({
  pageUrl,
  quit,
  outbox,
  clipboard,
  typing,
  notifications,
  shouldType,
  textOptions,
  texts,
  log,
  focusReturnDelayMs = defaultFocusReturnDelayMs,
}: DictationDeps): Dictation {
  let window: BrowserWindow | undefined;
  /** Its first picture is not there yet. */
  let isOpening = false;

  function open(): void {
    const newWindow = new BrowserWindow({
      ...windowBounds(),
      show: false,
      frame: false,
      resizable: false,
      maximizable: false,
      minimizable: false,
      fullscreenable: false,
      skipTaskbar: true,
      title: "Hearsay",
      // On macOS a window of this kind takes no keys from the program in front.
      ...(process.platform === "darwin" ? { type: "panel" } : {}),
      webPreferences,
    });
    window = newWindow;
    isOpening = true;
    newWindow.setAlwaysOnTop(true, "screen-saver");
    newWindow.setVisibleOnAllWorkspaces(true, {
      visibleOnFullScreen: true,
      skipTransformProcessType: true,
    });
    // The program that is in front stays there.
    onFirstPaint(newWindow, () => {
      isOpening = false;
      newWindow.showInactive();
    });
    confirmBeforeClosing(newWindow, {
      quit,
      texts,
      detail: ({ unsavedDictation }) => unsavedDictation,
    });
    newWindow.on("closed", () => {
      if (window === newWindow) window = undefined;
    });
    newWindow.webContents.on("render-process-gone", () => newWindow.destroy());
    newWindow.loadURL(`${pageUrl}dictate`).catch((error: unknown) => {
      if (newWindow.isDestroyed()) return;
      log.error({ err: error }, "the window for dictation could not be loaded");
      newWindow.destroy();
    });
  }

  function close(): void {
    const closingWindow = window;
    window = undefined;
    closingWindow?.destroy();
  }

  async function type(): Promise<void> {
    const unavailableReason = typing.unavailableReason();
    if (unavailableReason !== undefined) {
      notifications.show(texts().copied, texts()[unavailableReason]);
      return;
    }
    try {
      await pause(focusReturnDelayMs);
      await typing.paste();
    } catch (error) {
      log.warn({ err: error }, "a dictation could not be typed");
      notifications.show(texts().copied, texts().notTyped);
    }
  }

  return {
    toggle() {
      if (window === undefined) {
        open();
        return;
      }
      // The one that was there before begins at once.
      if (!isOpening && !window.isVisible()) {
        window.setBounds(windowBounds());
        window.showInactive();
      }
      outbox.send(window.webContents, pushNames.dictationStop, undefined, true);
    },
    async acceptText(rawText) {
      // The last place before it reaches the clipboard and another program: no page and no provider is trusted to have done it.
      const text = sanitizeDictation(rawText, textOptions());
      const hasText = text !== "";
      // Before the window is put away: it shows the text where this fails.
      if (hasText) await clipboard.write(text);
      window?.hide();
      if (hasText && shouldType()) void type();
    },
    discardHiddenWindow() {
      if (!isOpening && window?.isVisible() === false) close();
    },
    ownsContents: (contents) => window?.webContents === contents,
    close,
  };
}

/** In the middle of the lower edge of the screen that the person looks at. */
function windowBounds(): Rectangle {
  const { workArea } = screen.getDisplayNearestPoint(screen.getCursorScreenPoint());
  return {
    ...windowSize,
    x: Math.round(workArea.x + (workArea.width - windowSize.width) / 2),
    y: workArea.y + workArea.height - windowSize.height - bottomMarginPx,
  };
}

// Global dictation: the shortcut opens a small window that records, a second press ends it. The text is copied to the
// clipboard and, if enabled and possible, pasted into the focused program. The page records and interprets the
// shortcut.

import { setTimeout as pause } from "node:timers/promises";
import type { BrowserWindow, WebContents } from "electron";
import { sanitizeDictation, type DictationTextOptions } from "../contract/dictation-text.ts";
import type { Log } from "../log.ts";
import { confirmBeforeClosing, type ConfirmClosingDeps } from "./confirm-closing.ts";
import type { Clipboard } from "./clipboard.ts";
import { createDictationWindow, dictationBounds } from "./dictation-window.ts";
import { onFirstPaint } from "./first-paint.ts";
import { pushNames } from "./ipc-names.ts";
import type { Messages } from "./messages.ts";
import type { Notifications } from "./notifications.ts";
import type { Outbox } from "./outbox.ts";
import type { Typing } from "./typing.ts";

export type DictationDeps = {
  /** Base URL of our pages; the dictation page is below it. */
  pageUrl: string;
  quit: ConfirmClosingDeps["quit"];
  outbox: Outbox;
  clipboard: Clipboard;
  typing: Typing;
  notifications: Notifications;
  /** True if typing is enabled in the preferences. */
  shouldType(): boolean;
  /** The user's options for the text. */
  textOptions(): DictationTextOptions;
  texts(): Messages;
  log: Log;
  /** Delay until the previous program has the focus again. */
  focusReturnDelayMs?: number;
};

export type Dictation = {
  /** Starts or ends dictation. */
  toggle(): void;
  /**
   * Receives the text from the page; empty if there is none. Resolves when it is copied; pasting continues in the
   * background.
   */
  acceptText(text: string): Promise<void>;
  ownsContents(contents: WebContents): boolean;
  /**
   * Closes a hidden window, whose page is outdated, so that the next press reloads it. No effect while it is in use.
   */
  discardHiddenWindow(): void;
  close(): void;
};

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
  /** True until the first paint. */
  let isOpening = false;

  function open(): void {
    const newWindow = createDictationWindow();
    window = newWindow;
    isOpening = true;
    // Show without activating, so that the current program keeps the focus.
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
      // A window that already exists starts recording at once.
      if (!isOpening && !window.isVisible()) {
        window.setBounds(dictationBounds());
        window.showInactive();
      }
      outbox.send(window.webContents, pushNames.dictationStop, undefined, true);
    },
    async acceptText(rawText) {
      // Sanitized here, before clipboard and other programs, since pages and providers are not trusted.
      const text = sanitizeDictation(rawText, textOptions());
      const hasText = text !== "";
      // Before hiding the window, which shows the text if copying fails.
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

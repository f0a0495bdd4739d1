// Dictation from anywhere: a press opens a small window that listens, the next one ends it; its text goes to the
// clipboard and, where that works and is wished, into the program in front. The listening, and what a press means
// at the time, is the page's.

import { setTimeout as pause } from "node:timers/promises";
import { BrowserWindow, type Rectangle, screen, type WebContents } from "electron";
import { cleanDictation, type DictationTextOptions } from "../contract/dictation-text.ts";
import type { Log } from "../log.ts";
import { askBeforeClosing, type ClosingDeps } from "./closing.ts";
import type { Clipboard } from "./clipboard.ts";
import { atFirstPicture } from "./first-picture.ts";
import { told } from "./ipc-names.ts";
import type { Messages } from "./messages.ts";
import type { Notices } from "./notices.ts";
import type { Outbox } from "./outbox.ts";
import type { Typing } from "./typing.ts";
import { webPreferences } from "./web-preferences.ts";

export type DictationDeps = {
  /** Of our page; that of the small window is below it. */
  pageUrl: string;
  quit: ClosingDeps["quit"];
  outbox: Outbox;
  clipboard: Clipboard;
  typing: Typing;
  notices: Notices;
  /** The person wishes it. */
  types(): boolean;
  /** What the person wants to be left of the text. */
  textOptions(): DictationTextOptions;
  texts(): Messages;
  log: Log;
  /** Until the program in front has the keys again. */
  focusReturnsMs?: number;
};

export type Dictation = {
  /** Begins to listen, or ends it. */
  press(): void;
  /** The page's text; empty: there was none. Resolves when it is on the clipboard; typing it goes on. */
  take(text: string): Promise<void>;
  isOf(contents: WebContents): boolean;
  /** What the window knows is old: the next press loads it anew. Nothing happens while it is in use. */
  forget(): void;
  close(): void;
};

const size = { width: 420, height: 132 };
const aboveEdge = 48;
const defaultFocusReturnsMs = 150;

export function createDictation({
  pageUrl,
  quit,
  outbox,
  clipboard,
  typing,
  notices,
  types,
  textOptions,
  texts,
  log,
  focusReturnsMs = defaultFocusReturnsMs,
}: DictationDeps): Dictation {
  let window: BrowserWindow | undefined;
  /** Its first picture is not there yet. */
  let isOpening = false;

  function open(): void {
    const opened = new BrowserWindow({
      ...place(),
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
    window = opened;
    isOpening = true;
    opened.setAlwaysOnTop(true, "screen-saver");
    opened.setVisibleOnAllWorkspaces(true, {
      visibleOnFullScreen: true,
      skipTransformProcessType: true,
    });
    // The program that is in front stays there.
    atFirstPicture(opened, () => {
      isOpening = false;
      opened.showInactive();
    });
    askBeforeClosing(opened, { quit, texts, detail: ({ unsavedDictation }) => unsavedDictation });
    opened.on("closed", () => {
      if (window === opened) window = undefined;
    });
    opened.webContents.on("render-process-gone", () => opened.destroy());
    opened.loadURL(`${pageUrl}dictate`).catch((error: unknown) => {
      if (opened.isDestroyed()) return;
      log.error({ err: error }, "the window for dictation could not be loaded");
      opened.destroy();
    });
  }

  function close(): void {
    const closing = window;
    window = undefined;
    closing?.destroy();
  }

  async function type(): Promise<void> {
    const hindrance = typing.hindrance();
    if (hindrance !== undefined) {
      notices.show(texts().copied, texts()[hindrance]);
      return;
    }
    try {
      await pause(focusReturnsMs);
      await typing.paste();
    } catch (error) {
      log.warn({ err: error }, "a dictation could not be typed");
      notices.show(texts().copied, texts().notTyped);
    }
  }

  return {
    press() {
      if (window === undefined) {
        open();
        return;
      }
      // The one that was there before begins at once.
      if (!isOpening && !window.isVisible()) {
        window.setBounds(place());
        window.showInactive();
      }
      outbox.send(window.webContents, told.dictationStop, undefined, true);
    },
    async take(dictated) {
      // The last place before it reaches the clipboard and another program: no page and no provider is trusted to have done it.
      const text = cleanDictation(dictated, textOptions());
      const hasText = text !== "";
      // Before the window is put away: it shows the text where this fails.
      if (hasText) await clipboard.write(text);
      window?.hide();
      if (hasText && types()) void type();
    },
    forget() {
      if (!isOpening && window?.isVisible() === false) close();
    },
    isOf: (contents) => window?.webContents === contents,
    close,
  };
}

/** In the middle of the lower edge of the screen that the person looks at. */
function place(): Rectangle {
  const { workArea } = screen.getDisplayNearestPoint(screen.getCursorScreenPoint());
  return {
    ...size,
    x: Math.round(workArea.x + (workArea.width - size.width) / 2),
    y: workArea.y + workArea.height - size.height - aboveEdge,
  };
}

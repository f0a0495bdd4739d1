// The small window of dictation: it stays on top of other programs and does not take their focus.

import { BrowserWindow, type Rectangle, screen } from "electron";
import { webPreferences } from "./web-preferences.ts";

const windowSize = { width: 420, height: 132 };
const bottomMarginPx = 48;

/** Opens it without showing it. */
export function createDictationWindow(): BrowserWindow {
  const window = new BrowserWindow({
    ...dictationBounds(),
    show: false,
    frame: false,
    resizable: false,
    maximizable: false,
    minimizable: false,
    fullscreenable: false,
    skipTaskbar: true,
    title: "Hearsay",
    // On macOS a panel does not take the keyboard focus from the current program.
    ...(process.platform === "darwin" ? { type: "panel" } : {}),
    webPreferences,
  });
  window.setAlwaysOnTop(true, "screen-saver");
  window.setVisibleOnAllWorkspaces(true, {
    visibleOnFullScreen: true,
    skipTransformProcessType: true,
  });
  return window;
}

/** Bottom center of the screen that contains the mouse pointer. */
export function dictationBounds(): Rectangle {
  const { workArea } = screen.getDisplayNearestPoint(screen.getCursorScreenPoint());
  return {
    ...windowSize,
    x: Math.round(workArea.x + (workArea.width - windowSize.width) / 2),
    y: workArea.y + workArea.height - windowSize.height - bottomMarginPx,
  };
}

// When a window that was made hidden may appear: once its page has a picture, so that nobody sees an empty one. Under
// Wayland a hidden window may never get one (electron#48859): on Linux a page that is loaded is enough.

import type { BrowserWindow } from "electron";

/** @returns what does it now, for a page that never comes; it is done once */
export function onFirstPaint(
  window: Pick<BrowserWindow, "once" | "isDestroyed" | "webContents">,
  showWindow: () => void,
  system: NodeJS.Platform = process.platform,
): () => void {
  let isDone = false;
  function showOnce(): void {
    if (isDone || window.isDestroyed()) return;
    isDone = true;
    showWindow();
  }
  window.once("ready-to-show", showOnce);
  if (system === "linux") window.webContents.once("did-finish-load", showOnce);
  return showOnce;
}

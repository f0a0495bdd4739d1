// Shows a window that was created hidden once its page is painted, so that it never appears empty. Under Wayland a
// hidden window may never be painted (electron#48859), so on Linux a loaded page is enough.

import type { BrowserWindow } from "electron";

/** @returns a function that shows it at once, for a page that never loads; the window is shown only once */
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

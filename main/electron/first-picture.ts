// When a window that was made hidden may appear: once its page has a picture, so that nobody sees an empty one. Under
// Wayland a hidden window may never get one (electron#48859): on Linux a page that is loaded is enough.

import type { BrowserWindow } from "electron";

/** @returns what does it now, for a page that never comes; it is done once */
export function atFirstPicture(
  window: Pick<BrowserWindow, "once" | "isDestroyed" | "webContents">,
  appear: () => void,
  system: NodeJS.Platform = process.platform,
): () => void {
  let isDone = false;
  function once(): void {
    if (isDone || window.isDestroyed()) return;
    isDone = true;
    appear();
  }
  window.once("ready-to-show", once);
  if (system === "linux") window.webContents.once("did-finish-load", once);
  return once;
}

// How our pages run: as any web page would, with nothing of Node and no powers of their own.

import { join } from "node:path";
import type { WebPreferences } from "electron";

/** In memory alone: nothing of a window outlives the app. */
export const partition = "ui";

export const webPreferences: WebPreferences = {
  // Bundled beside this file; a sandboxed preload cannot be an ES module.
  preload: join(import.meta.dirname, "preload.cjs"),
  partition,
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  webviewTag: false,
  experimentalFeatures: false,
  navigateOnDragDrop: false,
  disableBlinkFeatures: "Auxclick",
  // Its dictionaries would be fetched from the web.
  spellcheck: false,
  // A recording goes on while its window is hidden.
  backgroundThrottling: false,
  // The level meter of the small window begins without a click in it.
  autoplayPolicy: "no-user-gesture-required",
};

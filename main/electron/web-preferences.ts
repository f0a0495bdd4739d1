// Settings of our pages: sandboxed like any web page, without Node.

import { join } from "node:path";
import type { WebPreferences } from "electron";

/** In-memory partition: no window data outlives the app. */
export const partition = "ui";

export const webPreferences: WebPreferences = {
  // Bundled next to this file; a sandboxed preload cannot be an ES module.
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
  // Electron would download dictionaries from the web.
  spellcheck: false,
  // A recording continues while its window is hidden.
  backgroundThrottling: false,
  // The level meter of the dictation window starts without a click.
  autoplayPolicy: "no-user-gesture-required",
};

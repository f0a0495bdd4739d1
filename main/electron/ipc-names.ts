// What the preload and the main process call their messages.

/** Asked by a page, answered by bridge.ts. */
export const requestNames = {
  state: "hearsay:state",
  setOpensAtLogin: "hearsay:set-opens-at-login",
  checkForUpdate: "hearsay:check-for-update",
  downloadUpdate: "hearsay:download-update",
  installUpdate: "hearsay:install-update",
  showItem: "hearsay:show-item",
  openFolder: "hearsay:open-folder",
  offerMonitors: "hearsay:offer-monitors",
  dictated: "hearsay:dictated",
  setRecording: "hearsay:set-recording",
  /** A page listens to one of `pushNames` from now on. */
  subscribe: "hearsay:listening",
} as const;

/** Told to a page. */
export const pushNames = {
  state: "hearsay:new-state",
  command: "hearsay:command",
  dictationStop: "hearsay:dictation-stop",
} as const;
export type PushName = (typeof pushNames)[keyof typeof pushNames];

// Names of IPC messages between preload and main process.

/** Requests from pages, handled in bridge.ts. */
export const requestNames = {
  state: "hearsay:state",
  setOpensAtLogin: "hearsay:set-opens-at-login",
  checkForUpdate: "hearsay:check-for-update",
  downloadUpdate: "hearsay:download-update",
  installUpdate: "hearsay:install-update",
  showItem: "hearsay:show-item",
  openFolder: "hearsay:open-folder",
  pickFolder: "hearsay:pick-folder",
  offerMonitors: "hearsay:offer-monitors",
  openCaptions: "hearsay:open-captions",
  dictated: "hearsay:dictated",
  setRecording: "hearsay:set-recording",
  /** A page subscribes to one of `pushNames`. */
  subscribe: "hearsay:listening",
} as const;

/** Messages to pages. */
export const pushNames = {
  state: "hearsay:new-state",
  command: "hearsay:command",
  dictationStop: "hearsay:dictation-stop",
} as const;
export type PushName = (typeof pushNames)[keyof typeof pushNames];

// What the desktop window offers the page beyond HTTP: typed functions that the preload script sets at
// `window.hearsayDesktop`. Browsers have none of them; everything that browsers can do goes over HTTP.

import { z } from "zod";
import { messageReference } from "./messages/sent-message.ts";

/** Desktop preferences, stored with the other preferences. */
export const desktopPreferences = z.object({
  /** Closing the window keeps the server running, with an icon in the tray. */
  keepsRunning: z.boolean().default(false),
  /** Electron accelerator that starts dictation system-wide; empty: none. */
  dictationKeys: z.string().max(100).default("CommandOrControl+Shift+H"),
  /** Types the dictated text into the program in front, if the system allows it. */
  typesDictation: z.boolean().default(true),
  /**
   * Keeps line breaks of a dictation; otherwise they become spaces, since a line break can run a command or send a
   * message.
   */
  keepsDictatedLineBreaks: z.boolean().default(false),
  notifies: z.boolean().default(true),
  /** https address with electron-updater's files; empty: no updates. */
  updateFeed: z.union([z.literal(""), z.url({ protocol: /^https$/ })]).default(""),
});
export type DesktopPreferences = z.infer<typeof desktopPreferences>;

export const updateState = z.discriminatedUnion("step", [
  /** No feed is set, or no check was requested yet. */
  z.object({ step: z.literal("idle") }),
  z.object({ step: z.literal("checking") }),
  z.object({ step: z.literal("current") }),
  z.object({ step: z.literal("available"), version: z.string() }),
  /** A build without a publisher's key cannot install updates: it shows where to download the new version. */
  z.object({ step: z.literal("manual"), version: z.string(), url: z.string() }),
  z.object({
    step: z.literal("downloading"),
    version: z.string(),
    /** 0 to 1. */
    progress: z.number(),
  }),
  z.object({ step: z.literal("ready"), version: z.string() }),
  z.object({ step: z.literal("failed"), message: z.string(), ...messageReference }),
]);
export type UpdateState = z.infer<typeof updateState>;

/** State of the desktop on this machine. */
export const desktopState = z.object({
  system: z.enum(["darwin", "win32", "linux"]),
  /** Keys are encrypted by the system, or stored in a file that only this person can read. */
  keyring: z.enum(["system", "none"]),
  dictation: z.object({
    /** `taken`: another program uses the accelerator; `refused`: it is no valid accelerator. */
    keys: z.enum(["active", "taken", "refused", "off"]),
    /** Why typing into other programs is impossible, as a sentence; omitted if it is possible. */
    cannotType: z.string().optional(),
    /** Command to run on a desktop that binds keys itself. */
    command: z.string(),
  }),
  opensAtLogin: z.boolean(),
  canOpenAtLogin: z.boolean(),
  /** The page may capture system audio with getDisplayMedia. */
  hasSystemSound: z.boolean(),
  update: updateState,
  crashReports: z.int(),
});
export type DesktopState = z.infer<typeof desktopState>;

export const desktopFolders = ["data", "crashes"] as const;
export type DesktopFolder = (typeof desktopFolders)[number];

/** Commands of the menu and the tray to the page: a path to open, or the id of an action. */
export const pageCommand = z.discriminatedUnion("type", [
  z.object({ type: z.literal("go"), path: z.string() }),
  z.object({ type: z.literal("run"), actionId: z.string() }),
]);
export type PageCommand = z.infer<typeof pageCommand>;

/** A window is recording or paused; `sec` is the recorded time so far. */
export const recordingState = z.object({
  phase: z.enum(["recording", "paused", "ending"]),
  sec: z.number().min(0),
});
export type RecordingState = z.infer<typeof recordingState>;

export type DesktopBridge = {
  state(): Promise<DesktopState>;
  /** @returns function that unsubscribes */
  onState(listener: (state: DesktopState) => void): () => void;
  onCommand(listener: (command: PageCommand) => void): () => void;
  setOpensAtLogin(isOn: boolean): Promise<DesktopState>;
  checkForUpdate(): Promise<DesktopState>;
  downloadUpdate(): Promise<DesktopState>;
  /** Quits, installs and restarts. */
  installUpdate(): Promise<void>;
  /** Shows an item's audio in the file manager. @returns whether the item has audio */
  showItem(itemId: string): Promise<boolean>;
  openFolder(folder: DesktopFolder): Promise<void>;
  /** Asks for a folder in the system's dialog. @returns its full path; undefined if none was chosen */
  pickFolder(): Promise<string | undefined>;
  /** On Linux: makes outputs appear among the inputs, as `Monitor of …`. @returns how many there are */
  offerMonitors(): Promise<number>;
  /** Opens the small window with captions, or brings it to the front. */
  openCaptions(): Promise<void>;
  /**
   * Ends dictation in the small window. The text goes to the clipboard and, if enabled, into the program in front.
   * Empty: nothing was said.
   */
  dictated(text: string): Promise<void>;
  /** For the tray: state of this window's recording, once per second; undefined if it is not recording. */
  setRecording(state: RecordingState | undefined): Promise<void>;
  /** Asks the small window to stop listening. */
  onDictationStop(listener: () => void): () => void;
};

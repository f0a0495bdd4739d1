// What the desktop's window offers the page beyond HTTP: a few typed functions that the preload puts at
// `window.hearsayDesktop`. A browser has none of it. Everything that both can do goes over HTTP.

import { z } from "zod";

/** What the person chose for the desktop; kept with the other preferences. */
export const desktopPreferences = z.object({
  /** Closing the window leaves the server running, with its icon in the tray. */
  keepsRunning: z.boolean().default(false),
  /** Electron's accelerator that dictates from anywhere; empty: none. */
  dictationKeys: z.string().max(100).default("CommandOrControl+Shift+H"),
  /** What was dictated is typed into the program in front, where the system allows. */
  typesDictation: z.boolean().default(true),
  /** Line breaks of a dictation stay; otherwise they become spaces, since one can run a command or send a message. */
  keepsDictatedLineBreaks: z.boolean().default(false),
  notifies: z.boolean().default(true),
  /** Where updates are looked for: an https address with electron-updater's files; empty: nowhere. */
  updateFeed: z.union([z.literal(""), z.url({ protocol: /^https$/ })]).default(""),
});
export type DesktopPreferences = z.infer<typeof desktopPreferences>;

export const updateState = z.discriminatedUnion("step", [
  /** No feed is set, or nothing was asked for yet. */
  z.object({ step: z.literal("idle") }),
  z.object({ step: z.literal("checking") }),
  z.object({ step: z.literal("current") }),
  z.object({ step: z.literal("available"), version: z.string() }),
  /** A build without a publisher's key installs nothing: it says where the new version is. */
  z.object({ step: z.literal("manual"), version: z.string(), url: z.string() }),
  z.object({
    step: z.literal("downloading"),
    version: z.string(),
    /** 0 to 1. */ progress: z.number(),
  }),
  z.object({ step: z.literal("ready"), version: z.string() }),
  z.object({ step: z.literal("failed"), message: z.string() }),
]);
export type UpdateState = z.infer<typeof updateState>;

/** What is so on this machine right now. */
export const desktopState = z.object({
  system: z.enum(["darwin", "win32", "linux"]),
  /** Keys are sealed by the system, or lie in a file only this person can read. */
  keyring: z.enum(["system", "none"]),
  dictation: z.object({
    /** `taken`: another program has the keys; `refused`: they are no accelerator. */
    keys: z.enum(["active", "taken", "refused", "off"]),
    /** Why nothing can be typed into other programs, in a sentence; omitted if it can. */
    cannotType: z.string().optional(),
    /** What a desktop that binds keys itself is to run. */
    command: z.string(),
  }),
  opensAtLogin: z.boolean(),
  canOpenAtLogin: z.boolean(),
  /** The page may ask for the sound of the system with getDisplayMedia. */
  hasSystemSound: z.boolean(),
  update: updateState,
  crashReports: z.int(),
});
export type DesktopState = z.infer<typeof desktopState>;

export const desktopFolders = ["data", "crashes"] as const;
export type DesktopFolder = (typeof desktopFolders)[number];

/** What the menu and the tray ask of the page: a page of its own to open, or one of its actions by id. */
export const pageCommand = z.discriminatedUnion("type", [
  z.object({ type: z.literal("go"), path: z.string() }),
  z.object({ type: z.literal("run"), actionId: z.string() }),
]);
export type PageCommand = z.infer<typeof pageCommand>;

/** Something is recorded in a window, or was paused; seconds recorded so far. */
export const recordingState = z.object({
  phase: z.enum(["recording", "paused", "ending"]),
  sec: z.number().min(0),
});
export type RecordingState = z.infer<typeof recordingState>;

export type ShellBridge = {
  state(): Promise<DesktopState>;
  /** @returns how to stop */
  onState(listener: (state: DesktopState) => void): () => void;
  onCommand(listener: (command: PageCommand) => void): () => void;
  setOpensAtLogin(isOn: boolean): Promise<DesktopState>;
  checkForUpdate(): Promise<DesktopState>;
  downloadUpdate(): Promise<DesktopState>;
  /** Quits, installs and starts again. */
  installUpdate(): Promise<void>;
  /** Selects an item's sound in the file manager. @returns whether there is one */
  showItem(itemId: string): Promise<boolean>;
  openFolder(folder: DesktopFolder): Promise<void>;
  /** On Linux: has outputs listed among the inputs, as `Monitor of …`. @returns how many there are */
  offerMonitors(): Promise<number>;
  /** The small window's dictation is over: the text goes to the clipboard and, where wished, into the program in front; empty: there was nothing. */
  dictated(text: string): Promise<void>;
  /** For the tray: what this window records now, once a second; nothing: it does not. */
  setRecording(state: RecordingState | undefined): Promise<void>;
  /** The small window is asked to stop listening. */
  onDictationStop(listener: () => void): () => void;
};

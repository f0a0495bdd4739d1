// The windows and what depends on both of them: recordings, and files that are opened with Hearsay.

import { join } from "node:path";
import { app, systemPreferences, type WebContents } from "electron";
import type { App } from "../app.ts";
import type { Preferences } from "../contract/preferences.ts";
import type { WindowKind } from "./bridge.ts";
import { type CaptionsWindow, createCaptionsWindow } from "./captions-window.ts";
import { createDictation, type Dictation, type DictationDeps } from "./dictation.ts";
import { createFileOpener, type FileOpener } from "./file-opener.ts";
import { createMainWindow, type MainWindow, type MainWindowDeps } from "./main-window.ts";
import { createRecordings, type Recordings, stopRecordings } from "./recordings.ts";
import { createTyping, type Typing } from "./typing.ts";

export type WindowsDeps = Pick<MainWindowDeps, "quit" | "hasTray"> &
  Pick<DictationDeps, "pageUrl" | "outbox" | "clipboard" | "notifications" | "texts" | "log"> & {
    hearsay: Pick<App, "importFile">;
    preferences(): Preferences["desktop"];
    /** @param isPhaseChange more than the time has changed */
    onRecordingChange(isPhaseChange: boolean): void;
  };

export type Windows = {
  readonly mainWindow: MainWindow;
  readonly dictation: Dictation;
  readonly captions: CaptionsWindow;
  readonly typing: Typing;
  readonly fileOpener: FileOpener;
  readonly recordings: Recordings;
  kindOf(contents: WebContents): WindowKind;
  /** Stops all recordings, in whichever window. */
  stopRecording(): void;
};

export function createWindows(deps: WindowsDeps): Windows {
  const { preferences, onRecordingChange, outbox, notifications, texts } = deps;
  const recordings = createRecordings(onRecordingChange);
  const mainWindow = createMainWindow({
    ...deps,
    windowStatePath: join(app.getPath("userData"), "window.json"),
    shouldKeepRunning: () => preferences().keepsRunning,
    onHidden,
  });
  const typing = createTyping({
    isTrusted: () => systemPreferences.isTrustedAccessibilityClient(false),
  });
  const dictation = createDictation({
    ...deps,
    typing,
    shouldType: () => preferences().typesDictation,
    textOptions: () => ({ keepsLineBreaks: preferences().keepsDictatedLineBreaks }),
  });
  const captions = createCaptionsWindow({
    ...deps,
    captionsStatePath: join(app.getPath("userData"), "captions-window.json"),
  });
  const fileOpener = createFileOpener({ ...deps, mainWindow, dictate: dictation.toggle });

  /** Tells the user that the recording continues without its window. */
  function onHidden(): void {
    const main = mainWindow.main();
    if (main !== undefined && recordings.isRecording(main.webContents))
      notifications.show(texts().stillRecording, texts().stillRecordingBody, mainWindow.show);
  }

  return {
    mainWindow,
    dictation,
    captions,
    typing,
    fileOpener,
    recordings,
    kindOf: (contents) =>
      dictation.ownsContents(contents)
        ? "dictation"
        : captions.ownsContents(contents)
          ? "captions"
          : "main",
    stopRecording: () => stopRecordings(recordings, outbox, dictation.ownsContents),
  };
}

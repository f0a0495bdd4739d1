// IPC handlers for pages: they check the sender, then the arguments. See desktop.ts for the actions.

import { ipcMain, type IpcMainInvokeEvent, type WebContents } from "electron";
import { z } from "zod";
import { AppError } from "../contract/errors.ts";
import {
  type DesktopState,
  desktopFolders,
  type RecordingState,
  recordingState,
  type DesktopBridge,
} from "../contract/desktop-bridge.ts";
import { requestNames, pushNames, type PushName } from "./ipc-names.ts";
import { describeError, type Messages } from "./messages.ts";
import type { Outbox } from "./outbox.ts";

/** Windows have different rights. */
export type WindowKind = "main" | "dictation" | "captions";

/** Actions of the main window, and `dictated` of the dictation window. */
export type BridgeActions = Pick<
  DesktopBridge,
  | "setOpensAtLogin"
  | "checkForUpdate"
  | "downloadUpdate"
  | "installUpdate"
  | "showItem"
  | "openFolder"
  | "pickFolder"
  | "offerMonitors"
  | "openCaptions"
  | "dictated"
> & {
  state(): DesktopState;
  setRecording(contents: WebContents, state: RecordingState | undefined): void;
};

export type BridgeDeps = {
  /** Origin of our pages. */
  origin: string;
  outbox: Outbox;
  actions: BridgeActions;
  /** In the language of the window. */
  texts(): Messages;
  /**
   * Only the dictation window may send dictated text. It and the captions may not call the main window's actions, but
   * the captions may offer the outputs of this machine as their source.
   */
  windowOf(contents: WebContents): WindowKind;
};

const noArgs = z.tuple([]);
/** Enough for a day of continuous dictation. */
const maxTextLength = 1_000_000;

/** @returns a function that removes the handlers */
export function openBridge({ origin, outbox, actions, texts, windowOf }: BridgeDeps): () => void {
  const names: string[] = [];

  function handleFromWindow<Args extends z.ZodType<unknown[]>>(
    name: string,
    args: Args,
    action: (...args: z.output<Args>) => unknown,
    allowedWindows: readonly WindowKind[] = ["main"],
  ): void {
    handle(name, args, (contents, ...callArgs) => {
      if (!allowedWindows.includes(windowOf(contents))) throw notAllowedError(name);
      return action(...callArgs);
    });
  }

  function handle<Args extends z.ZodType<unknown[]>>(
    name: string,
    args: Args,
    action: (contents: WebContents, ...args: z.output<Args>) => unknown,
  ): void {
    names.push(name);
    ipcMain.handle(name, async (event, ...callArgs: unknown[]) => {
      if (!isOwnPage(event, origin)) throw notAllowedError(name);
      try {
        return await action(event.sender, ...args.parse(callArgs));
      } catch (error) {
        // Only the text of an error reaches the page.
        throw error instanceof AppError
          ? new Error(describeError(error, texts()), { cause: error })
          : error;
      }
    });
  }

  handle(requestNames.state, noArgs, () => actions.state());
  handleFromWindow(requestNames.setOpensAtLogin, z.tuple([z.boolean()]), actions.setOpensAtLogin);
  handleFromWindow(requestNames.checkForUpdate, noArgs, actions.checkForUpdate);
  handleFromWindow(requestNames.downloadUpdate, noArgs, actions.downloadUpdate);
  handleFromWindow(requestNames.installUpdate, noArgs, actions.installUpdate);
  handleFromWindow(requestNames.showItem, z.tuple([z.string().max(200)]), actions.showItem);
  handleFromWindow(requestNames.openFolder, z.tuple([z.enum(desktopFolders)]), actions.openFolder);
  handleFromWindow(requestNames.pickFolder, noArgs, actions.pickFolder);
  handleFromWindow(requestNames.offerMonitors, noArgs, actions.offerMonitors, ["main", "captions"]);
  handleFromWindow(requestNames.openCaptions, noArgs, actions.openCaptions);
  handleFromWindow(
    requestNames.dictated,
    z.tuple([z.string().max(maxTextLength)]),
    actions.dictated,
    ["dictation"],
  );
  handle(requestNames.setRecording, z.tuple([recordingState.optional()]), actions.setRecording);
  handle(
    requestNames.subscribe,
    z.tuple([z.enum(Object.values(pushNames) as [PushName, ...PushName[]])]),
    (contents, name) => outbox.flush(contents, name),
  );
  return () => names.forEach((name) => ipcMain.removeHandler(name));
}

/** True for the main frame of our page; false for other frames and pages. */
function isOwnPage({ sender, senderFrame }: IpcMainInvokeEvent, origin: string): boolean {
  return senderFrame !== null && senderFrame === sender.mainFrame && senderFrame.origin === origin;
}

const notAllowedError = (name: string): Error => new Error(`'${name}' is not for this page`);

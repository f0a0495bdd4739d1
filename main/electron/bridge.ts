// The one place where pages reach the main process: who asks is checked, then what they ask for. What is done then is
// given by desktop.ts.

import { ipcMain, type IpcMainInvokeEvent, type WebContents } from "electron";
import { z } from "zod";
import {
  type DesktopState,
  desktopFolders,
  type RecordingState,
  recordingState,
  type ShellBridge,
} from "../contract/shell-bridge.ts";
import { asked, told, type Told } from "./ipc-names.ts";
import type { Outbox } from "./outbox.ts";

/** What the main window may ask for, and the text from the small one. */
export type BridgeActions = Pick<
  ShellBridge,
  | "setOpensAtLogin"
  | "checkForUpdate"
  | "downloadUpdate"
  | "installUpdate"
  | "showItem"
  | "openFolder"
  | "offerMonitors"
  | "dictated"
> & {
  state(): DesktopState;
  setRecording(contents: WebContents, state: RecordingState | undefined): void;
};

export type BridgeDeps = {
  /** Of our own pages. */
  origin: string;
  outbox: Outbox;
  actions: BridgeActions;
  /** Is it the small window? That one alone hands over text; what the main one may do it may not. */
  isDictation(contents: WebContents): boolean;
};

const nothing = z.tuple([]);
/** A day of dictation without a break. */
const maxTextLength = 1_000_000;

/** @returns how to end it */
export function openBridge({ origin, outbox, actions, isDictation }: BridgeDeps): () => void {
  const names: string[] = [];

  function answer<Args extends z.ZodType<unknown[]>>(
    name: string,
    args: Args,
    act: (...args: z.output<Args>) => unknown,
    who: "main" | "dictation" = "main",
  ): void {
    serve(name, args, (contents, ...given) => {
      if (isDictation(contents) !== (who === "dictation")) throw refused(name);
      return act(...given);
    });
  }

  function serve<Args extends z.ZodType<unknown[]>>(
    name: string,
    args: Args,
    act: (contents: WebContents, ...args: z.output<Args>) => unknown,
  ): void {
    names.push(name);
    ipcMain.handle(name, (event, ...given: unknown[]) => {
      if (!isOwnPage(event, origin)) throw refused(name);
      return act(event.sender, ...args.parse(given));
    });
  }

  serve(asked.state, nothing, () => actions.state());
  answer(asked.setOpensAtLogin, z.tuple([z.boolean()]), actions.setOpensAtLogin);
  answer(asked.checkForUpdate, nothing, actions.checkForUpdate);
  answer(asked.downloadUpdate, nothing, actions.downloadUpdate);
  answer(asked.installUpdate, nothing, actions.installUpdate);
  answer(asked.showItem, z.tuple([z.string().max(200)]), actions.showItem);
  answer(asked.openFolder, z.tuple([z.enum(desktopFolders)]), actions.openFolder);
  answer(asked.offerMonitors, nothing, actions.offerMonitors);
  answer(asked.dictated, z.tuple([z.string().max(maxTextLength)]), actions.dictated, "dictation");
  serve(asked.setRecording, z.tuple([recordingState.optional()]), actions.setRecording);
  serve(
    asked.listening,
    z.tuple([z.enum(Object.values(told) as [Told, ...Told[]])]),
    (contents, name) => outbox.deliver(contents, name),
  );
  return () => names.forEach((name) => ipcMain.removeHandler(name));
}

/** Our page itself, not a frame in it, not another page. */
function isOwnPage({ sender, senderFrame }: IpcMainInvokeEvent, origin: string): boolean {
  return senderFrame !== null && senderFrame === sender.mainFrame && senderFrame.origin === origin;
}

const refused = (name: string): Error => new Error(`'${name}' is not for this page`);

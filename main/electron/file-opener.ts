// Handles files opened with Hearsay: imports and queues them, then shows them in the window. A start without files
// shows the window.

import { basename } from "node:path";
import { app, dialog } from "electron";
import type { App } from "../app.ts";
import { AppError } from "../contract/errors.ts";
import { mediaExtensions } from "../contract/media-files.ts";
import type { SentMessage } from "../contract/messages/messages.ts";
import { refusalReason, type RefusedFile } from "../instance/messages.ts";
import type { Log } from "../log.ts";
import { describeError, interpolate, type Messages } from "./messages.ts";
import type { RequestHandler } from "./open-requests.ts";
import type { MainWindow } from "./main-window.ts";

export type FileOpenerDeps = {
  hearsay: Pick<App, "importFile">;
  mainWindow: Pick<MainWindow, "show" | "openHidden" | "command">;
  dictate(): void;
  texts(): Messages;
  log: Log;
};

export type FileOpener = {
  open: RequestHandler;
  /** Opens a file picker. */
  showFilePicker(): void;
};

/** A longer list may not fit on the screen. */
const maxListedFiles = 10;

export function createFileOpener({
  hearsay,
  mainWindow,
  dictate,
  texts,
  log,
}: FileOpenerDeps): FileOpener {
  /** In order. More files may arrive during an import: macOS sends one event per file. */
  const queue: { path: string; settle(reason: SentMessage | undefined): void }[] = [];
  let isImporting = false;
  const go = (path: string): void => mainWindow.command({ type: "go", path });

  // Sequentially: copies compete for one disk.
  async function importQueue(): Promise<void> {
    const ids: string[] = [];
    const refused: string[] = [];
    let isClosing = false;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { path, settle } = next;
      try {
        ids.push((await hearsay.importFile(path)).id);
        settle(undefined);
        app.addRecentDocument(path);
        // If there are several files, show them as they are added.
        if (ids.length === 1 && queue.length > 0) go("/transcribe");
      } catch (error) {
        settle(refusalReason(error));
        isClosing ||= error instanceof AppError && error.key === "closing";
        if (!(error instanceof AppError)) log.error({ err: error }, "a file could not be opened");
        refused.push(`${basename(path)}: ${describeError(error, texts())}`);
      }
    }
    isImporting = false;
    // The app is closing, so there is no window to show errors.
    if (isClosing) return;
    const [id] = ids;
    if (id !== undefined && ids.length + refused.length === 1) go(`/transcribe/${id}`);
    if (refused.length > 0) await reportRefusedFiles(refused);
  }

  async function reportRefusedFiles(refused: readonly string[]): Promise<void> {
    const { notOpened, andMore } = texts();
    const more = refused.length - maxListedFiles;
    const detail = [
      ...refused.slice(0, maxListedFiles),
      ...(more > 0 ? [interpolate(andMore, { count: more })] : []),
    ].join("\n");
    await dialog.showMessageBox({ type: "warning", message: notOpened, detail });
  }

  async function importFiles(paths: readonly string[]): Promise<RefusedFile[]> {
    const outcomes = paths.map((path) => {
      const { promise, resolve } = Promise.withResolvers<SentMessage | undefined>();
      queue.push({ path, settle: resolve });
      return promise.then((reason) => (reason === undefined ? [] : [{ path, ...reason }]));
    });
    if (!isImporting && queue.length > 0) {
      isImporting = true;
      importQueue().catch((error: unknown) =>
        log.error({ err: error }, "files could not be opened"),
      );
    }
    return (await Promise.all(outcomes)).flat();
  }

  return {
    open({ paths, dictates, isHidden }) {
      if (isHidden || dictates) mainWindow.openHidden();
      else mainWindow.show();
      if (dictates) dictate();
      return importFiles(paths);
    },
    showFilePicker() {
      const { mediaFiles, allFiles } = texts();
      const filters = [
        { name: mediaFiles, extensions: [...mediaExtensions] },
        { name: allFiles, extensions: ["*"] },
      ];
      dialog
        .showOpenDialog({ properties: ["openFile", "multiSelections"], filters })
        .then(({ filePaths }) => importFiles(filePaths))
        .catch((error: unknown) => log.error({ err: error }, "files could not be picked"));
    },
  };
}

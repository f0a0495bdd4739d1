// What becomes of files that are opened with Hearsay: into the library and its queue, then the page goes where they
// are. A start without files shows the window.

import { basename } from 'node:path';
import { app, dialog } from 'electron';
import type { App } from '../app.ts';
import { AppError } from '../contract/errors.ts';
import type { Log } from '../log.ts';
import { filled, type Messages } from './messages.ts';
import type { OpenRequest } from './start-arguments.ts';
import type { Windows } from './windows.ts';

export type OpeningDeps = { hearsay: Pick<App, 'importFile'>; windows: Pick<Windows, 'show' | 'openHidden' | 'command'>; dictate(): void; texts(): Messages; log: Log };

export type Opening = {
  open(request: OpenRequest): void;
  /** Asks for files. */
  pick(): void;
};

/** Offered first where files are asked for. */
export const mediaExtensions = ['mp3', 'm4a', 'mp4', 'wav', 'webm', 'flac', 'ogg', 'oga', 'opus', 'mpeg', 'mpg', 'mpga', 'aac', 'aiff', 'wma', 'mov', 'mkv', 'avi'];
/** More would be higher than the screen. */
const mostTold = 10;

export function createOpening({ hearsay, windows, dictate, texts, log }: OpeningDeps): Opening {
  /** In order; more may come while some are taken in: macOS tells of each file by itself. */
  const waiting: string[] = [];
  let isTaking = false;
  const go = (path: string): void => windows.command({ type: 'go', path });

  // One after the other: each is copied, and the disk is one.
  async function take(): Promise<void> {
    const ids: string[] = [];
    const refused: string[] = [];
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      try {
        ids.push((await hearsay.importFile(path)).id);
        app.addRecentDocument(path);
        // Where there are many, they are seen to come.
        if (ids.length === 1 && waiting.length > 0) go('/transcribe');
      } catch (error) {
        if (error instanceof AppError && error.key === 'closing') return;
        if (!(error instanceof AppError)) log.error({ err: error }, 'a file could not be opened');
        refused.push(`${basename(path)}: ${(error as Error).message}`);
      }
    }
    isTaking = false;
    const [id] = ids;
    if (id !== undefined && ids.length + refused.length === 1) go(`/transcribe/${id}`);
    if (refused.length > 0) await tell(refused);
  }

  async function tell(refused: readonly string[]): Promise<void> {
    const { notOpened, andMore } = texts();
    const more = refused.length - mostTold;
    const detail = [...refused.slice(0, mostTold), ...(more > 0 ? [filled(andMore, { count: more })] : [])].join('\n');
    await dialog.showMessageBox({ type: 'warning', message: notOpened, detail });
  }

  function begin(paths: readonly string[]): void {
    for (const path of paths) waiting.push(path);
    if (isTaking || waiting.length === 0) return;
    isTaking = true;
    take().catch((error: unknown) => log.error({ err: error }, 'files could not be opened'));
  }

  return {
    open({ paths, dictates, isHidden }) {
      if (isHidden || dictates) windows.openHidden();
      else windows.show();
      if (dictates) dictate();
      begin(paths);
    },
    pick() {
      const { mediaFiles, allFiles } = texts();
      const filters = [{ name: mediaFiles, extensions: mediaExtensions }, { name: allFiles, extensions: ['*'] }];
      dialog
        .showOpenDialog({ properties: ['openFile', 'multiSelections'], filters })
        .then(({ filePaths }) => begin(filePaths))
        .catch((error: unknown) => log.error({ err: error }, 'files could not be picked'));
    },
  };
}

// What becomes of files that are opened with Hearsay: into the library and its queue, then the page goes where they
// are. A start without files shows the window.

import { basename } from 'node:path';
import { app, dialog } from 'electron';
import type { App } from '../app.ts';
import { AppError } from '../contract/errors.ts';
import type { Log } from '../log.ts';
import type { Messages } from './messages.ts';
import type { OpenRequest } from './start-arguments.ts';
import type { Windows } from './windows.ts';

export type OpeningDeps = { hearsay: Pick<App, 'importFile'>; windows: Pick<Windows, 'show' | 'openHidden' | 'command'>; dictate(): void; texts(): Messages; log: Log };

export type Opening = {
  open(request: OpenRequest): void;
  /** Asks for files. */
  pick(): void;
};

const mediaExtensions = ['mp3', 'm4a', 'mp4', 'wav', 'webm', 'flac', 'ogg', 'opus', 'mpeg', 'mpga', 'aac', 'aiff', 'wma', 'mov', 'mkv', 'avi'];

export function createOpening({ hearsay, windows, dictate, texts, log }: OpeningDeps): Opening {
  async function openFiles(paths: readonly string[]): Promise<void> {
    const ids: string[] = [];
    const refused: string[] = [];
    // One after the other: each is copied, and the disk is one.
    for (const path of paths) {
      try {
        ids.push((await hearsay.importFile(path)).id);
        app.addRecentDocument(path);
      } catch (error) {
        if (!(error instanceof AppError)) log.error({ err: error }, 'a file could not be opened');
        refused.push(`${basename(path)}: ${(error as Error).message}`);
      }
    }
    const [id] = ids;
    if (id !== undefined) windows.command({ type: 'go', path: ids.length === 1 ? `/transcribe/${id}` : '/transcribe' });
    if (refused.length > 0) await dialog.showMessageBox({ type: 'warning', message: texts().notOpened, detail: refused.join('\n') });
  }

  function begin(paths: readonly string[]): void {
    if (paths.length > 0) openFiles(paths).catch((error: unknown) => log.error({ err: error }, 'files could not be opened'));
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
      void dialog.showOpenDialog({ properties: ['openFile', 'multiSelections'], filters }).then(({ filePaths }) => begin(filePaths));
    },
  };
}

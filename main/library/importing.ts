// Brings an exported archive of the library back in. Items that are there already are left as they are.

import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, statfs } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { z } from 'zod';
import { runChildTask } from '../child-task.ts';
import { AppError } from '../contract/errors.ts';
import { pronunciation } from '../contract/studio.ts';
import type { LibraryImport } from '../contract/studio-api.ts';
import type { ChildPort } from '../platform.ts';
import { retryWhileBusy } from '../storage/retry-while-busy.ts';
import type { UnpackProgress, UnpackTask } from './archive-child.ts';
import type { Database } from './database.ts';
import type { Items } from './items.ts';
import type { LibraryTasksElsewhere } from './library-tasks.ts';
import type { Pronunciations } from './pronunciations.ts';

export type LibraryImporting = {
  /** @param archivePath of a ZIP file @throws AppError where it is no archive, or the disk has no room: nothing was changed then */
  run(archivePath: string, signal: AbortSignal): Promise<LibraryImport>;
};

export type LibraryImportingDeps = {
  database: Database;
  items: Pick<Items, 'folder' | 'measure'>;
  tasks: Pick<LibraryTasksElsewhere, 'bringBack'>;
  pronunciations: Pronunciations;
  launchChild(modulePath: string): ChildPort;
  tempDir(): string;
  onProgress?(progress: UnpackProgress): void;
};

/** Left free on the disk for everything else. */
const reserveBytes = 256 * 2 ** 20;
// As this file is: source, or what was made of it.
const childModule = join(import.meta.dirname, `archive-child${extname(import.meta.filename)}`);

const libraryFile = z.object({ pronunciations: z.array(pronunciation).max(5000) });

export function createLibraryImporting({ database, items, tasks, pronunciations, launchChild, tempDir, onProgress = () => {} }: LibraryImportingDeps): LibraryImporting {
  const isKnown = (id: string): boolean => database.sqlite.prepare('SELECT 1 FROM items WHERE id = ?').get(id) !== undefined;

  async function bringBack(staged: string, id: string): Promise<void> {
    await retryWhileBusy(() => tasks.bringBack(id, staged, items.folder(id)));
    await items.measure(id);
  }

  /** Words that have no pronunciation here yet. */
  async function addPronunciations(path: string): Promise<void> {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined) return;
    const known = pronunciations.list();
    const { pronunciations: given } = libraryFile.parse(JSON.parse(text));
    const fresh = given.filter(({ word }) => !known.some((other) => other.word === word));
    if (fresh.length > 0) pronunciations.replace([...known, ...fresh]);
  }

  return {
    async run(archivePath, signal) {
      const staging = join(tempDir(), `import-${randomUUID()}`);
      await mkdir(staging, { mode: 0o700 });
      try {
        const { bavail, bsize } = await statfs(staging);
        const task: UnpackTask = { archivePath, toDir: staging, maxBytes: Math.max(0, bavail * bsize - reserveBytes) };
        await runChildTask(() => launchChild(childModule), task, { signal, onProgress: (progress) => onProgress(progress as UnpackProgress) });
        const ids = (await readdir(staging, { withFileTypes: true })).filter((entry) => entry.isDirectory()).map(({ name }) => name);
        if (ids.length === 0) throw new AppError('invalid_request', 'This is not an archive of a Hearsay library.');
        const outcome: LibraryImport = { restored: 0, existing: 0, failed: [] };
        for (const id of ids) {
          signal.throwIfAborted();
          if (isKnown(id)) outcome.existing += 1;
          else {
            try {
              await bringBack(join(staging, id), id);
              outcome.restored += 1;
            } catch (error) {
              if (error instanceof AppError && error.row.status >= 500) throw error;
              outcome.failed.push(id);
            }
          }
        }
        await addPronunciations(join(staging, 'library.json')).catch(() => outcome.failed.push('library.json'));
        return outcome;
      } finally {
        await rm(staging, { recursive: true, force: true, maxRetries: 5 });
      }
    },
  };
}

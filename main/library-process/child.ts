// The module of the library's process: does the tasks it is told, one after the other, on a connection of its own.

import { connectToParent } from '../children/child-port.ts';
import { startWatchdog } from '../children/start-watchdog.ts';
import { AppError, storageFailure } from '../contract/errors.ts';
import { openExisting } from '../library/database.ts';
import type { LibraryTask } from '../library/library-tasks.ts';
import type { FromChild, ToChild } from './messages.ts';
import { createLibraryTasks } from './tasks.ts';

// Where the app ends while a statement runs, which may take seconds.
const parent = connectToParent(startWatchdog());
const tell = (message: FromChild): void => parent.send(message);

const open = (path: string): Record<LibraryTask, (...args: readonly unknown[]) => unknown> =>
  createLibraryTasks(openExisting(path, (error) => tell({ type: 'damage', message: (error as Error).message })), (itemId, revision) => tell({ type: 'document', itemId, revision })) as never;

let tasks: ReturnType<typeof open> | undefined;
let last: Promise<void> = Promise.resolve();
parent.onMessage((message) => (last = last.then(() => perform(message as ToChild))));

async function perform({ path, id, task, args }: ToChild): Promise<void> {
  try {
    tasks ??= open(path);
    tell({ type: 'done', id, result: await tasks[task](...args) });
  } catch (error) {
    const known = error instanceof AppError ? error : storageFailure(error);
    const { key, param, retryAfterSec } = known ?? {};
    tell({
      type: 'failed',
      id,
      message: known?.message ?? String((error as Error).stack),
      ...(key === undefined ? {} : { key }),
      ...(param === undefined ? {} : { param }),
      ...(retryAfterSec === undefined ? {} : { retryAfterSec }),
    });
  }
}

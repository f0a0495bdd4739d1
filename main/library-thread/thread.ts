// The module of the library's thread: does the tasks it is told, one after the other, on a connection of its own.

import { parentPort, workerData } from 'node:worker_threads';
import { AppError, storageFailure } from '../contract/errors.ts';
import { openDatabase } from '../library/database.ts';
import type { LibraryTask } from '../library/library-tasks.ts';
import type { FromThread, ToThread } from './messages.ts';
import { createLibraryTasks } from './tasks.ts';

const { path } = workerData as { path: string };

function tell(message: FromThread): void {
  const bytes = message.type === 'done' && message.result instanceof Uint8Array ? message.result : undefined;
  // Small buffers share their memory with others.
  const isOwn = bytes !== undefined && bytes.byteLength === bytes.buffer.byteLength;
  parentPort?.postMessage(message, isOwn ? [bytes.buffer as ArrayBuffer] : []);
}

const database = openDatabase(path, undefined, { onDamage: (error) => tell({ type: 'damage', message: (error as Error).message }) });
const tasks = createLibraryTasks(database, (itemId, revision) => tell({ type: 'document', itemId, revision })) as Record<LibraryTask, (...args: readonly unknown[]) => unknown>;

let last: Promise<void> = Promise.resolve();
parentPort?.on('message', (message: ToThread) => (last = last.then(() => perform(message))));

async function perform({ id, task, args }: ToThread): Promise<void> {
  try {
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

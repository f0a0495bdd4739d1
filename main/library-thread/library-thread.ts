// The library's second thread, as the main thread sees it: started for the first task, ended when there was none for a
// while, so that its memory is held only while it is of use.

import { statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '../contract/errors.ts';
import type { LibraryTask, LibraryTasksElsewhere } from '../library/library-tasks.ts';
import { beforeWrite } from '../storage/disk.ts';
import type { FromThread, ToThread } from './messages.ts';
import type { OnDocument } from './tasks.ts';

export type LibraryThread = {
  readonly tasks: LibraryTasksElsewhere;
  isRunning(): boolean;
  /** Ends what is under way as a whole or not at all. */
  close(): Promise<void>;
};

export type LibraryThreadDeps = {
  /** Of the library's file, which exists. */
  path: string;
  onDocument: OnDocument;
  /** Something in the file could not be read. */
  onDamage(error: unknown): void;
  idleMs?: number;
};

const usualIdleMs = 30_000;
const maxLogBytes = 4 * 2 ** 20;
const lookEveryMs = 10_000;
/** Of V8: a task that needs more fails, and the app goes on. */
const maxHeapMb = 1024;
// As this file is: source, or what was made of it.
const threadModule = join(import.meta.dirname, `thread${extname(import.meta.filename)}`);

/** Each with whether it writes. */
const writes: Readonly<Record<LibraryTask, boolean>> = {
  search: false, readDocument: false, exportTranscript: false, exportNarration: false, checkpoint: false,
  replace: true, changeDocument: true, bringBack: true, changeNarration: true, addWork: true, dropWork: true, dropItem: true,
};

type Asked = PromiseWithResolvers<unknown>;

export function createLibraryThread({ path, onDocument, onDamage, idleMs = usualIdleMs }: LibraryThreadDeps): LibraryThread {
  const asked = new Map<number, Asked>();
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let count = 0;
  let isClosed = false;
  const looking = setInterval(() => {
    const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    // A log that could not be emptied, since somebody reads, is found again.
    if (logBytes > maxLogBytes) run('checkpoint', []).catch(() => {});
  }, lookEveryMs).unref();

  function end(): Promise<number> | undefined {
    clearTimeout(idle);
    const ended = worker;
    worker = undefined;
    return ended?.terminate();
  }

  function fail(error: Error): void {
    for (const { reject } of asked.values()) reject(error);
    asked.clear();
  }

  function start(): Worker {
    const started = new Worker(threadModule, { workerData: { path }, resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
    started.on('message', take);
    started.on('error', (error: Error) => {
      if (worker === started) worker = undefined;
      fail(error);
    });
    return started;
  }

  function take(message: FromThread): void {
    if (message.type === 'document') return onDocument(message.itemId, message.revision);
    if (message.type === 'damage') return onDamage(new Error(message.message));
    const { resolve, reject } = asked.get(message.id) ?? {};
    asked.delete(message.id);
    if (message.type === 'done') resolve?.(message.result);
    else reject?.(failure(message));
    if (asked.size > 0) return;
    worker?.unref();
    idle = setTimeout(() => void end(), idleMs).unref();
  }

  async function run(task: LibraryTask, args: readonly unknown[]): Promise<unknown> {
    if (isClosed) throw new AppError('closing', 'Hearsay is shutting down.');
    if (writes[task]) beforeWrite('database');
    clearTimeout(idle);
    worker ??= start();
    worker.ref();
    const id = (count += 1);
    const answer = Promise.withResolvers<unknown>();
    asked.set(id, answer);
    worker.postMessage({ id, task, args } satisfies ToThread, []);
    return answer.promise;
  }

  return {
    tasks: Object.fromEntries(Object.keys(writes).map((task) => [task, (...args: unknown[]) => run(task as LibraryTask, args)])) as LibraryTasksElsewhere,
    isRunning: () => worker !== undefined,
    async close() {
      isClosed = true;
      clearInterval(looking);
      await Promise.allSettled(Array.from(asked.values(), ({ promise }) => promise));
      await end();
    },
  };
}

function failure({ message, key, param, retryAfterSec }: Extract<FromThread, { type: 'failed' }>): Error {
  if (key === undefined) return new Error(message);
  return new AppError(key, message, { ...(param === undefined ? {} : { param }), ...(retryAfterSec === undefined ? {} : { retryAfterSec }) });
}

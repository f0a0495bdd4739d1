// The library's process, as the app sees it: started for the first task, ended when there was none for a while, so that
// its memory is held only while it is of use.

import { statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { AppError } from '../contract/errors.ts';
import type { LibraryTask, LibraryTasksElsewhere } from '../library/library-tasks.ts';
import type { ChildPort } from '../platform.ts';
import { beforeWrite } from '../storage/disk.ts';
import type { FromChild, ToChild } from './messages.ts';
import type { OnDocument } from './tasks.ts';

export type LibraryProcess = {
  readonly tasks: LibraryTasksElsewhere;
  isRunning(): boolean;
  /** Ends what is under way as a whole or not at all. */
  close(): Promise<void>;
};

export type LibraryProcessDeps = {
  /** Of the library's file, which exists. */
  path: string;
  launchChild(modulePath: string, options: { maxHeapMb: number }): ChildPort;
  onDocument: OnDocument;
  /** Something in the file could not be read. */
  onDamage(error: unknown): void;
  idleMs?: number;
};

const defaultIdleMs = 10_000;
const maxLogBytes = 4 * 2 ** 20;
const lookEveryMs = 10_000;
/** Of V8: a task that needs more fails, and the app goes on. */
const maxHeapMb = 1024;
// As this file is: source, or what was made of it.
const childModule = join(import.meta.dirname, `child${extname(import.meta.filename)}`);

/** Each with whether it writes. */
const writes: Readonly<Record<LibraryTask, boolean>> = {
  search: false, readDocument: false, exportTranscript: false, exportNarration: false, checkpoint: false,
  replace: true, changeDocument: true, bringBack: true, changeNarration: true, addWork: true, dropWork: true, dropItem: true,
};

type Asked = PromiseWithResolvers<unknown>;

/** It ended before it answered. */
class ChildLost extends Error {}

export function createLibraryProcess({ path, launchChild, onDocument, onDamage, idleMs = defaultIdleMs }: LibraryProcessDeps): LibraryProcess {
  const asked = new Map<number, Asked>();
  let child: ChildPort | undefined;
  let idle: NodeJS.Timeout | undefined;
  let count = 0;
  let isClosed = false;
  const looking = setInterval(() => {
    // A log that could not be emptied, since somebody reads, is found again.
    if (sizeOf(`${path}-wal`) > maxLogBytes) run('checkpoint', []).catch(() => {});
  }, lookEveryMs).unref();

  function end(): void {
    clearTimeout(idle);
    const ended = child;
    child = undefined;
    ended?.kill();
  }

  function fail(error: Error): void {
    for (const { reject } of asked.values()) reject(error);
    asked.clear();
  }

  function start(): ChildPort {
    const started = launchChild(childModule, { maxHeapMb });
    started.onMessage((message) => take(message as FromChild));
    started.onExit((how) => {
      if (child !== started) return;
      child = undefined;
      fail(new ChildLost(`the library's process ${how}: ${started.stderrTail()}`));
    });
    return started;
  }

  function take(message: FromChild): void {
    if (message.type === 'document') return onDocument(message.itemId, message.revision);
    if (message.type === 'damage') return onDamage(new Error(message.message));
    const { resolve, reject } = asked.get(message.id) ?? {};
    asked.delete(message.id);
    if (message.type === 'done') resolve?.(message.result);
    else reject?.(failure(message));
    if (asked.size > 0) return;
    idle = setTimeout(end, idleMs).unref();
  }

  async function run(task: LibraryTask, args: readonly unknown[]): Promise<unknown> {
    if (isClosed) throw new AppError('closing', 'Hearsay is shutting down.');
    if (writes[task]) beforeWrite('database');
    clearTimeout(idle);
    child ??= start();
    const id = (count += 1);
    const answer = Promise.withResolvers<unknown>();
    asked.set(id, answer);
    child.send({ path, id, task, args } satisfies ToChild);
    return answer.promise;
  }

  /** What only reads can be asked again. */
  async function runTwice(task: LibraryTask, args: readonly unknown[]): Promise<unknown> {
    try {
      return await run(task, args);
    } catch (error) {
      if (!(error instanceof ChildLost) || writes[task]) throw error;
      return run(task, args);
    }
  }

  return {
    tasks: Object.fromEntries(Object.keys(writes).map((task) => [task, (...args: unknown[]) => runTwice(task as LibraryTask, args)])) as LibraryTasksElsewhere,
    isRunning: () => child !== undefined,
    async close() {
      isClosed = true;
      clearInterval(looking);
      await Promise.allSettled(Array.from(asked.values(), ({ promise }) => promise));
      end();
    },
  };
}

/** 0 also where the disk does not tell. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

function failure({ message, key, param, retryAfterSec }: Extract<FromChild, { type: 'failed' }>): Error {
  if (key === undefined) return new Error(message);
  return new AppError(key, message, { ...(param === undefined ? {} : { param }), ...(retryAfterSec === undefined ? {} : { retryAfterSec }) });
}

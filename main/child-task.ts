// One task in a child process of its own, which is gone afterwards: for work that is rare, and heavy or on untrusted
// files. The child's end is child-task-end.ts.

import { AppError, type ErrorKey, errorTable } from './contract/errors.ts';
import type { ChildPort } from './platform.ts';

export type ChildTaskOptions = { signal: AbortSignal; onProgress?(progress: unknown): void };

/** @returns what the child answered @throws AppError that the child threw; the signal's reason; Error where the child ended without an answer */
export async function runChildTask(launch: () => ChildPort, task: unknown, { signal, onProgress = () => {} }: ChildTaskOptions): Promise<unknown> {
  signal.throwIfAborted();
  const child = launch();
  const ended = Promise.withResolvers<unknown>();
  const stop = (): void => ended.reject(signal.reason);
  signal.addEventListener('abort', stop);
  child.onMessage((raw) => {
    const message = raw as { type: string; value?: unknown; key?: string; message?: string };
    if (message.type === 'progress') onProgress(message.value);
    else if (message.type === 'done') ended.resolve(message.value);
    else if (message.type === 'failed') ended.reject(failure(message));
  });
  child.onExit((how) => ended.reject(new Error(`a child process ${how}: ${child.stderrTail()}`)));
  child.send(task);
  try {
    return await ended.promise;
  } finally {
    signal.removeEventListener('abort', stop);
    child.kill();
  }
}

function failure({ key, message = 'unknown reason' }: { key?: string; message?: string }): Error {
  return key !== undefined && Object.hasOwn(errorTable, key) ? new AppError(key as ErrorKey, message) : new Error(message);
}

// Reads documents in child processes, one process a document, a few at a time. Each has limited time and memory; one
// that exceeds them is killed, and only the request for that document fails.

import { AppError } from '../../contract/errors.ts';
import type { Log } from '../../log.ts';
import type { ChildPort } from '../../platform.ts';
import type { FromImportChild, ToImportChild } from './import-protocol.ts';

export type DocumentImport = {
  /**
   * Resolves when the result is in the file `outputPath`. Whoever asks removes both files.
   * @throws AppError where the document cannot be read; the signal's reason
   */
  read(document: ToImportChild, signal: AbortSignal): Promise<void>;
  /** Kills what is running. Resolves when no process is left. */
  close(): Promise<void>;
};

export type DocumentImportDeps = {
  /** Starts import-child.ts with a limited heap. */
  launch(): ChildPort;
  log: Log;
  timeLimitMs?: number;
};

const defaultTimeLimitMs = 30_000;
/** Of V8, for the child. A document of the longest script, with every character two bytes, needs about half of it. */
export const maxImportHeapMb = 768;
/** More would compete for the memory of one machine. */
const maxProcesses = 2;

export function createDocumentImport({ launch, log, timeLimitMs = defaultTimeLimitMs }: DocumentImportDeps): DocumentImport {
  const closing = new AbortController();
  const running = new Set<Promise<void>>();

  return {
    async read(document, requestSignal) {
      const signal = AbortSignal.any([requestSignal, closing.signal]);
      while (running.size >= maxProcesses) await Promise.race([...running, aborted(signal)]);
      signal.throwIfAborted();
      const work = runChild(launch, document, { timeLimitMs, signal, log });
      const settled = work.then(() => {}, () => {});
      running.add(settled);
      void settled.then(() => running.delete(settled));
      await work;
    },
    async close() {
      closing.abort(new AppError('closing', 'Hearsay is shutting down.'));
      await Promise.all(running);
    },
  };
}

type RunOptions = { timeLimitMs: number; signal: AbortSignal; log: Log };

/** Settles when the process is gone. */
async function runChild(launch: () => ChildPort, document: ToImportChild, { timeLimitMs, signal, log }: RunOptions): Promise<void> {
  const child = launch();
  const exited = Promise.withResolvers<string>();
  child.onExit(exited.resolve);
  let answer: FromImportChild | undefined;
  let isLate = false;
  child.onMessage((message) => {
    answer = message as FromImportChild;
    child.kill();
  });
  const kill = (): void => child.kill();
  signal.addEventListener('abort', kill, { once: true });
  const timer = setTimeout(() => {
    isLate = true;
    child.kill();
  }, timeLimitMs);
  try {
    child.send(document);
    const reason = await exited.promise;
    if (answer?.type === 'done') return;
    if (answer !== undefined) throw new AppError(answer.key, answer.message, answer.param === undefined ? {} : { param: answer.param });
    signal.throwIfAborted();
    log.warn({ reason, isLate, stderr: child.stderrTail() }, 'a document could not be read');
    throw isLate ? tooSlow(timeLimitMs) : tooHard();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

const tooSlow = (limitMs: number): AppError => new AppError('unsupported_format', `The file takes longer than ${limitMs / 1000} seconds to read. It may be damaged, or needs to be split into several files.`);
const tooHard = (): AppError => new AppError('unsupported_format', 'The file could not be read: it needs more memory than a document may take, or is damaged.');

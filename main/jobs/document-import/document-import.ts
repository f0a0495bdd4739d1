// Reads each document in a child process of its own, with limited concurrency. A process that exceeds its limits is
// killed, which fails only the request for that document.

import { extname, join } from "node:path";
import { ChildTaskLostError, runChildTask } from "../../processes/run-task.ts";
import { AppError } from "../../contract/errors.ts";
import type { Log } from "../../log.ts";
import type { Platform } from "../../platform.ts";

/** Contains paths instead of contents, so that messages stay small. */
export type DocumentTask = {
  /** File name of the document. */
  name: string;
  inputPath: string;
  /** Receives JSON: title, author, script, cover. */
  outputPath: string;
};

export type DocumentImport = {
  /**
   * Resolves when the result is in the file `outputPath`. The caller deletes both files.
   * @throws AppError if the document cannot be read; the signal's reason
   */
  read(document: DocumentTask, signal: AbortSignal): Promise<void>;
  /** Kills running processes. Resolves when none is left. */
  close(): Promise<void>;
};

export type DocumentImportDeps = Pick<Platform, "launchChild"> & {
  log: Log;
  timeLimitMs?: number;
};

const defaultTimeLimitMs = 30_000;
/** The longest script, with two bytes per character, needs about half of it. */
const maxMb = 1024;
/** More processes would compete for memory. */
const maxProcesses = 2;
// Same extension as this file: source (.ts) or build (.js).
const childModule = join(import.meta.dirname, `import-child${extname(import.meta.filename)}`);

export function createDocumentImport({
  launchChild,
  log,
  timeLimitMs = defaultTimeLimitMs,
}: DocumentImportDeps): DocumentImport {
  const closing = new AbortController();
  const runningTasks = new Set<Promise<unknown>>();

  async function run(document: DocumentTask, signal: AbortSignal): Promise<void> {
    try {
      await runChildTask((options) => launchChild(childModule, options), document, {
        signal,
        timeLimitMs,
        maxMb,
      });
    } catch (error) {
      if (signal.aborted || error instanceof AppError) throw error;
      log.warn({ err: error }, "a document could not be read");
      throw error instanceof ChildTaskLostError && error.hasTimedOut
        ? tooSlowError(timeLimitMs)
        : tooLargeError();
    }
  }

  return {
    async read(document, requestSignal) {
      const signal = AbortSignal.any([requestSignal, closing.signal]);
      while (runningTasks.size >= maxProcesses)
        await Promise.race([...runningTasks, rejectOnAbort(signal)]);
      signal.throwIfAborted();
      const task = run(document, signal);
      const settled = Promise.allSettled([task]);
      runningTasks.add(settled);
      void settled.then(() => runningTasks.delete(settled));
      await task;
    },
    async close() {
      closing.abort(new AppError("closing"));
      await Promise.all(runningTasks);
    },
  };
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

const tooSlowError = (limitMs: number): AppError =>
  new AppError("document.tooSlow", { seconds: limitMs / 1000 });
const tooLargeError = (): AppError => new AppError("document.tooMuchMemory");

// Runs one task in a child process of its own: for rare work that is heavy or reads untrusted files. The process has
// limits of time and memory; exceeding them kills it and fails only this task. See serve-task.ts for the child side.

import { restoreError } from "../contract/errors.ts";
import type { ChildOptions, ChildPort } from "../platform.ts";
import type { FromTask, ToTask } from "./task-messages.ts";

export type ChildTaskOptions = {
  signal: AbortSignal;
  /** Maximum time without a response or progress. */
  timeLimitMs: number;
  /** Total memory of the process. */
  maxMb?: number;
  onProgress?(progress: unknown): void;
};

/** The child exited without a response: it exceeded a limit, crashed, or was killed. */
export class ChildTaskLostError extends Error {
  override readonly name = "ChildTaskLost";
  readonly hasTimedOut: boolean;

  constructor(reason: string, hasTimedOut: boolean) {
    super(reason);
    this.hasTimedOut = hasTimedOut;
  }
}

const defaultMaxMb = 1024;
/**
 * Part of the memory for V8's heap, which V8 limits itself. The rest is for buffers, inflated files and the program.
 */
const heapFraction = 0.75;

/**
 * Settles when the process has exited.
 * @param launch starts a module that calls `serveTask`
 * @returns the child's response
 * @throws the child's AppError or Error; the signal's reason; ChildTaskLostError
 */
export async function runChildTask(
  launch: (options: ChildOptions) => ChildPort,
  task: unknown,
  { signal, timeLimitMs, maxMb = defaultMaxMb, onProgress = () => {} }: ChildTaskOptions,
): Promise<unknown> {
  signal.throwIfAborted();
  const child = launch({ maxHeapMb: Math.floor(maxMb * heapFraction) });
  const exited = Promise.withResolvers<string>();
  child.onExit(exited.resolve);
  let result: Exclude<FromTask, { type: "progress" }> | undefined;
  let hasTimedOut = false;
  const kill = (): void => child.kill();
  const timer = setTimeout(() => {
    hasTimedOut = true;
    kill();
  }, timeLimitMs);
  child.onMessage((raw) => {
    const message = raw as FromTask;
    if (message.type === "progress") {
      timer.refresh();
      onProgress(message.value);
    } else {
      result = message;
      kill();
    }
  });
  signal.addEventListener("abort", kill, { once: true });
  try {
    child.send({ task, maxMb } satisfies ToTask);
    const exitReason = await exited.promise;
    if (result?.type === "done") return result.value;
    if (result !== undefined) throw restoreError(result.error);
    signal.throwIfAborted();
    throw new ChildTaskLostError(
      hasTimedOut
        ? `did not respond for ${timeLimitMs} ms`
        : `${exitReason}: ${child.stderrTail()}`,
      hasTimedOut,
    );
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", kill);
  }
}

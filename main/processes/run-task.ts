// One task in a child process of its own, which is gone afterwards: for work that is rare, and heavy or on untrusted
// files. It has limited time and memory; one that exceeds them is killed, and only its task fails. The child's end is
// serve-task.ts.

import { AppError } from "../contract/errors.ts";
import type { ChildOptions, ChildPort } from "../platform.ts";
import type { FromTask, ToTask } from "./task-messages.ts";

export type ChildTaskOptions = {
  signal: AbortSignal;
  /** Without an answer, and without progress. */
  timeLimitMs: number;
  /** All memory of the process. */
  maxMb?: number;
  onProgress?(progress: unknown): void;
};

/** The child ended without an answer: it took too long or too much memory, crashed, or was killed by somebody else. */
export class ChildTaskLostError extends Error {
  override readonly name = "ChildTaskLost";
  readonly hasTimedOut: boolean;

  constructor(reason: string, hasTimedOut: boolean) {
    super(reason);
    this.hasTimedOut = hasTimedOut;
  }
}

const defaultMaxMb = 1024;
/** Of V8, which ends the process by itself. What lies outside of its heap is buffers, inflated files and the program. */
const heapFraction = 0.75;

/**
 * Settles when the process is gone.
 * @param launch starts a module that calls `serveTask`
 * @returns what the child answered
 * @throws AppError or Error as the child did; the signal's reason; ChildTaskLost
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
    if (result !== undefined) throw toError(result);
    signal.throwIfAborted();
    throw new ChildTaskLostError(
      hasTimedOut
        ? `gave no sign of life for ${timeLimitMs} ms`
        : `${exitReason}: ${child.stderrTail()}`,
      hasTimedOut,
    );
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", kill);
  }
}

function toError({ key, message, param }: Extract<FromTask, { type: "failed" }>): Error {
  return key === undefined
    ? new Error(message)
    : new AppError(key, message, param === undefined ? {} : { param });
}

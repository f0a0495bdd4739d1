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
export class ChildTaskLost extends Error {
  override readonly name = "ChildTaskLost";
  readonly isLate: boolean;

  constructor(why: string, isLate: boolean) {
    super(why);
    this.isLate = isLate;
  }
}

const defaultMaxMb = 1024;
/** Of V8, which ends the process by itself. What lies outside of its heap is buffers, inflated files and the program. */
const heapShare = 0.75;

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
  const child = launch({ maxHeapMb: Math.floor(maxMb * heapShare) });
  const exited = Promise.withResolvers<string>();
  child.onExit(exited.resolve);
  let answer: Exclude<FromTask, { type: "progress" }> | undefined;
  let isLate = false;
  const kill = (): void => child.kill();
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, timeLimitMs);
  child.onMessage((raw) => {
    const message = raw as FromTask;
    if (message.type === "progress") {
      timer.refresh();
      onProgress(message.value);
    } else {
      answer = message;
      kill();
    }
  });
  signal.addEventListener("abort", kill, { once: true });
  try {
    child.send({ task, maxMb } satisfies ToTask);
    const how = await exited.promise;
    if (answer?.type === "done") return answer.value;
    if (answer !== undefined) throw failure(answer);
    signal.throwIfAborted();
    throw new ChildTaskLost(
      isLate ? `gave no sign of life for ${timeLimitMs} ms` : `${how}: ${child.stderrTail()}`,
      isLate,
    );
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", kill);
  }
}

function failure({ key, message, param }: Extract<FromTask, { type: "failed" }>): Error {
  return key === undefined
    ? new Error(message)
    : new AppError(key, message, param === undefined ? {} : { param });
}

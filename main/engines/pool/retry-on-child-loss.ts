// Decides when work with state in a child restarts on another child. Its own task may lose one child; a second loss is
// final. A child lost to another job's task, such as a segment that crashes the engine, does not count.

import { AppError } from "../../contract/errors.ts";
import { ChildLostError } from "./child-lost-error.ts";
import type { PinnedChild, TaskRunner } from "./task-runner.ts";

/** Limits losses not caused by this work, for the case that no child process stays alive. */
const maxLosses = 12;

/**
 * @param repeatedLossError creates the error for the second child lost by the work itself
 * @returns a function that takes the thrown error: it returns if the work may restart, otherwise it throws
 */
export function createChildLossCheck(repeatedLossError: () => AppError): (error: unknown) => void {
  let losses = 0;
  let ownLosses = 0;
  return (error) => {
    if (!(error instanceof ChildLostError)) throw error;
    losses += 1;
    if (error.runningTask !== undefined) ownLosses += 1;
    if (ownLosses > 1) throw repeatedLossError();
    if (losses > maxLosses) throw new AppError("engine.keepsStopping", {}, { cause: error });
  };
}

/** See PoolJob. */
export async function runPinned<T>(
  runner: Pick<TaskRunner, "pin">,
  work: (child: PinnedChild) => Promise<T>,
  repeatedLossError: () => AppError,
): Promise<T> {
  const checkRestart = createChildLossCheck(repeatedLossError);
  for (;;) {
    const child = runner.pin();
    try {
      return await work(child);
    } catch (error) {
      checkRestart(error);
    } finally {
      child.release();
    }
  }
}

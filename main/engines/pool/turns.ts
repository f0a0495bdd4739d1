// Whose turn it is where there is no room for the processes of all waiting tasks: replacing a process and loading a
// model takes longer than most tasks, so that jobs would wait for little else if every task could do it.

import { findChildFor } from "./child-choice.ts";
import { type Child, type HasTurn, hasLoaded } from "./pool-child.ts";
import type { PoolChildren } from "./pool-children.ts";
import { taskModel } from "./task-model.ts";
import { newJobBonusMs, type Task, usedTimeMs } from "./task-queues.ts";

/**
 * A child stays as long as it can go on at once with a job that has not had much more time than the task's job. A new
 * job does not wait.
 * @param waiting all waiting tasks
 */
export const createTurns =
  ({ queue }: Task, waiting: readonly Task[], children: PoolChildren): HasTurn =>
  (child) =>
    waiting.some(
      (other) =>
        usedTimeMs(other.queue) - usedTimeMs(queue) < newJobBonusMs &&
        canGoOn(child, other) &&
        findChildFor(other, children) === child,
    );

/** Without loading a model. */
function canGoOn(child: Child, { input }: Task): boolean {
  const model = taskModel(input);
  return model === undefined || hasLoaded(child, model.id);
}

// Which child runs a task.

import type { Child } from "./pool-child.ts";
import type { PoolChildren } from "./pool-children.ts";
import type { TaskInput, TaskName } from "./protocol.ts";
import { largeModelOf, taskModel, taskRuntime } from "./task-model.ts";
import type { Task } from "./task-queues.ts";

/**
 * The child that keeps the session or holds the large model; otherwise one with the model loaded, few sessions of other
 * jobs, and no large model that others may wait for.
 */
export function findChildFor(
  task: Task,
  idle: readonly Child[],
  children: PoolChildren,
): Child | undefined {
  const { input } = task;
  const only = onlyChildFor(task, children);
  if (only !== undefined) return idle.find((child) => child === only);
  const rank = (child: Child): number =>
    (hasModelLoaded(child, input) ? 0 : 100) +
    (child.largeModels.size > 0 ? 1000 : 0) +
    child.sessions.size;
  const runtime = taskRuntime(input);
  return idle
    .filter((child) => child.runtime === runtime && !child.isRetired && !isTaken(child, input))
    .reduce<Child | undefined>(
      (best, child) => (best === undefined || rank(child) < rank(best) ? child : best),
      undefined,
    );
}

/** A process holds one large model at most, so that each can leave alone. */
const isTaken = ({ largeModels }: Child, input: TaskInput<TaskName>): boolean =>
  largeModels.size > 0 && largeModelOf(input) !== undefined;

/** The child that a task has to wait for. */
function onlyChildFor(
  { pin, preferredSession, input }: Task,
  children: PoolChildren,
): Child | undefined {
  if (pin?.child !== undefined) return pin.child;
  const large = largeModelOf(input);
  const holder = large === undefined ? undefined : children.holding(large.id);
  if (holder !== undefined) return holder;
  const preferred =
    preferredSession === undefined ? undefined : children.withSession(preferredSession);
  return preferred?.runtime === taskRuntime(input) ? preferred : undefined;
}

/** No child may run the task now, and none is to be waited for. */
export const needsAnotherChild = (task: Task, children: PoolChildren): boolean =>
  onlyChildFor(task, children) === undefined &&
  findChildFor(task, children.idle(), children) === undefined;

export function hasModelLoaded(child: Child, input: TaskInput<TaskName>): boolean {
  const model = taskModel(input);
  return model === undefined || Object.hasOwn(child.memory().models, model.id);
}

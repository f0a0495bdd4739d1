// Which child runs a task.

import { canRun, canStart, type Child, hasLoaded, isBusy } from "./pool-child.ts";
import type { PoolChildren } from "./pool-children.ts";
import type { TaskInput, TaskName } from "./protocol.ts";
import { largeModelOf, taskModel } from "./task-model.ts";
import type { Task } from "./task-queues.ts";

/**
 * The child that keeps the session or holds the large model; otherwise one with the model loaded, few sessions of other
 * jobs, and no large model that others may wait for.
 */
export function findChildFor(task: Task, children: PoolChildren): Child | undefined {
  const { input } = task;
  const only = onlyChildFor(task, children);
  if (only !== undefined) return canStart(only, input) ? only : undefined;
  const rank = (child: Child): number =>
    (hasModelLoaded(child, input) ? 0 : 100) +
    (child.largeModels.size > 0 ? 1000 : 0) +
    child.sessions.size;
  return children
    .all()
    .filter((child) => !isBusy(child) && canRun(child, input))
    .reduce<Child | undefined>(
      (best, child) => (best === undefined || rank(child) < rank(best) ? child : best),
      undefined,
    );
}

/** The child that a task has to wait for. */
function onlyChildFor(
  { pin, preferredSession, input }: Task,
  children: PoolChildren,
): Child | undefined {
  if (pin?.child !== undefined) return pin.child;
  const able = children.all().filter((child) => canRun(child, input));
  const large = largeModelOf(input);
  const holder = large && able.find(({ largeModels }) => largeModels.has(large.id));
  if (holder !== undefined || preferredSession === undefined) return holder;
  return able.find(({ sessions }) => sessions.has(preferredSession));
}

/** Whether the task may be waiting for the child. */
export const mayRunOn = (child: Child, { pin, input }: Task): boolean =>
  pin?.child === undefined ? canRun(child, input) : pin.child === child;

/** Whether no child could ever run the task. */
export const lacksChild = ({ pin, input }: Task, children: PoolChildren): boolean =>
  pin?.child === undefined && !children.all().some((child) => canRun(child, input));

/** No child may run the task now, and none is to be waited for. */
export const needsAnotherChild = (task: Task, children: PoolChildren): boolean =>
  onlyChildFor(task, children) === undefined && findChildFor(task, children) === undefined;

function hasModelLoaded(child: Child, input: TaskInput<TaskName>): boolean {
  const model = taskModel(input);
  return model === undefined || hasLoaded(child, model.id);
}

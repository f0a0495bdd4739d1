// Whether a child may load the model of a task: now, after other work or children have ended, or never.

import type { AppError } from "../../contract/errors.ts";
import { memoryNeedBytes } from "../../contract/model-size.ts";
import type { InstalledModel } from "../../contract/models.ts";
import type { MemoryPlan } from "./memory-plan.ts";
import {
  canLeave,
  type Child,
  type HasTurn,
  isBusy,
  type JobTasks,
  loadingModel,
} from "./pool-child.ts";
import type { PoolChildren } from "./pool-children.ts";
import type { Task } from "./task-queues.ts";

/**
 * Where memory is short, ends the child that was unused for the longest time, one at a time: how much that frees is
 * known only afterwards. The chosen child is the last to leave; a new one then takes its place.
 * @returns the error that refuses the task, if the model can never fit
 */
export function prepareLoading(
  model: InstalledModel,
  child: Child,
  task: Task,
  { children, hasTurn }: { children: PoolChildren; hasTurn: HasTurn },
): "now" | "later" | AppError {
  const plan = children.memoryPlan;
  // Its memory is still used, and meant for the task that it left for.
  if (children.isOneEnding()) return "later";
  if (plan.fits(model))
    return willBeReplaced(child, model, plan) && hasTurn(child) ? "later" : "now";
  const unused = children
    .all()
    .filter((other) => canLeave(other) && !hasTurn(other))
    .sort((one, other) =>
      one === child ? 1 : other === child ? -1 : one.usedAtMs - other.usedAtMs,
    );
  const unusedBytes = sum(unused.map((other) => other.memory().rssBytes));
  const [first] = unused;
  if (first !== undefined && plan.fits(model, unusedBytes)) {
    children.end(first);
    return "later";
  }
  const used = children
    .all()
    .filter((other) => (canLeave(other) ? hasTurn(other) : willLeave(other, task)));
  const usedBytes = sum(used.map((other) => other.memory().rssBytes + loadingBytes(other)));
  return used.length > 0 && plan.couldFit(model, unusedBytes + usedBytes)
    ? "later"
    : plan.refusal(model, unusedBytes);
}

/** A child with several models that exceeds the limit is replaced after the task (idle-ending.ts). */
const willBeReplaced = (child: Child, model: InstalledModel, plan: MemoryPlan): boolean =>
  Object.keys(child.memory().models).length > 0 && plan.exceedsLimit(model);

/** Whether the child will be free while the task waits: its own job's sessions stay, and those of a job that waits. */
function willLeave(child: Child, task: Task): boolean {
  const jobs = Array.from(child.sessions.values(), (pin) => pin.queue);
  return !jobs.includes(task.queue) && (isBusy(child) || (jobs.length > 0 && !jobs.some(isStuck)));
}

const isStuck = ({ tasks, runningSinceMs }: JobTasks): boolean =>
  tasks.length > 0 && runningSinceMs.size === 0;

function loadingBytes(child: Child): number {
  const model = loadingModel(child);
  return model === undefined ? 0 : memoryNeedBytes(model);
}

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);

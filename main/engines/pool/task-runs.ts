// Runs a task on a child once there is memory for its model. A task whose child crashes or hangs is retried once on
// another child.

import { AppError } from "../../contract/errors.ts";
import type { Log } from "../../log.ts";
import { hasModelLoaded } from "./child-choice.ts";
import { ChildLostError } from "./child-lost-error.ts";
import type { Child, Pin } from "./pool-child.ts";
import type { PoolChildren } from "./pool-children.ts";
import type { TaskName } from "./protocol.ts";
import { largeModelOf, taskModel } from "./task-model.ts";
import type { Task, TaskQueues } from "./task-queues.ts";

export type TaskRuns = {
  /**
   * Runs a task if its model fits into memory. Otherwise processes that nobody uses leave first, or the task is refused.
   * @returns false if it has to wait until they have left
   */
  start(child: Child, task: Task): boolean;
  /** Tasks that fail from now on are not retried. */
  close(): void;
};

type TaskRunsDeps = {
  children: PoolChildren;
  queues: TaskQueues;
  taskTimeoutMs: number;
  /** Called when a child has ended a task. */
  onFree(): void;
  log: Log;
};

const maxFailures = 2;
/** Children that end before they start a task: several may have been killed at once, or none can start at all. */
const maxAttempts = 6;

export const closingError = (): AppError => new AppError("closing");
const failedTwiceError = (error: unknown): AppError =>
  new AppError("engine.partFailed", {}, { cause: error });

export function createTaskRuns({
  children,
  queues,
  taskTimeoutMs,
  onFree,
  log,
}: TaskRunsDeps): TaskRuns {
  let isClosed = false;

  function start(child: Child, task: Task): boolean {
    const model = taskModel(task.input);
    if (model === undefined || hasModelLoaded(child, task.input)) {
      void runTaskOn(child, task);
      return true;
    }
    const plan = children.memoryPlan;
    if (plan.fits(model)) {
      void runTaskOn(child, task).finally(plan.reserve(model));
      return true;
    }
    if (children.isOneEnding()) return false;
    const others = children.free().filter((free) => free !== child);
    const freeableBytes = others.reduce((sum, other) => sum + other.memory().rssBytes, 0);
    const [largest] = others;
    if (largest === undefined || !plan.fits(model, freeableBytes)) {
      task.reject(plan.refusal(model));
      return true;
    }
    children.end(largest);
    return false;
  }

  async function runTaskOn(child: Child, task: Task): Promise<void> {
    const { name, input, signal } = task;
    children.markBusy(child);
    const large = largeModelOf(input);
    if (large !== undefined) child.largeModels.add(large.id);
    const endRun = queues.startRun(task.queue);
    task.attempts += 1;
    if (task.pin !== undefined && task.pin.child === undefined) assignPin(task.pin, child);
    try {
      const timeoutMs = timeoutForMs(name, taskTimeoutMs);
      const result = await child.process.run(name, input, timeoutMs, signal);
      children.recordUsage(child, input);
      task.resolve(result);
    } catch (error) {
      handleFailure(task, error);
    } finally {
      child.busy = false;
      endRun();
      onFree();
    }
  }

  function handleFailure(task: Task, error: unknown): void {
    if (!(error instanceof ChildLostError) || error.runningTask !== undefined) task.failures += 1;
    if (task.signal.aborted || error instanceof AppError) {
      task.reject(task.signal.aborted ? task.signal.reason : error);
    } else if (isClosed) {
      task.reject(closingError());
    } else if (task.pin !== undefined) {
      task.reject(error);
    } else if (task.failures < maxFailures && task.attempts < maxAttempts) {
      log.warn({ task: task.name, err: error }, "a task failed and is tried once more");
      queues.addFirst(task);
    } else {
      log.error({ task: task.name, err: error }, "a task failed for good");
      task.reject(failedTwiceError(error));
    }
  }

  return {
    start,
    close() {
      isClosed = true;
    },
  };
}

function assignPin(pin: Pin, child: Child): void {
  pin.child = child;
  child.sessions.set(pin.session, pin);
}

/**
 * Measuring a duration or splitting an hour of audio is one task. It may take longer, since the child itself detects
 * decoding that makes no progress.
 */
const timeoutForMs = (name: TaskName, taskTimeoutMs: number): number =>
  name === "duration" || name === "split.step" ? 5 * taskTimeoutMs : taskTimeoutMs;

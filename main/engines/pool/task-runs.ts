// Runs a task on a child once there is memory for its model. A task whose child crashes or hangs is retried once on
// another child.

import { AppError } from "../../contract/errors.ts";
import type { Log } from "../../log.ts";
import { ChildLostError } from "./child-lost-error.ts";
import { createLoadingLosses } from "./loading-losses.ts";
import { prepareLoading } from "./model-loading.ts";
import {
  type Child,
  type HasTurn,
  hasLoaded,
  loadingModel,
  markBusy,
  markIdle,
  type Pin,
} from "./pool-child.ts";
import type { PoolChildren } from "./pool-children.ts";
import type { TaskName } from "./protocol.ts";
import { taskModel } from "./task-model.ts";
import type { Task, TaskQueues } from "./task-queues.ts";

export type TaskRuns = {
  /**
   * Runs a task, or rejects it if its model cannot be used.
   * @returns false if it has to wait for memory
   */
  start(child: Child, task: Task): boolean;
  /** Tasks that fail from now on are not retried. */
  close(): void;
};

type TaskRunsDeps = {
  children: PoolChildren;
  queues: TaskQueues;
  taskTimeoutMs: number;
  /** Tells children that the task has to wait for. */
  turnsBefore(task: Task): HasTurn;
  /** Called when a child has ended a task. */
  onFree(): void;
  log: Log;
};

const maxFailures = 2;
/** Children that end before they start a task: several may have been killed at once, or none can start at all. */
const maxAttempts = 6;

export const closingError = (): AppError => new AppError("closing");
/** Says whether the task itself failed. */
function lastError({ failures, input }: Task, cause: unknown): AppError {
  if (failures < maxFailures) return new AppError("engine.keepsStopping", {}, { cause });
  const model = taskModel(input);
  // A small file can declare tensors of any size.
  return model !== undefined && cause instanceof ChildLostError && cause.exceededMemory
    ? new AppError("engine.exceedsMemory", { model: model.id }, { cause })
    : new AppError("engine.partFailed", {}, { cause });
}

export function createTaskRuns({
  children,
  queues,
  taskTimeoutMs,
  turnsBefore,
  onFree,
  log,
}: TaskRunsDeps): TaskRuns {
  const losses = createLoadingLosses();
  let isClosed = false;

  function start(child: Child, task: Task): boolean {
    const model = taskModel(task.input);
    const outcome =
      model === undefined || hasLoaded(child, model.id)
        ? "now"
        : (losses.errorFor(model) ??
          prepareLoading(model, child, task, { children, hasTurn: turnsBefore(task) }));
    if (outcome === "now") void runTaskOn(child, task);
    else if (outcome !== "later") task.reject(outcome);
    return outcome !== "later";
  }

  async function runTaskOn(child: Child, task: Task): Promise<void> {
    const { name, input, signal } = task;
    markBusy(child, input);
    const endRun = queues.startRun(task.queue);
    task.attempts += 1;
    if (task.pin !== undefined && task.pin.child === undefined) assignPin(task.pin, child);
    try {
      const timeoutMs = timeoutForMs(name, taskTimeoutMs);
      const result = await child.process.run(name, input, timeoutMs, signal);
      children.recordUsage(child, input);
      if (child.usedModel !== undefined) losses.forget(child.usedModel);
      task.resolve(result);
    } catch (error) {
      handleFailure(task, findCause(child, error));
    } finally {
      markIdle(child);
      // Loading a model serves others too, and would use up the job's turn.
      endRun(child.loadedAtMs);
      onFree();
    }
  }

  /** The model, if loading it has ended the child, and another one before. */
  function findCause(child: Child, error: unknown): unknown {
    const model = loadingModel(child);
    if (model === undefined || !(error instanceof ChildLostError)) return error;
    if (error.runningTask !== undefined) losses.add(model, error);
    return losses.errorFor(model) ?? error;
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
      task.reject(lastError(task, error));
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

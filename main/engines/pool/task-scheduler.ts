// Assigns waiting tasks to children. A task whose child crashes or hangs is retried once on another child.

import { AppError } from "../../contract/errors.ts";
import type { Log } from "../../log.ts";
import { ChildLostError } from "./child-lost-error.ts";
import type { Child, Pin, PoolChildren } from "./pool-children.ts";
import type { TaskInput, TaskName } from "./protocol.ts";
import { largeModelOf, taskModel, taskRuntime } from "./task-model.ts";
import type { Task, TaskQueues } from "./task-queues.ts";

export type TaskScheduler = {
  /** @throws AppError if the scheduler is closed, ChildLostError if the task's pin is lost */
  add(task: Task): void;
  /** Rejects waiting tasks that fulfill the predicate. */
  reject(predicate: (task: Task) => boolean, error: unknown): void;
  /** Call when a task may have become able to run. */
  schedule(): void;
  /** Rejects all waiting tasks; running ones are rejected when they fail. */
  close(): void;
};

const maxFailures = 2;
/** Children that end before they start a task: several may have been killed at once, or none can start at all. */
const maxAttempts = 6;

const closingError = (): AppError => new AppError("closing");
const failedTwiceError = (error: unknown): AppError =>
  new AppError("engine.partFailed", {}, { cause: error });

/** @param taskTimeoutMs a task that takes longer counts as hung */
export function createTaskScheduler(
  children: PoolChildren,
  queues: TaskQueues,
  taskTimeoutMs: number,
  log: Log,
): TaskScheduler {
  let isClosed = false;

  function schedule(): void {
    if (isClosed) return;
    children.endIdle(queues.unassigned().length > 0);
    const postponed = new Set<Task>();
    for (;;) {
      const idle = children.idle();
      if (idle.length === 0) break;
      const next = queues.takeNext((task) =>
        postponed.has(task) ? undefined : findChildFor(task, idle, children),
      );
      if (next === undefined) break;
      if (startTask(next.child, next.task)) continue;
      postponed.add(next.task);
      queues.addFirst(next.task);
    }
    for (const task of queues.unassigned()) {
      const runtime = taskRuntime(task.input);
      if (!needsAnotherChild(task, children) || !children.makeRoom(runtime)) continue;
      void removeWhenExited(children.add(runtime));
      schedule();
      return;
    }
  }

  /**
   * Runs a task if its model fits into memory. Otherwise processes that nobody uses leave first, or the task is refused.
   * @returns false if it has to wait until they have left
   */
  function startTask(child: Child, task: Task): boolean {
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

  async function removeWhenExited(child: Child): Promise<void> {
    const exitReason = await child.process.exited;
    children.remove(child);
    // Pins are notified here: a reaction per pin on the exit promise would be kept as long as the child lives.
    for (const pin of child.sessions.values()) losePin(pin, exitReason);
    schedule();
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
      // A caller waiting for this result may add a task that goes before those in the queue.
      setImmediate(schedule);
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

  function losePin(pin: Pin, exitReason: string): void {
    pin.lostReason = exitReason;
    rejectWaiting(
      (queued) => queued.pin === pin,
      () => new ChildLostError(exitReason),
    );
  }

  function rejectWaiting(predicate: (task: Task) => boolean, createError: () => unknown): void {
    for (const task of queues.remove(predicate)) task.reject(createError());
  }

  return {
    add(task) {
      if (isClosed) throw closingError();
      if (task.pin?.lostReason !== undefined) throw new ChildLostError(task.pin.lostReason);
      queues.add(task);
      schedule();
    },
    reject: (predicate, error) => rejectWaiting(predicate, () => error),
    schedule,
    close() {
      isClosed = true;
      rejectWaiting(() => true, closingError);
    },
  };
}

function assignPin(pin: Pin, child: Child): void {
  pin.child = child;
  child.sessions.set(pin.session, pin);
}

/**
 * The child that keeps the session or holds the large model; otherwise one with the model loaded, few sessions of other
 * jobs, and no large model that others may wait for.
 */
function findChildFor(
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
const needsAnotherChild = (task: Task, children: PoolChildren): boolean =>
  onlyChildFor(task, children) === undefined &&
  findChildFor(task, children.idle(), children) === undefined;

function hasModelLoaded(child: Child, input: TaskInput<TaskName>): boolean {
  const model = taskModel(input);
  return model === undefined || Object.hasOwn(child.memory().models, model.id);
}

/**
 * Measuring a duration or splitting an hour of audio is one task. It may take longer, since the child itself detects
 * decoding that makes no progress.
 */
const timeoutForMs = (name: TaskName, taskTimeoutMs: number): number =>
  name === "duration" || name === "split.step" ? 5 * taskTimeoutMs : taskTimeoutMs;

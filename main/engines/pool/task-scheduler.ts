// Assigns waiting tasks to children (child-choice.ts), starts further children, and lets task-runs.ts run the tasks.

import type { Log } from "../../log.ts";
import { ChildLostError } from "./child-lost-error.ts";
import { findChildFor, lacksChild, mayRunOn, needsAnotherChild } from "./child-choice.ts";
import { type Child, type HasTurn, isBusy, type Pin } from "./pool-child.ts";
import type { PoolChildren } from "./pool-children.ts";
import { taskRuntime } from "./task-model.ts";
import type { Task, TaskQueues } from "./task-queues.ts";
import { closingError, createTaskRuns } from "./task-runs.ts";
import { createTurns } from "./turns.ts";

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

/** @param taskTimeoutMs a task that takes longer counts as hung */
export function createTaskScheduler(
  children: PoolChildren,
  queues: TaskQueues,
  taskTimeoutMs: number,
  log: Log,
): TaskScheduler {
  let isClosed = false;
  // A caller waiting for a result may add a task that goes before those in the queue.
  const onFree = (): void => void setImmediate(schedule);
  const turnsBefore = (task: Task): HasTurn => createTurns(task, queues.inOrder(), children);
  const runs = createTaskRuns({ children, queues, taskTimeoutMs, turnsBefore, onFree, log });

  /** Tasks that are not kept for one child. */
  const unassigned = (): Task[] => queues.inOrder().filter(({ pin }) => pin?.child === undefined);

  function schedule(): void {
    if (isClosed) return;
    children.endReplaceable(unassigned().length > 0);
    const postponed = new Set<Task>();
    do {
      while (startNext(postponed));
    } while (addChildFor(unassigned().filter((task) => needsAnotherChild(task, children))));
    children.endUnused();
  }

  /**
   * Starts the first task that can run. One that no child could ever run gets its child before others go on. One that
   * waits for a child goes before those that would run beside what it does.
   */
  function startNext(postponed: Set<Task>): boolean {
    const waiting: Task[] = [];
    for (const task of queues.inOrder()) {
      if (postponed.has(task)) continue;
      if (lacksChild(task, children)) addChildFor([task]);
      const child = findChildFor(task, children);
      if (
        child === undefined ||
        (isBusy(child) && waiting.some((other) => mayRunOn(child, other)))
      ) {
        waiting.push(task);
        continue;
      }
      queues.remove((queued) => queued === task);
      if (!runs.start(child, task)) {
        postponed.add(task);
        queues.addFirst(task);
      }
      return true;
    }
    return false;
  }

  /** Starts a child for the first task for which there is room. */
  function addChildFor(tasks: readonly Task[]): boolean {
    const task = tasks.find((waiting) => children.makeRoom(waiting.input, turnsBefore(waiting)));
    if (task !== undefined) void removeWhenExited(children.add(taskRuntime(task.input), onFree));
    return task !== undefined;
  }

  async function removeWhenExited(child: Child): Promise<void> {
    const exitReason = await child.process.exited;
    children.remove(child);
    // Pins are notified here: a reaction per pin on the exit promise would be kept as long as the child lives.
    for (const pin of child.sessions.values()) losePin(pin, exitReason);
    schedule();
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
      runs.close();
      rejectWaiting(() => true, closingError);
    },
  };
}

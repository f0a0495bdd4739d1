// Waiting tasks of all jobs. The job that used the least time of the children goes first, so a short request does not
// wait for a one-hour file.

import type { Pin } from "./pool-child.ts";
import type { TaskInput, TaskName } from "./protocol.ts";

/** Waiting tasks of one job, in order, and the child time it has used, without that of running tasks. */
export type Queue = {
  readonly tasks: Task[];
  usedMs: number;
  readonly runningSinceMs: Set<number>;
};

export type Task = {
  readonly queue: Queue;
  readonly name: TaskName;
  readonly input: TaskInput<TaskName>;
  readonly signal: AbortSignal;
  readonly pin: Pin | undefined;
  readonly preferredSession: string | undefined;
  attempts: number;
  /** Attempts that started, and so may have failed because of the task itself. */
  failures: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
};

export type TaskQueues = {
  /** For a new job, which goes before all others for a while; then it is treated like them. */
  open(): Queue;
  add(task: Task): void;
  addFirst(task: Task): void;
  /** All, those of the job that goes first at the front. */
  inOrder(): Task[];
  /** Takes out all tasks that fulfill the predicate. */
  remove(predicate: (task: Task) => boolean): Task[];
  /** Counts child time for the queue's job until the returned function is called, which may name a later start. */
  startRun(queue: Queue): (sinceMs?: number) => void;
};

/** Child time that is enough for a short request. */
export const newJobBonusMs = 3000;

export function createTaskQueues(): TaskQueues {
  /** Queues of jobs with waiting or running tasks. */
  const queues = new Set<Queue>();

  function insert(task: Task, position: number): void {
    task.queue.tasks.splice(position, 0, task);
    queues.add(task.queue);
  }

  function removeQueueWhenDone(queue: Queue): void {
    if (queue.tasks.length === 0 && queue.runningSinceMs.size === 0) queues.delete(queue);
  }

  return {
    open() {
      const minUsedMs = queues.size === 0 ? 0 : Math.min(...[...queues].map(usedTimeMs));
      return { tasks: [], usedMs: minUsedMs - newJobBonusMs, runningSinceMs: new Set() };
    },
    add(task) {
      const { tasks } = task.queue;
      // The caller needs a session's tasks sooner than further parts, so they go first.
      insert(
        task,
        task.pin === undefined
          ? tasks.length
          : tasks.findLastIndex((queued) => queued.pin !== undefined) + 1,
      );
    },
    addFirst: (task) => insert(task, 0),
    inOrder: () => byUsedTime(queues).flatMap(({ tasks }) => tasks),
    remove(predicate) {
      const removed: Task[] = [];
      for (const queue of queues) {
        removed.push(...queue.tasks.filter(predicate));
        queue.tasks.splice(
          0,
          queue.tasks.length,
          ...queue.tasks.filter((task) => !predicate(task)),
        );
        removeQueueWhenDone(queue);
      }
      return removed;
    },
    startRun(queue) {
      const startedMs = performance.now();
      queue.runningSinceMs.add(startedMs);
      queues.add(queue);
      return (sinceMs = startedMs) => {
        queue.runningSinceMs.delete(startedMs);
        queue.usedMs += performance.now() - Math.max(sinceMs, startedMs);
        removeQueueWhenDone(queue);
      };
    },
  };
}

const byUsedTime = (queues: Iterable<Queue>): Queue[] =>
  [...queues].sort((one, other) => usedTimeMs(one) - usedTimeMs(other));

/** Child time that a job has used so far, running tasks included. */
export function usedTimeMs({ usedMs, runningSinceMs }: Queue): number {
  const nowMs = performance.now();
  return [...runningSinceMs].reduce((sum, sinceMs) => sum + nowMs - sinceMs, usedMs);
}

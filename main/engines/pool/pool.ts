// Pool of engine child processes. The job that used the least time goes first, so a short request does not wait for a
// one-hour file. A task whose child crashes or hangs is retried once on another child. Idle children are ended, sooner
// while memory exceeds its limit (memory-limit.ts). A long file because it is one state machine.

import { randomUUID } from "node:crypto";
import { AppError } from "../../contract/errors.ts";
import type { EngineMemory } from "../../contract/speech.ts";
import type { Log } from "../../log.ts";
import type { ChildPort } from "../../platform.ts";
import { ChildLostError } from "./child-lost-error.ts";
import { startEngineProcess, type EngineProcess } from "./engine-process.ts";
import { createMemoryLimit } from "./memory-limit.ts";
import { createModelMemory } from "./model-memory.ts";
import type { ChildMemory, MediaLimits, TaskInput, TaskName, TaskResult } from "./protocol.ts";
import { watchStoppedProcesses } from "../../processes/stopped-process-watcher.ts";

export type PoolPolicy = {
  /** Maximum number of child processes. */
  size: number;
  /** An idle child is ended after this time. */
  idleMs: number;
  /** A task that takes longer counts as hung. */
  taskTimeoutMs: number;
  /** Limits for untrusted media; default: the children's own limits. */
  mediaLimits?: MediaLimits;
  /** Limit for all child processes together; default: none. One process works regardless of its size. */
  memoryLimitBytes?: number;
};

/** The tasks of one request. */
export type PoolJob = {
  /**
   * Runs on any child; retried once if the child is lost or the engine fails.
   * @param preferredSession a pin's session: its child runs this task too, unless it is gone
   */
  run<Name extends TaskName>(
    name: Name,
    input: TaskInput<Name>,
    preferredSession?: string,
  ): Promise<TaskResult<Name>>;
  /** A child that keeps state for this job until released. Rejects with ChildLostError once that child is gone. */
  pin(): PinnedChild;
};

export type PinnedChild = {
  /** Identifies the state that the child keeps for this pin. */
  readonly session: string;
  run<Name extends TaskName>(name: Name, input: TaskInput<Name>): Promise<TaskResult<Name>>;
  /** Makes the child discard the session's state. */
  release(): void;
};

export type Pool = {
  readonly size: number;
  /** Aborting `signal` cancels the job's tasks, including running ones. */
  job(signal: AbortSignal): PoolJob;
  /** No process is free and no further one can be started: a new task would wait. */
  isBusy(): boolean;
  /** Ids of the running processes. */
  pids(): number[];
  memory(): EngineMemory;
  close(): Promise<void>;
};

/** Waiting tasks of one job, in order, and the child time it has used, without that of running tasks. */
type Queue = { readonly tasks: Task[]; usedMs: number; readonly runningSinceMs: Set<number> };

type Task = {
  readonly queue: Queue;
  name: TaskName;
  input: TaskInput<TaskName>;
  signal: AbortSignal;
  pin: Pin | undefined;
  preferredSession: string | undefined;
  attempts: number;
  /** Attempts that started, and so may have failed because of the task itself. */
  failures: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
};

type Child = {
  process: EngineProcess;
  busy: boolean;
  /** Pins by session. */
  sessions: Map<string, Pin>;
  idleTimer: NodeJS.Timeout | undefined;
  memory(): ChildMemory;
  hasUsedModel: boolean;
  idleMemory: ChildMemory | undefined;
};
/** `child` is chosen with the first task. */
type Pin = {
  readonly session: string;
  child: Child | undefined;
  /** Set once no further task can run on this pin. */
  lostReason: string | undefined;
};

/** Child time that is enough for a short request. */
const newJobBonusMs = 3000;

/**
 * While memory exceeds its limit, an idle child is ended after this time, unless `idleMs` is shorter. Long enough that
 * a client synthesizing sentence after sentence finds the child still running.
 */
const idleMsOverMemoryLimit = 1000;

const maxFailures = 2;
/** Children that end before they start a task: several may have been killed at once, or none can start at all. */
const maxAttempts = 6;

const closingError = (): AppError => new AppError("closing");

/** @param onMemory called when the memory of the processes changed, see model-memory.ts */
export function createPool(
  launch: () => ChildPort,
  policy: PoolPolicy,
  log: Log,
  onMemory: (memory: EngineMemory) => void = () => {},
): Pool {
  const children = new Set<Child>();
  /** Asked to exit, but still running. */
  const endingChildren = new Set<Child>();
  const memoryLimit = createMemoryLimit(policy.memoryLimitBytes ?? Infinity);
  const memory = createModelMemory(() => Array.from(children, (child) => child.memory()), onMemory);
  /** Queues of jobs with waiting or running tasks. */
  const queues = new Set<Queue>();
  let isClosed = false;
  const stoppedWatch = watchStoppedProcesses(
    () =>
      Array.from(children)
        .filter(({ busy }) => busy)
        .map(({ process }) => process.port),
    (port) =>
      Array.from(children)
        .find(({ process }) => process.port === port)
        ?.process.terminateStopped(),
  );

  function addChild(): void {
    const process = startEngineProcess(launch, log, memory.update, policy.mediaLimits);
    const child: Child = {
      process,
      busy: false,
      sessions: new Map(),
      idleTimer: undefined,
      memory: process.memory,
      hasUsedModel: false,
      idleMemory: undefined,
    };
    children.add(child);
    void removeWhenExited(child);
  }

  async function removeWhenExited(child: Child): Promise<void> {
    const exitReason = await child.process.exited;
    clearTimeout(child.idleTimer);
    children.delete(child);
    endingChildren.delete(child);
    // Pins are notified here: a reaction per pin on the exit promise would be kept as long as the child lives.
    for (const pin of child.sessions.values()) losePin(pin, exitReason);
    memory.update();
    schedule();
  }

  function endChild(child: Child): void {
    clearTimeout(child.idleTimer);
    children.delete(child);
    endingChildren.add(child);
    void child.process.close();
  }

  const canAddChild = (): boolean =>
    children.size < policy.size && memoryLimit.canAdd(children.size + endingChildren.size) === true;
  const hasUnassignedTask = (): boolean =>
    [...queues].some(({ tasks }) => tasks.some(({ pin }) => pin?.child === undefined));

  function schedule(): void {
    if (isClosed) return;
    for (const child of children)
      if (isFree(child) && child.hasUsedModel) child.idleMemory ??= child.memory();
    enforceMemoryLimit();
    for (const child of children) scheduleIdleEnd(child);
    for (;;) {
      const idle = [...children].filter(({ busy }) => !busy);
      const next = idle.length === 0 ? undefined : takeTask(idle);
      if (next === undefined) break;
      void runTaskOn(next.child, next.task);
    }
    if (hasUnassignedTask() && [...children].every(({ busy }) => busy) && canAddChild()) {
      addChild();
      schedule();
    }
  }

  /**
   * While memory exceeds its limit, ends idle children, the largest first. The last one is ended only if a new one
   * would be smaller.
   */
  function enforceMemoryLimit(): void {
    const free = [...children]
      .filter(isFree)
      .sort((one, other) => other.memory().rssBytes - one.memory().rssBytes);
    for (const child of free) {
      if (
        memoryLimit.isExceeded([...children]) &&
        (children.size > 1 || (hasUnassignedTask() && memoryLimit.isBloated(child)))
      )
        endChild(child);
    }
  }

  /** First task of the job with the least used time that one of the idle children may run. */
  function takeTask(idle: Child[]): { child: Child; task: Task } | undefined {
    for (const queue of [...queues].sort((one, other) => usedTimeMs(one) - usedTimeMs(other))) {
      for (const [position, task] of queue.tasks.entries()) {
        const child = findChildFor(idle, task);
        if (child === undefined) continue;
        queue.tasks.splice(position, 1);
        return { child, task };
      }
    }
    return undefined;
  }

  function enqueue(task: Task, position: number): void {
    const { queue } = task;
    queue.tasks.splice(position, 0, task);
    queues.add(queue);
  }

  function removeQueueWhenDone(queue: Queue): void {
    if (queue.tasks.length === 0 && queue.runningSinceMs.size === 0) queues.delete(queue);
  }

  /** The child that keeps the session; otherwise one with the model loaded and few sessions of other jobs. */
  function findChildFor(idle: Child[], { pin, preferredSession, input }: Task): Child | undefined {
    const sessionChild =
      pin?.child ??
      (preferredSession === undefined
        ? undefined
        : [...children].find(({ sessions }) => sessions.has(preferredSession)));
    if (sessionChild !== undefined) return idle.find((child) => child === sessionChild);
    const rank = (child: Child): number =>
      (hasModelLoaded(child, input) ? 0 : 100) + child.sessions.size;
    return idle.reduce((best, child) => (rank(child) < rank(best) ? child : best));
  }

  async function runTaskOn(child: Child, task: Task): Promise<void> {
    child.busy = true;
    const { runningSinceMs } = task.queue;
    const startedMs = performance.now();
    runningSinceMs.add(startedMs);
    clearTimeout(child.idleTimer);
    child.idleTimer = undefined;
    task.attempts += 1;
    if (task.pin !== undefined && task.pin.child === undefined) assignPin(task.pin, child);
    try {
      const result = await child.process.run(
        task.name,
        task.input,
        timeoutForMs(task.name, policy.taskTimeoutMs),
        task.signal,
      );
      child.hasUsedModel ||= "model" in task.input;
      if (child.hasUsedModel) memoryLimit.recordUsage(child.memory().rssBytes);
      task.resolve(result);
    } catch (error) {
      handleFailure(task, error);
    } finally {
      child.busy = false;
      runningSinceMs.delete(startedMs);
      task.queue.usedMs += performance.now() - startedMs;
      removeQueueWhenDone(task.queue);
      // A caller waiting for this result may add a task that goes before those in the queue.
      setImmediate(schedule);
    }
  }

  function assignPin(pin: Pin, child: Child): void {
    pin.child = child;
    child.sessions.set(pin.session, pin);
  }

  function losePin(pin: Pin, exitReason: string): void {
    pin.lostReason = exitReason;
    for (const task of removeQueuedTasks((queued) => queued.pin === pin))
      task.reject(new ChildLostError(exitReason));
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
      enqueue(task, 0);
    } else {
      log.error({ task: task.name, err: error }, "a task failed for good");
      task.reject(new AppError("engine.partFailed", {}, { cause: error }));
    }
  }

  function scheduleIdleEnd(child: Child): void {
    if (!isFree(child) || child.idleTimer !== undefined) return;
    child.idleTimer = setTimeout(
      () => endChild(child),
      memoryLimit.isExceeded([...children])
        ? Math.min(policy.idleMs, idleMsOverMemoryLimit)
        : policy.idleMs,
    );
    child.idleTimer.unref();
  }

  /** Removes queued tasks. */
  function removeQueuedTasks(predicate: (task: Task) => boolean): Task[] {
    const removed: Task[] = [];
    for (const queue of queues) {
      removed.push(...queue.tasks.filter(predicate));
      queue.tasks.splice(0, queue.tasks.length, ...queue.tasks.filter((task) => !predicate(task)));
      removeQueueWhenDone(queue);
    }
    return removed;
  }

  function createJob(signal: AbortSignal): PoolJob {
    // A new job goes before all others for a while, then it is treated like them.
    const minUsedMs = queues.size === 0 ? 0 : Math.min(...[...queues].map(usedTimeMs));
    const queue: Queue = {
      tasks: [],
      usedMs: minUsedMs - newJobBonusMs,
      runningSinceMs: new Set(),
    };
    signal.addEventListener(
      "abort",
      () => {
        for (const task of removeQueuedTasks((queued) => queued.signal === signal))
          task.reject(signal.reason);
      },
      { once: true },
    );

    function submit<Name extends TaskName>(
      name: Name,
      input: TaskInput<Name>,
      pin?: Pin,
      preferredSession?: string,
    ): Promise<TaskResult<Name>> {
      return new Promise((resolve, reject) => {
        signal.throwIfAborted();
        if (isClosed) throw closingError();
        if (pin?.lostReason !== undefined) throw new ChildLostError(pin.lostReason);
        const task: Task = {
          queue,
          name,
          input,
          signal,
          pin,
          preferredSession,
          attempts: 0,
          failures: 0,
          resolve: resolve as (value: unknown) => void,
          reject,
        };
        // The caller needs a session's tasks sooner than further parts, so they go first.
        enqueue(
          task,
          pin === undefined
            ? queue.tasks.length
            : queue.tasks.findLastIndex((queued) => queued.pin !== undefined) + 1,
        );
        schedule();
      });
    }

    return {
      run: (name, input, preferredSession) => submit(name, input, undefined, preferredSession),
      pin() {
        const pin: Pin = { session: randomUUID(), child: undefined, lostReason: undefined };
        return {
          session: pin.session,
          run: (name, input) => submit(name, input, pin),
          release() {
            if (pin.child === undefined) return;
            pin.child.sessions.delete(pin.session);
            pin.child.process.closeSession(pin.session);
            pin.child = undefined;
            pin.lostReason = "released";
            schedule();
          },
        };
      },
    };
  }

  return {
    size: policy.size,
    job: createJob,
    // A child that is ending is gone in a moment, and whether another one fits is often known as soon. Neither is a
    // reason to use another channel.
    isBusy: () =>
      [...children].every(({ busy }) => busy) &&
      (children.size >= policy.size || memoryLimit.canAdd(children.size) === false),
    pids: () => [...children].flatMap(({ process: { port } }) => port.pid ?? []),
    memory: memory.snapshot,
    async close() {
      isClosed = true;
      stoppedWatch.close();
      for (const task of removeQueuedTasks(() => true)) task.reject(closingError());
      await Promise.all([...children, ...endingChildren].map((child) => child.process.close()));
    },
  };
}

/** Child time that a job has used so far, running tasks included. */
function usedTimeMs({ usedMs, runningSinceMs }: Queue): number {
  const nowMs = performance.now();
  return [...runningSinceMs].reduce((sum, sinceMs) => sum + nowMs - sinceMs, usedMs);
}

/**
 * Measuring a duration or splitting an hour of audio is one task. It may take longer, since the child itself detects
 * decoding that makes no progress.
 */
const timeoutForMs = (name: TaskName, taskTimeoutMs: number): number =>
  name === "duration" || name === "split.step" ? 5 * taskTimeoutMs : taskTimeoutMs;

const isFree = ({ busy, sessions }: Child): boolean => !busy && sessions.size === 0;

function hasModelLoaded(child: Child, input: TaskInput<TaskName>): boolean {
  return "model" in input ? Object.hasOwn(child.memory().models, input.model.id) : true;
}
